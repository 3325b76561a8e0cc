/** Gathers a node's object and its lease. */
import { LEASES, NODES } from '../../api/index.ts';
import type { NodeEvidence } from '../../diagnosis/index.ts';
import { parseTime } from '../../lib/index.ts';
import { type Asker, found } from './ask.ts';

export async function gatherNode(asker: Asker, name: string): Promise<NodeEvidence> {
  const [node, lease] = await Promise.all([
    asker.get(`node/${name}`, NODES, undefined, name),
    asker.get(`lease of node/${name}`, LEASES, 'kube-node-lease', name),
  ]);
  const spec = found(lease)?.spec;
  return {
    name,
    node: found(node),
    missing: node.kind === 'missing',
    renewedAt: parseTime(spec?.renewTime ?? undefined),
    leaseSeconds: spec?.leaseDurationSeconds ?? undefined,
  };
}
