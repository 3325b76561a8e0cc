/** Defaults of network policies and ingress classes (upstream `SetDefaults_NetworkPolicy` and its siblings). They fill a draft in place. */
import type { Ingress, IngressClass, NetworkPolicy } from '../types.gen.ts';

export function defaultNetworkPolicy(policy: NetworkPolicy): void {
  const spec = (policy.spec ??= { podSelector: {} });
  spec.podSelector ??= {};
  for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
    for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
  if ((spec.policyTypes?.length ?? 0) > 0) return;
  spec.policyTypes = (spec.egress?.length ?? 0) > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

export function defaultIngressClass({ spec }: IngressClass): void {
  if (spec?.parameters !== undefined) spec.parameters.scope ??= 'Cluster';
}

export function defaultIngress(ingress: Ingress): void {
  ingress.status ??= { loadBalancer: {} };
}
