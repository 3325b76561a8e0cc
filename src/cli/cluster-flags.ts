/** The flags of a control plane, which `server` and `up` share: when a node counts as lost, and what happens to its pods. */
import { type Command, Option } from 'commander';
import { checkDns1123Subdomain } from '../api/index.ts';
import { valueOf } from './flag-parser.ts';
import { type ListenAddress, parseListen } from './flag-values.ts';
import { parseCount, parseDuration, parseRate, parseShare, parseSwitch } from './node-values.ts';
import { UsageError } from './usage-error.ts';

/** `--dashboard` */
export type DashboardListen = ListenAddress | 'off';

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
  /** Absent: true. */
  readonly loadBalancerController?: boolean;
  /** Absent: false. */
  readonly disableForceDetachOnTimeout?: boolean;
  /** Where the live page is served; absent: on loopback, on a port of its own. */
  readonly dashboard?: DashboardListen;
  /** Absent: true. */
  readonly localVolumes?: boolean;
  /** Name of the StorageClass. */
  readonly localVolumeClass?: string;
}

export function addClusterFlags(command: Command): Command {
  return addControllerFlags(addNodeLossFlags(command));
}

function addNodeLossFlags(command: Command): Command {
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
    );
}

function addControllerFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--dashboard <HOST:PORT|off>',
        'where the live page is served (default: 127.0.0.1, on a port of its own); beyond loopback it is served with TLS',
      ).argParser(valueOf(parseDashboard)),
    )
    .addOption(
      new Option(
        '--healing-controller <true|false>',
        'run the healing controllers here; false leaves them to a "mendlet healer" (default: true)',
      ).argParser(valueOf(parseSwitch)),
    )
    .addOption(
      new Option(
        '--load-balancer-controller <true|false>',
        'give LoadBalancer services the addresses of the nodes; false leaves them to another controller (default: true)',
      ).argParser(valueOf(parseSwitch)),
    )
    .addOption(
      new Option(
        '--disable-force-detach-on-timeout <true|false>',
        'never detach volumes from a node that is not heard, unless it is tainted as out of service (default: false)',
      ).argParser(valueOf(parseSwitch)),
    )
    .addOption(
      new Option(
        '--local-volumes <true|false>',
        'make the volumes of claims as folders of nodes, and a StorageClass for them (default: true)',
      ).argParser(valueOf(parseSwitch)),
    )
    .addOption(
      new Option(
        '--local-volume-class <NAME>',
        'name of that StorageClass, which is the default unless another one is (default: mendlet-local)',
      ).argParser(valueOf(parseClassName)),
    );
}

/** @throws UsageError */
function parseDashboard(text: string): DashboardListen {
  return text === 'off' ? 'off' : parseListen(text);
}

/** @throws UsageError */
export function parseClassName(text: string): string {
  const [problem] = checkDns1123Subdomain(text);
  if (problem !== undefined) throw new UsageError(`not a name of a StorageClass: ${problem}`);
  return text;
}

/** Checks flags against each other. @throws UsageError */
export function checkClusterFlags(flags: ClusterFlags): void {
  if (flags.localVolumes === false && flags.localVolumeClass !== undefined)
    throw new UsageError('--local-volume-class names the class of --local-volumes, which is false.');
  const { podEvictionTimeout, defaultNotReadyTolerationSeconds, defaultUnreachableTolerationSeconds } = flags;
  if (podEvictionTimeout === undefined) return;
  if ((defaultNotReadyTolerationSeconds ?? defaultUnreachableTolerationSeconds) !== undefined) {
    throw new UsageError('--pod-eviction-timeout sets both default tolerations: leave out one or the other.');
  }
}
