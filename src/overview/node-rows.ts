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

/** What is known of nodes. */
export interface NodeFacts {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** Of kube-node-lease, where they could be read. */
  readonly leases: readonly Lease[];
  /**
   * How long ago a node's lease was last seen to change, ms: the times in leases are of the nodes' own clocks. Undefined: only
   * that time is known.
   */
  readonly silentMs?: (node: string) => number | undefined;
}

export function nodeRows({ nodes, pods, leases, silentMs }: NodeFacts, now: number): readonly NodeRow[] {
  const counts = new Map<string, number>();
  for (const { spec } of pods) {
    const name = spec?.nodeName ?? '';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const renewals = new Map(leases.map(({ metadata, spec }) => [metadata?.name ?? '', spec?.renewTime]));
  return nodes
    .map((node) => {
      const name = node.metadata?.name ?? '';
      const renewed = parseTime(renewals.get(name) ?? undefined);
      const ageMs = renewed === undefined ? undefined : now - renewed;
      return nodeRow(node, { ageMs, silentMs: silentMs?.(name) ?? ageMs ?? 0 }, counts);
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

interface Silence {
  /** Since the time in its lease, by the node's clock; undefined: there is none. */
  readonly ageMs: number | undefined;
  readonly silentMs: number;
}

function nodeRow(node: Node, { ageMs, silentMs }: Silence, counts: ReadonlyMap<string, number>): NodeRow {
  const { status, spec, metadata } = node;
  const name = metadata?.name ?? '';
  const ready = findCondition(status?.conditions, 'Ready');
  const isLost = ready?.status === 'Unknown';
  const isSilent = isLost || silentMs > SILENT_NODE_MS;
  const longMs = Math.max(silentMs, isLost ? (ageMs ?? 0) : 0);
  const since = longMs > SILENT_NODE_MS ? ` for ${Math.floor(longMs / 1000)}s` : '';
  const troubles = [
    ...(isSilent ? [`not heard${since}`] : []),
    ...(ready?.status === 'False' ? [`not ready: ${ready.message ?? ready.reason ?? 'no reason told'}`] : []),
    ...(isLost
      ? []
      : PRESSURES.filter(([type]) => isConditionTrue(status?.conditions, type)).map(([, words]) => words)),
    ...(spec?.unschedulable === true ? ['cordoned'] : []),
  ];
  return {
    name,
    mood: isSilent ? 'unknown' : troubles.length === 0 ? 'ok' : 'troubled',
    troubles,
    runtime: status?.nodeInfo?.containerRuntimeVersion ?? '',
    agent: status?.nodeInfo?.kubeletVersion ?? '',
    pods: counts.get(name) ?? 0,
  };
}
