/**
 * How broken each zone is, and how fast its nodes may be emptied (upstream: handleDisruption, ComputeZoneState). When nothing
 * is well anywhere the trouble is most likely ours, and no node is emptied. Pure.
 */
import { findCondition, type Node } from '../../api/index.ts';
import type { NodeLifecycleSettings } from './settings.ts';

export type ZoneState = 'normal' | 'partial disruption' | 'full disruption';

export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
}

export interface Zone extends ZoneCount {
  readonly state: ZoneState;
  /** Nodes per second that may get a NoExecute taint. */
  readonly rate: number;
}

export interface Disruption {
  readonly zones: ReadonlyMap<string, Zone>;
  /** All zones are fully disrupted ("master disruption mode"): nothing is evicted, and no node keeps its taint. */
  readonly everywhere: boolean;
}

/** Opts a node out of these sums. */
const EXCLUDED_LABEL = 'node.kubernetes.io/exclude-disruption';
/** A zone needs more nodes than this in trouble to count as partially disrupted. */
const FEW_NODES = 2;

/** The zone's key as upstream's metrics have it: region and zone, '' for a node that names neither. */
export function zoneOf(node: Node): string {
  const labels = node.metadata?.labels ?? {};
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`;
}

export function planDisruption(nodes: readonly Node[], settings: NodeLifecycleSettings): Disruption {
  const counts = countZones(nodes);
  const states = new Map([...counts].map(([zone, count]) => [zone, zoneState(count, settings.unhealthyZoneThreshold)]));
  const everywhere = states.size > 0 && [...states.values()].every((state) => state === 'full disruption');
  const zones = new Map<string, Zone>();
  for (const [name, count] of counts) {
    const state = states.get(name) ?? 'normal';
    zones.set(name, { ...count, state, rate: everywhere ? 0 : evictionRate(state, sizeOf(count), settings) });
  }
  return { zones, everywhere };
}

function countZones(nodes: readonly Node[]): ReadonlyMap<string, ZoneCount> {
  const counts = new Map<string, ZoneCount>();
  for (const node of nodes) {
    if (node.metadata?.labels?.[EXCLUDED_LABEL] !== undefined) continue;
    const zone = zoneOf(node);
    const { ready, notReady } = counts.get(zone) ?? { ready: 0, notReady: 0 };
    const isReady = findCondition(node.status?.conditions, 'Ready')?.status === 'True';
    counts.set(zone, isReady ? { ready: ready + 1, notReady } : { ready, notReady: notReady + 1 });
  }
  return counts;
}

export function zoneState({ ready, notReady }: ZoneCount, unhealthyZoneThreshold: number): ZoneState {
  if (ready === 0 && notReady > 0) return 'full disruption';
  if (notReady > FEW_NODES && notReady / (notReady + ready) >= unhealthyZoneThreshold) return 'partial disruption';
  return 'normal';
}

/** A zone that is wholly gone, beside others that live, is emptied at the usual rate. */
export function evictionRate(state: ZoneState, size: number, settings: NodeLifecycleSettings): number {
  if (state !== 'partial disruption') return settings.nodeEvictionRate;
  return size > settings.largeClusterSizeThreshold ? settings.secondaryNodeEvictionRate : 0;
}

export function sizeOf({ ready, notReady }: ZoneCount): number {
  return ready + notReady;
}
