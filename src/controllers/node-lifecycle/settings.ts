/** How nodes are watched and emptied: the flags of upstream's kube-controller-manager, with its defaults. */

export interface NodeLifecycleSettings {
  /** `--node-monitor-grace-period`: a node whose lease and status do not change for this long counts as lost, ms. */
  readonly nodeMonitorGracePeriodMs: number;
  /** `--node-startup-grace-period`: the same for a node that has never reported, ms. */
  readonly nodeStartupGracePeriodMs: number;
  /** `--node-eviction-rate`: nodes per second and zone that get a NoExecute taint while the zone is healthy. */
  readonly nodeEvictionRate: number;
  /** `--secondary-node-eviction-rate`: the same in a large zone of which much is unhealthy; in a small one it is 0. */
  readonly secondaryNodeEvictionRate: number;
  /** `--unhealthy-zone-threshold`: the part of a zone's nodes that must be not Ready for it to count as unhealthy. */
  readonly unhealthyZoneThreshold: number;
  /** `--large-cluster-size-threshold`: zones up to this many nodes are small. */
  readonly largeClusterSizeThreshold: number;
}

export const DEFAULT_NODE_LIFECYCLE: NodeLifecycleSettings = {
  nodeMonitorGracePeriodMs: 50_000,
  nodeStartupGracePeriodMs: 60_000,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  largeClusterSizeThreshold: 50,
};

/** The problems of the settings, by flag; empty when there are none. */
export function checkNodeLifecycle(settings: NodeLifecycleSettings): readonly string[] {
  const wrong: string[] = [];
  if (!(settings.nodeMonitorGracePeriodMs >= MIN_GRACE_MS))
    wrong.push(`--node-monitor-grace-period must be at least ${MIN_GRACE_MS / 1000} s`);
  if (!(settings.nodeStartupGracePeriodMs >= MIN_GRACE_MS))
    wrong.push(`--node-startup-grace-period must be at least ${MIN_GRACE_MS / 1000} s`);
  if (!(settings.nodeEvictionRate >= 0)) wrong.push('--node-eviction-rate must not be negative');
  if (!(settings.secondaryNodeEvictionRate >= 0)) wrong.push('--secondary-node-eviction-rate must not be negative');
  if (!(settings.unhealthyZoneThreshold >= 0 && settings.unhealthyZoneThreshold <= 1))
    wrong.push('--unhealthy-zone-threshold must be between 0 and 1');
  if (!(settings.largeClusterSizeThreshold >= 0)) wrong.push('--large-cluster-size-threshold must not be negative');
  return wrong;
}

/** A shorter period could not be told from a busy moment. */
const MIN_GRACE_MS = 1000;
