/** Turns the flags about lost nodes into settings of controllers and admission. Pure. */
import { type AdmissionSettings, DEFAULT_ADMISSION } from '../apiserver/index.ts';
import { type ClusterFlags, type DashboardListen, exitCodes } from '../cli/index.ts';
import { checkNodeLifecycle, DEFAULT_NODE_LIFECYCLE, type NodeLifecycleSettings } from '../controllers/index.ts';
import { UserError } from './user-error.ts';

export interface ClusterSettings {
  readonly nodeLifecycle: NodeLifecycleSettings;
  readonly admission: AdmissionSettings;
  /** Whether the healing controllers run in this process. */
  readonly healing: boolean;
  /** Whether LoadBalancer services get the nodes' addresses. */
  readonly loadBalancers: boolean;
  /** Whether a volume is detached from a node that is not heard, although the node may still use it. */
  readonly forceDetachOnTimeout: boolean;
  /** Where the live page is served. */
  readonly dashboard: DashboardListen;
  /** Name of the StorageClass of volumes that are folders of nodes. Absent: nobody makes them here. */
  readonly localVolumeClass?: string;
}

const DEFAULT_LOCAL_CLASS = 'mendlet-local';
/** Port 0: that of the last time, if it is free. */
const DEFAULT_DASHBOARD: DashboardListen = { host: '127.0.0.1', port: 0 };

/** @throws UserError (exit code 2) that names what cannot be */
export function clusterSettings(flags: ClusterFlags): ClusterSettings {
  const defaults = DEFAULT_NODE_LIFECYCLE;
  const nodeLifecycle = {
    nodeMonitorGracePeriodMs: flags.nodeMonitorGracePeriod ?? defaults.nodeMonitorGracePeriodMs,
    nodeStartupGracePeriodMs:
      flags.nodeStartupGracePeriod ?? Math.max(defaults.nodeStartupGracePeriodMs, flags.nodeMonitorGracePeriod ?? 0),
    nodeEvictionRate: flags.nodeEvictionRate ?? defaults.nodeEvictionRate,
    secondaryNodeEvictionRate: flags.secondaryNodeEvictionRate ?? defaults.secondaryNodeEvictionRate,
    unhealthyZoneThreshold: flags.unhealthyZoneThreshold ?? defaults.unhealthyZoneThreshold,
    largeClusterSizeThreshold: flags.largeClusterSizeThreshold ?? defaults.largeClusterSizeThreshold,
  };
  const wrong = checkNodeLifecycle(nodeLifecycle);
  if (wrong.length > 0) throw new UserError(wrong.join('\n  '), { exitCode: exitCodes.usage });
  const both = flags.podEvictionTimeout === undefined ? undefined : Math.ceil(flags.podEvictionTimeout / 1000);
  return {
    nodeLifecycle,
    admission: {
      notReadyTolerationSeconds:
        flags.defaultNotReadyTolerationSeconds ?? both ?? DEFAULT_ADMISSION.notReadyTolerationSeconds,
      unreachableTolerationSeconds:
        flags.defaultUnreachableTolerationSeconds ?? both ?? DEFAULT_ADMISSION.unreachableTolerationSeconds,
      taintNewNodes: true,
    },
    dashboard: flags.dashboard ?? DEFAULT_DASHBOARD,
    healing: flags.healingController ?? true,
    loadBalancers: flags.loadBalancerController ?? true,
    forceDetachOnTimeout: !(flags.disableForceDetachOnTimeout ?? false),
    ...((flags.localVolumes ?? true) && { localVolumeClass: flags.localVolumeClass ?? DEFAULT_LOCAL_CLASS }),
  };
}
