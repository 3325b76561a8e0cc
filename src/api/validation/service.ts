/** Validation of services (upstream `ValidateService`, `ValidateServiceUpdate`). Addresses and ports are allocated before it. */
import {
  child,
  duplicate,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '../field-error.ts';
import { isIpAddress } from '../ip-address.ts';
import { isCidr } from '../ip-cidr.ts';
import {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelKey,
  checkPortName,
  checkPortNumber,
} from '../names.ts';
import { HEADLESS, isExternallyAccessible, isHeadless, needsClusterIp, needsHealthCheckPort } from '../service-kind.ts';
import type { Service, ServicePort, ServiceSpec } from '../types.gen.ts';
import { validateIngressPoints } from './load-balancer-status.ts';
import { checkValue, equalJson, immutable, oneOf, requireOneOf, requireValue } from './messages.ts';
import { validateLabels, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

/** The kubelet's port: a load balancer must not show it to the world. */
const KUBELET_PORT = 10_250;
const MAX_AFFINITY_SECONDS = 86_400;
const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];
const TYPES: readonly string[] = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const POLICIES: readonly string[] = ['Cluster', 'Local'];

export function validateService(service: Service): FieldError[] {
  const { spec = {} } = service;
  return [
    ...validateObjectMeta(service.metadata, true, checkDns1035Label),
    ...requireOneOf('spec.type', spec.type, TYPES),
    ...validateType(spec),
    ...validateClusterIps(spec),
    ...validateServicePorts(spec),
    ...validateLabels(spec.selector, 'spec.selector'),
    ...validateAffinity(spec),
    ...validateExternalIps(spec),
    ...validateLoadBalancer(spec),
    ...validateTrafficPolicies(spec),
  ];
}

export function validateServiceUpdate(service: Service, old: Service): FieldError[] {
  const { spec = {} } = service;
  const { spec: before = {} } = old;
  const errors = validateObjectMetaUpdate(service.metadata, old.metadata);
  if (needsClusterIp(spec) && needsClusterIp(before) && before.clusterIP) {
    if (spec.clusterIP !== before.clusterIP)
      errors.push(invalidValue('spec.clusterIPs[0]', spec.clusterIPs ?? [], 'may not change once set'));
  }
  const { healthCheckNodePort: port = 0 } = spec;
  const { healthCheckNodePort: portBefore = 0 } = before;
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(before) && portBefore !== 0 && port !== portBefore) {
    const text = 'cannot change healthCheckNodePort on loadBalancer service with externalTraffic=Local during update';
    errors.push(invalidValue('spec.healthCheckNodePort', port, text));
  }
  if (spec.type === 'LoadBalancer' && before.type === 'LoadBalancer') {
    errors.push(
      ...immutable('spec.loadBalancerClass', spec.loadBalancerClass, before.loadBalancerClass).map((error) => ({
        ...error,
        body: error.body.replace('field is immutable', 'may not change once set'),
      })),
    );
  }
  return [...errors, ...validateService(service)];
}

export function validateServiceStatus(service: Service, old: Service): FieldError[] {
  const errors = validateObjectMetaUpdate(service.metadata, old.metadata);
  const points = service.status?.loadBalancer?.ingress ?? [];
  const field = 'status.loadBalancer.ingress';
  const isNew = points.length > 0 && !equalJson(points, old.status?.loadBalancer?.ingress);
  if (isNew && service.spec?.type !== 'LoadBalancer')
    errors.push(forbiddenField(field, 'may only be used when `spec.type` is "LoadBalancer"'));
  points.forEach(({ ip, ipMode }, position) => {
    const at = child(index(field, position), 'ipMode');
    if (ipMode !== undefined && !ip) errors.push(forbiddenField(at, 'may not be specified when `ip` is not set'));
    errors.push(...oneOf(at, ipMode, ['Proxy', 'VIP']));
  });
  return [...errors, ...validateIngressPoints(points)];
}

function validateType(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const ports = spec.ports ?? [];
  switch (spec.type) {
    case 'LoadBalancer':
      ports.forEach((port, position) => {
        if (port.port !== KUBELET_PORT) return;
        const text = `may not expose port ${KUBELET_PORT} externally since it is used by kubelet`;
        errors.push(invalidValue(child(index('spec.ports', position), 'port'), port.port, text));
      });
      if (isHeadless(spec))
        errors.push(
          invalidValue(
            'spec.clusterIPs[0]',
            spec.clusterIPs?.[0],
            "may not be set to 'None' for LoadBalancer services",
          ),
        );
      break;
    case 'NodePort':
      if (isHeadless(spec))
        errors.push(
          invalidValue('spec.clusterIPs[0]', spec.clusterIPs?.[0], "may not be set to 'None' for NodePort services"),
        );
      break;
    case 'ExternalName':
      errors.push(...validateExternalName(spec));
      break;
    case undefined:
    default:
  }
  if (ports.length === 0 && !isHeadless(spec) && spec.type !== 'ExternalName') errors.push(required('spec.ports'));
  return errors;
}

