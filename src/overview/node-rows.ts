/** One strip for each node. Pure. */
import { findCondition, isConditionTrue, type Lease, type Node, type Pod } from '../api/index.ts';
import { parseTime } from '../lib/index.ts';
import { SILENT_NODE_MS } from './limits.ts';
import type { NodeRow } from './types.ts';

const PRESSURES: readonly (readonly [type: string, words: string])[] = [
  ['MemoryPressure', 'memory pressure'],
  ['DiskPressure', 'disk pressure'],
  ['PIDPressure', 'too many processes'],
  ['NetworkUnavailable', 'no network'],
];

/** @param leases of kube-node-lease, where they could be read */
export function nodeRows(
  nodes: readonly Node[],
  pods: readonly Pod[],
  leases: readonly Lease[],
  now: number,
): readonly NodeRow[] {
  const counts = new Map<string, number>();
  for (const { spec } of pods) {
    const name = spec?.nodeName ?? '';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return nodes
    .map((node) =>
      nodeRow(
        node,
        leases.find(({ metadata }) => metadata?.name === node.metadata?.name),
        counts,
        now,
      ),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function nodeRow(node: Node, lease: Lease | undefined, counts: ReadonlyMap<string, number>, now: number): NodeRow {
  const { status, spec, metadata } = node;
  const name = metadata?.name ?? '';
  const ready = findCondition(status?.conditions, 'Ready');
  const heard = parseTime(lease?.spec?.renewTime ?? undefined);
  const silentMs = heard === undefined ? 0 : now - heard;
  const isLost = ready?.status === 'Unknown';
  const troubles = [
    ...(silentMs > SILENT_NODE_MS ? [`not heard for ${Math.floor(silentMs / 1000)}s`] : isLost ? ['not heard'] : []),
    ...(ready?.status === 'False' ? [`not ready: ${ready.message ?? ready.reason ?? 'no reason told'}`] : []),
    ...(isLost
      ? []
      : PRESSURES.filter(([type]) => isConditionTrue(status?.conditions, type)).map(([, words]) => words)),
    ...(spec?.unschedulable === true ? ['cordoned'] : []),
  ];
  return {
    name,
    mood: isLost || silentMs > SILENT_NODE_MS ? 'unknown' : troubles.length === 0 ? 'ok' : 'troubled',
    troubles,
    runtime: status?.nodeInfo?.containerRuntimeVersion ?? '',
    agent: status?.nodeInfo?.kubeletVersion ?? '',
    pods: counts.get(name) ?? 0,
  };
}
