/** Gathers which services a pod uses that seems well: its scripts and configurations may be the only ones to name them. */
import { SERVICES } from '../../api/index.ts';
import { configMapsOf, type PodEvidence, type ServiceEvidence, servicesUsed } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { gatherConfigs } from './gather-configs.ts';
import { gatherServices } from './gather-services.ts';
import { MAX_LISTED } from './limits.ts';

/** The evidence of the pod with its ConfigMaps, and the services that it uses; none where it has troubles of its own. */
export async function usedServers(
  asker: Asker,
  looked: PodEvidence,
): Promise<{ readonly evidence: PodEvidence; readonly services: readonly ServiceEvidence[] }> {
  const { namespace = 'default' } = looked.pod.metadata ?? {};
  const [configs, all] = await Promise.all([
    gatherConfigs(asker, namespace, configMapsOf(looked.pod)),
    asker.list(`services in namespace ${namespace}`, SERVICES, { namespace, limit: MAX_LISTED }),
  ]);
  const evidence: PodEvidence = { ...looked, configs: [...looked.configs, ...configs] };
  const names = all.flatMap(({ metadata }) => metadata?.name ?? []);
  const used = servicesUsed(evidence, names);
  return { evidence, services: used.length === 0 ? [] : await gatherServices(asker, used, namespace) };
}