function validateExternalName(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) {
    const value = spec[name];
    // The policy is a pointer: an empty one is set.
    if (value !== undefined && (name === 'ipFamilyPolicy' || value.length > 0))
      errors.push(forbiddenField(`spec.${name}`, 'may not be set for ExternalName services'));
  }
  if (spec.clusterIP) errors.push(forbiddenField('spec.clusterIP', 'may not be set for ExternalName services'));
  // Names in DNS end with a dot; objects' names do not.
  const name = spec.externalName?.replace(/\.$/, '');
  return [...errors, ...requireValue('spec.externalName', name, checkDns1123Subdomain)];
}

function validateClusterIps(spec: ServiceSpec): FieldError[] {
  if (!needsClusterIp(spec)) return [];
  const errors: FieldError[] = [];
  const { clusterIP = '', clusterIPs = [] } = spec;
  if (clusterIP !== '' && clusterIPs[0] !== clusterIP)
    errors.push(invalidValue('spec.clusterIP', clusterIP, 'must match the first value in `clusterIPs`'));
  if (clusterIP === '' && clusterIPs.length > 0)
    errors.push(invalidValue('spec.clusterIPs', clusterIPs, 'must be empty when `clusterIP` is not specified'));
  if (clusterIPs.length > 2) errors.push(invalidValue('spec.clusterIPs', clusterIPs, 'may only hold up to 2 values'));
  clusterIPs.forEach((address, position) => {
    const at = index('spec.clusterIPs', position);
    if (address === HEADLESS && position === 0) {
      if (clusterIPs.length > 1)
        errors.push(invalidValue(at, address, "may not be set to 'None' together with addresses"));
    } else errors.push(...checkIp(at, address));
  });
  errors.push(
    ...oneOf('spec.ipFamilyPolicy', spec.ipFamilyPolicy, ['PreferDualStack', 'RequireDualStack', 'SingleStack']),
  );
  return [...errors, ...validateFamilies(spec)];
}

/** The cluster has only IPv4. A headless service without a selector may name endpoints of any family itself. */
function validateFamilies(spec: ServiceSpec): FieldError[] {
  const { ipFamilies = [] } = spec;
  const errors = ipFamilies.flatMap((family, position) =>
    oneOf(index('spec.ipFamilies', position), family, ['IPv4', 'IPv6']),
  );
  if (new Set(ipFamilies).size < ipFamilies.length) errors.push(duplicate('spec.ipFamilies', ipFamilies));
  if (isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0) return errors;
  if (spec.ipFamilyPolicy === 'RequireDualStack') {
    const text = 'this cluster is not configured for dual-stack services';
    errors.push(invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy, text));
  }
  if (ipFamilies.includes('IPv6'))
    errors.push(
      invalidValue(index('spec.ipFamilies', ipFamilies.indexOf('IPv6')), 'IPv6', 'not configured on this cluster'),
    );
  if ((spec.clusterIPs?.length ?? 0) > 1)
    errors.push(invalidValue('spec.clusterIPs', spec.clusterIPs, 'this cluster has one address family'));
  return errors;
}

