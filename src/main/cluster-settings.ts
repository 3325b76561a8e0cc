/** Turns the flags about lost nodes into settings of controllers and admission. Pure. */
import { type AdmissionSettings, DEFAULT_ADMISSION } from '../apiserver/index.ts';
import { type ClusterFlags, exitCodes } from '../cli/index.ts';
import { checkNodeLifecycle, DEFAULT_NODE_LIFECYCLE, type NodeLifecycleSettings } from '../controllers/index.ts';
import { UserError } from './user-error.ts';

export interface ClusterSettings {
  readonly nodeLifecycle: NodeLifecycleSettings;
  readonly admission: AdmissionSettings;
  /** Whether the healing controllers run in this process. */
  readonly healing: boolean;
}

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
    healing: flags.healingController ?? true,
  };
}
