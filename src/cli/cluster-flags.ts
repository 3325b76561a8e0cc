/** The flags of a control plane, which `server` and `up` share: when a node counts as lost, and what happens to its pods. */
import { type Command, Option } from 'commander';
import { valueOf } from './flag-parser.ts';
import { parseCount, parseDuration, parseRate, parseShare, parseSwitch } from './node-values.ts';
import { UsageError } from './usage-error.ts';

export interface ClusterFlags {
  /** ms */
  readonly nodeMonitorGracePeriod?: number;
  /** ms */
  readonly nodeStartupGracePeriod?: number;
  /** Nodes per second. */
  readonly nodeEvictionRate?: number;
  readonly secondaryNodeEvictionRate?: number;
  /** 0 to 1 */
  readonly unhealthyZoneThreshold?: number;
  readonly largeClusterSizeThreshold?: number;
  /** Sets both tolerations below. ms */
  readonly podEvictionTimeout?: number;
  readonly defaultNotReadyTolerationSeconds?: number;
  readonly defaultUnreachableTolerationSeconds?: number;
  /** Absent: true. */
  readonly healingController?: boolean;
}

export function addClusterFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--node-monitor-grace-period <TIME>',
        'time without a heartbeat after which a node counts as lost (default: 50s)',
      ).argParser(valueOf(parseDuration)),
    )
    .addOption(
      new Option(
        '--node-startup-grace-period <TIME>',
        'the same for a node that has never sent a heartbeat (default: 60s)',
      ).argParser(valueOf(parseDuration)),
    )
    .addOption(
      new Option(
        '--node-eviction-rate <RATE>',
        'lost nodes per second and zone whose pods are evicted (default: 0.1)',
      ).argParser(valueOf(parseRate)),
    )
    .addOption(
      new Option(
        '--secondary-node-eviction-rate <RATE>',
        'the same in a large zone that is unhealthy (default: 0.01)',
      ).argParser(valueOf(parseRate)),
    )
    .addOption(
      new Option(
        '--unhealthy-zone-threshold <SHARE>',
        'share of lost nodes from which a zone is unhealthy (default: 0.55)',
      ).argParser(valueOf(parseShare)),
    )
    .addOption(
      new Option(
        '--large-cluster-size-threshold <N>',
        'zones with more nodes than this are large (default: 50)',
      ).argParser(valueOf(parseCount)),
    )
    .addOption(
      new Option(
        '--default-not-ready-toleration-seconds <N>',
        'seconds that pods without such a toleration stay on a node that is not ready (default: 300)',
      ).argParser(valueOf(parseCount)),
    )
    .addOption(
      new Option(
        '--default-unreachable-toleration-seconds <N>',
        'the same on a node that is unreachable (default: 300)',
      ).argParser(valueOf(parseCount)),
    )
    .addOption(
      new Option(
        '--pod-eviction-timeout <TIME>',
        'sets both default tolerations (the name of older clusters)',
      ).argParser(valueOf(parseDuration)),
    )
    .addOption(
      new Option(
        '--healing-controller <true|false>',
        'run the healing controllers here; false leaves them to a "mendlet healer" (default: true)',
      ).argParser(valueOf(parseSwitch)),
    );
}

/** Checks flags against each other. @throws UsageError */
export function checkClusterFlags(flags: ClusterFlags): void {
  const { podEvictionTimeout, defaultNotReadyTolerationSeconds, defaultUnreachableTolerationSeconds } = flags;
  if (podEvictionTimeout === undefined) return;
  if ((defaultNotReadyTolerationSeconds ?? defaultUnreachableTolerationSeconds) !== undefined) {
    throw new UsageError('--pod-eviction-timeout sets both default tolerations: leave out one or the other.');
  }
}
