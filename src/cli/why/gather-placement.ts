/** Gathers what explains why no node takes a pod: who has its claim or host port, and what nodes have room for. */
import { NODES, type Pod, PODS } from '../../api/index.ts';
import {
  type PlacementEvidence,
  placementWanted,
  type PlacementWanted,
  type PodEvidence,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_LISTED } from './limits.ts';

/** Undefined: its refusals ask for nothing. */
export async function gatherPlacement(asker: Asker, evidence: PodEvidence): Promise<PlacementEvidence | undefined> {
  const wanted = placementWanted(evidence);
  if (wanted.pods === 'none' && !wanted.nodes) return undefined;
  const [pods, nodes] = await Promise.all([
    podsWanted(asker, evidence.pod, wanted.pods),
    wanted.nodes ? asker.listAll('nodes', NODES, { limit: MAX_LISTED }) : undefined,
  ]);
  return { ...(pods && { pods }), ...(nodes && { nodes }) };
}

async function podsWanted(
  asker: Asker,
  { metadata, spec }: Pod,
  wanted: PlacementWanted['pods'],
): Promise<readonly Pod[] | undefined> {
  const { namespace = 'default' } = metadata ?? {};
  const nodeName = spec?.nodeName ?? '';
  switch (wanted) {
    case 'none':
      return undefined;
    case 'all':
      return await asker.listAll('pods in all namespaces', PODS, { limit: MAX_LISTED });
    case 'node': {
      const fieldSelector = `spec.nodeName=${nodeName}`;
      return await asker.listAll(`pods of node/${nodeName}`, PODS, { fieldSelector, limit: MAX_LISTED });
    }
    case 'namespace':
      return await asker.listAll(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED });
  }
}
