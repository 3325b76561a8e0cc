/** Validation of NetworkPolicies (upstream `ValidateNetworkPolicy`). */
import { child, type FieldError, forbiddenField, index, invalidValue, notSupported, required } from '../field-error.ts';
import { checkLooseCidr, isCidr, isStrictlyWithin } from '../ip-cidr.ts';
import { checkDns1123Subdomain, checkPortName, checkPortNumber } from '../names.ts';
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../types.gen.ts';
import { validateLabelSelector } from './affinity.ts';
import { checkValue } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

/** In the order in which upstream names them. */
const PROTOCOLS: readonly string[] = ['TCP', 'UDP', 'SCTP'];
const TYPES: readonly string[] = ['Ingress', 'Egress'];

export function validateNetworkPolicy(policy: NetworkPolicy): FieldError[] {
  return [...validateObjectMeta(policy.metadata, true, checkDns1123Subdomain), ...validateSpec(policy)];
}

export function validateNetworkPolicyUpdate(policy: NetworkPolicy, old: NetworkPolicy): FieldError[] {
  return [...validateObjectMetaUpdate(policy.metadata, old.metadata), ...validateSpec(policy)];
}

function validateSpec({ spec }: NetworkPolicy): FieldError[] {
  const { podSelector, ingress = [], egress = [], policyTypes = [] } = spec ?? {};
  const errors = validateLabelSelector(podSelector, 'spec.podSelector');
  ingress.forEach((rule, position) => {
    const at = index('spec.ingress', position);
    errors.push(...validateRule(rule.ports ?? [], at), ...validatePeers(rule.from ?? [], child(at, 'from')));
  });
  egress.forEach((rule, position) => {
    const at = index('spec.egress', position);
    errors.push(...validateRule(rule.ports ?? [], at), ...validatePeers(rule.to ?? [], child(at, 'to')));
  });
  if (policyTypes.length > TYPES.length)
    return [...errors, invalidValue('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes')];
  policyTypes.forEach((type, position) => {
    if (!TYPES.includes(type)) errors.push(notSupported(index('spec.policyTypes', position), type, TYPES));
  });
  return errors;
}

function validateRule(ports: readonly NetworkPolicyPort[], path: string): FieldError[] {
  return ports.flatMap((port, position) => validatePort(port, index(child(path, 'ports'), position)));
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !PROTOCOLS.includes(protocol))
    errors.push(notSupported(child(path, 'protocol'), protocol, PROTOCOLS));
  const end = child(path, 'endPort');
  if (port === undefined) {
    if (endPort !== undefined)
      errors.push(invalidValue(end, endPort, 'may not be specified when `port` is not specified'));
    return errors;
  }
  if (typeof port === 'string') {
    if (endPort !== undefined)
      errors.push(invalidValue(end, endPort, 'may not be specified when `port` is non-numeric'));
    return [...errors, ...checkValue(child(path, 'port'), port, checkPortName)];
  }
  errors.push(...checkPortNumber(port).map((text) => invalidValue(child(path, 'port'), port, text)));
  if (endPort === undefined) return errors;
  if (endPort < port) errors.push(invalidValue(end, port, 'must be greater than or equal to `port`'));
  return [...errors, ...checkPortNumber(endPort).map((text) => invalidValue(end, endPort, text))];
}

function validatePeers(peers: readonly NetworkPolicyPeer[], path: string): FieldError[] {
  return peers.flatMap((peer, position) => {
    const at = index(path, position);
    const { podSelector, namespaceSelector, ipBlock } = peer;
    const errors = [
      ...validateLabelSelector(podSelector, child(at, 'podSelector')),
      ...validateLabelSelector(namespaceSelector, child(at, 'namespaceSelector')),
      ...(ipBlock === undefined ? [] : validateBlock(ipBlock, child(at, 'ipBlock'))),
    ];
    const isSelected = podSelector !== undefined || namespaceSelector !== undefined;
    if (!isSelected && ipBlock === undefined) errors.push(required(at, 'must specify a peer'));
    if (isSelected && ipBlock !== undefined)
      errors.push(forbiddenField(at, 'may not specify both ipBlock and another peer'));
    return errors;
  });
}

function validateBlock({ cidr, except = [] }: Partial<IPBlock>, path: string): FieldError[] {
  if (!cidr) return [required(child(path, 'cidr'))];
  if (!isCidr(cidr)) return checkValue(child(path, 'cidr'), cidr, checkLooseCidr);
  return except.flatMap((range, position) => {
    const at = index(child(path, 'except'), position);
    if (!isCidr(range)) return checkValue(at, range, checkLooseCidr);
    return isStrictlyWithin(range, cidr) ? [] : [invalidValue(at, range, 'must be a strict subset of `cidr`')];
  });
}
