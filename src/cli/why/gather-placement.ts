/** Gathers what explains why no node takes a pod: who has its claim or host port, and what nodes have room for. */
import { NODES, PODS } from '../../api/index.ts';
import { type PlacementEvidence, placementWanted, type PodEvidence } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_LISTED } from './limits.ts';

/** Undefined: its refusals ask for nothing. */
export async function gatherPlacement(asker: Asker, evidence: PodEvidence): Promise<PlacementEvidence | undefined> {
  const wanted = placementWanted(evidence);
  if (wanted.pods === 'none' && !wanted.nodes) return undefined;
  const { namespace = 'default' } = evidence.pod.metadata ?? {};
  const [pods, nodes] = await Promise.all([
    wanted.pods === 'none'
      ? undefined
      : wanted.pods === 'all'
        ? asker.listAll('pods in all namespaces', PODS, { limit: MAX_LISTED })
        : asker.listAll(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED }),
    wanted.nodes ? asker.listAll('nodes', NODES, { limit: MAX_LISTED }) : undefined,
  ]);
  return { ...(pods && { pods }), ...(nodes && { nodes }) };
}
