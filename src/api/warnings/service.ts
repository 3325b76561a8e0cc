/** Warnings about fields of a service that have no effect (upstream: GetWarningsForService). Pure. */
import { isHeadless } from '../service-kind.ts';
import type { Service } from '../types.gen.ts';

const OLD_TOPOLOGY = 'service.kubernetes.io/topology-aware-hints';
const TOPOLOGY = 'service.kubernetes.io/topology-mode';

export function serviceWarnings({ metadata, spec = {} }: Service): string[] {
  const warnings: string[] = [];
  const { type = 'ClusterIP', externalIPs = [] } = spec;
  if (Object.hasOwn(metadata?.annotations ?? {}, OLD_TOPOLOGY))
    warnings.push(`annotation ${OLD_TOPOLOGY} is deprecated, please use ${TOPOLOGY} instead`);
  if (type === 'ClusterIP' && isHeadless(spec)) {
    if (spec.loadBalancerIP) warnings.push('spec.loadBalancerIP is ignored for headless services');
    if (externalIPs.length > 0) warnings.push('spec.externalIPs is ignored for headless services');
    if ((spec.sessionAffinity ?? 'None') !== 'None')
      warnings.push('spec.SessionAffinity is ignored for headless services');
  }
  if (type === 'ExternalName' && externalIPs.length > 0)
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (type !== 'ExternalName' && spec.externalName)
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === 'PreferClose')
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}
