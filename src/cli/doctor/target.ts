/** Parses the target of `doctor`. Pure. */
import { checkDns1123Label, checkDns1123Subdomain } from '../../api/index.ts';
import { UsageError } from '../usage-error.ts';

const KINDS: ReadonlySet<string> = new Set(['service', 'services', 'svc']);

/** "svc/web", "svc web" or "web" alone. @returns undefined: none is named. @throws UsageError */
export function parseDoctorTarget(args: readonly string[]): string | undefined {
  const [first, second, ...more] = args;
  if (first === undefined) return undefined;
  if (more.length > 0 || (second !== undefined && first.includes('/')))
    throw new UsageError('One service at a time: svc/NAME.');
  const [kind = '', name, ...rest] = second === undefined ? first.split('/') : [first, second];
  if (name === undefined) return checked(first);
  if (!KINDS.has(kind.toLowerCase())) throw new UsageError(`"${kind}" cannot be tried: give svc/NAME.`);
  if (rest.length > 0) throw new UsageError(`"${first}" names nothing: give svc/NAME.`);
  return checked(name);
}

function checked(name: string): string {
  if (KINDS.has(name.toLowerCase())) throw new UsageError(`Name the ${name}: svc/NAME.`);
  if (checkDns1123Label(name).length > 0) throw new UsageError(`"${name}" is not the name of a service.`);
  return name;
}

/** "web-0", or "shop/web-0". @param namespace of a pod without one @throws UsageError */
export function parseDoctorSource(
  text: string,
  namespace: string,
): { readonly namespace: string; readonly name: string } {
  const [first = '', second, ...more] = text.split('/');
  const [own, name] = second === undefined ? [namespace, first] : [first, second];
  if (more.length > 0 || checkDns1123Label(own).length > 0 || checkDns1123Subdomain(name).length > 0)
    throw new UsageError(`"${text}" is not the name of a pod: give POD, or NAMESPACE/POD.`);
  return { namespace: own, name };
}
