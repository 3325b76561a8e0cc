/** Validation of the addresses at which a service or an ingress is reached from outside (upstream: ValidateLoadBalancerStatus). */
import { child, type FieldError, index, invalidValue } from '../field-error.ts';
import { isIpAddress } from '../ip-address.ts';
import { checkDns1123Subdomain } from '../names.ts';
import { checkValue } from './messages.ts';

/** Entries of `status.loadBalancer.ingress`. */
export function validateIngressPoints(points: readonly { ip?: string; hostname?: string }[]): FieldError[] {
  return points.flatMap(({ ip, hostname }, position) => {
    const at = index('status.loadBalancer.ingress', position);
    const errors: FieldError[] = [];
    if (ip && !isIpAddress(ip))
      errors.push(invalidValue(child(at, 'ip'), ip, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'));
    if (!hostname) return errors;
    errors.push(...checkValue(child(at, 'hostname'), hostname, checkDns1123Subdomain));
    if (isIpAddress(hostname))
      errors.push(invalidValue(child(at, 'hostname'), hostname, 'must be a DNS name, not an IP address'));
    return errors;
  });
}