function checkIp(field: string, text: string): FieldError[] {
  return isIpAddress(text)
    ? []
    : [invalidValue(field, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
}

function validateServicePorts(spec: ServiceSpec): FieldError[] {
  const ports = spec.ports ?? [];
  const names = new Set<string>();
  const numbers = new Set<string>();
  const nodePorts = new Set<string>();
  return ports.flatMap((port, position) => {
    const at = index('spec.ports', position);
    const errors = validateServicePort(port, at, ports.length > 1);
    if (port.name) {
      if (names.has(port.name)) errors.push(duplicate(child(at, 'name'), port.name));
      names.add(port.name);
    }
    const key = `${port.protocol}/${port.port}`;
    if (numbers.has(key)) errors.push(duplicate(at, { protocol: port.protocol, port: port.port }));
    numbers.add(key);
    if (!port.nodePort) return errors;
    if (spec.type === 'ClusterIP')
      errors.push(forbiddenField(child(at, 'nodePort'), "may not be used when `type` is 'ClusterIP'"));
    const nodeKey = `${port.protocol}/${port.nodePort}`;
    if (nodePorts.has(nodeKey)) errors.push(duplicate(child(at, 'nodePort'), port.nodePort));
    nodePorts.add(nodeKey);
    return errors;
  });
}

function validateServicePort(port: ServicePort, at: string, needsName: boolean): FieldError[] {
  const errors = port.name ? checkValue(child(at, 'name'), port.name, checkDns1123Label) : [];
  if (!port.name && needsName) errors.push(required(child(at, 'name')));
  errors.push(...checkNumber(child(at, 'port'), port.port));
  errors.push(...requireOneOf(child(at, 'protocol'), port.protocol, PROTOCOLS));
  const { targetPort } = port;
  if (typeof targetPort === 'number') errors.push(...checkNumber(child(at, 'targetPort'), targetPort));
  else if (targetPort !== undefined) errors.push(...checkValue(child(at, 'targetPort'), targetPort, checkPortName));
  if (port.nodePort) errors.push(...checkNumber(child(at, 'nodePort'), port.nodePort));
  if (port.appProtocol !== undefined)
    errors.push(...checkValue(child(at, 'appProtocol'), port.appProtocol, checkLabelKey));
  return errors;
}

function checkNumber(field: string, port: number): FieldError[] {
  return checkPortNumber(port).map((message) => invalidValue(field, port, message));
}

function validateAffinity(spec: ServiceSpec): FieldError[] {
  const errors = requireOneOf('spec.sessionAffinity', spec.sessionAffinity, ['ClientIP', 'None']);
  const config = spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'None' && config !== undefined)
    errors.push(forbiddenField('spec.sessionAffinityConfig', 'must not be set when session affinity is None'));
  if (spec.sessionAffinity !== 'ClientIP') return errors;
  const seconds = config?.clientIP?.timeoutSeconds;
  const field = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  if (seconds === undefined) errors.push(required(field, 'when session affinity is ClientIP'));
  else if (seconds <= 0 || seconds > MAX_AFFINITY_SECONDS)
    errors.push(invalidValue(field, seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`));
  return errors;
}

function validateExternalIps({ externalIPs = [] }: ServiceSpec): FieldError[] {
  return externalIPs.flatMap((address, position) => {
    const field = index('spec.externalIPs', position);
    const errors = checkIp(field, address);
    if (errors.length > 0) return errors;
    if (address === '0.0.0.0' || address === '::')
      return [invalidValue(field, address, `may not be unspecified (${address})`)];
    if (address.startsWith('127.') || address === '::1')
      return [invalidValue(field, address, 'may not be in the loopback range (127.0.0.0/8, ::1/128)')];
    if (address.startsWith('169.254.') || /^fe[89ab]/i.test(address))
      return [invalidValue(field, address, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')];
    return [];
  });
}

function validateLoadBalancer(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const isBalancer = spec.type === 'LoadBalancer';
  if (!isBalancer && (spec.loadBalancerSourceRanges?.length ?? 0) > 0)
    errors.push(forbiddenField('spec.loadBalancerSourceRanges', "may only be used when `type` is 'LoadBalancer'"));
  (spec.loadBalancerSourceRanges ?? []).forEach((text, position) => {
    if (!isCidr(text.trim()))
      errors.push(
        invalidValue(
          index('spec.loadBalancerSourceRanges', position),
          text,
          'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        ),
      );
  });
  if (isBalancer && spec.allocateLoadBalancerNodePorts === undefined)
    errors.push(required('spec.allocateLoadBalancerNodePorts'));
  if (!isBalancer && spec.allocateLoadBalancerNodePorts !== undefined)
    errors.push(forbiddenField('spec.allocateLoadBalancerNodePorts', "may only be used when `type` is 'LoadBalancer'"));
  if (spec.loadBalancerClass !== undefined) {
    errors.push(...checkValue('spec.loadBalancerClass', spec.loadBalancerClass, checkLabelKey));
    if (!isBalancer)
      errors.push(forbiddenField('spec.loadBalancerClass', "may only be used when `type` is 'LoadBalancer'"));
  }
  return errors;
}

function validateTrafficPolicies(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const { externalTrafficPolicy, internalTrafficPolicy, healthCheckNodePort = 0 } = spec;
  if (isExternallyAccessible(spec))
    errors.push(...requireOneOf('spec.externalTrafficPolicy', externalTrafficPolicy, POLICIES));
  else if (externalTrafficPolicy)
    errors.push(
      invalidValue(
        'spec.externalTrafficPolicy',
        externalTrafficPolicy,
        'may only be set for externally-accessible services',
      ),
    );
  if (internalTrafficPolicy === undefined && needsClusterIp(spec)) errors.push(required('spec.internalTrafficPolicy'));
  else errors.push(...oneOf('spec.internalTrafficPolicy', internalTrafficPolicy, POLICIES));
  if (healthCheckNodePort !== 0) {
    errors.push(...checkNumber('spec.healthCheckNodePort', healthCheckNodePort));
    if (!needsHealthCheckPort(spec)) {
      const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
      errors.push(invalidValue('spec.healthCheckNodePort', healthCheckNodePort, text));
    }
  }
  const distributions = ['PreferClose', 'PreferSameNode', 'PreferSameZone'];
  if (spec.trafficDistribution !== undefined && !distributions.includes(spec.trafficDistribution))
    errors.push(notSupported('spec.trafficDistribution', spec.trafficDistribution, distributions));
  return errors;
}
