/** The node agent of `up`: a kubelet on the machine's own ports, speaking to the API server in memory. */
import type { ListenAddress } from '../cli/index.ts';
import { type Cgroups, createKubelet, DEFAULT_SETTINGS } from '../kubelet/index.ts';
import { openMachine } from '../kubelet/machine.node.ts';
import { createProbeTransport } from '../kubelet/probe-transport.node.ts';
import { createStreamDialer } from '../kubelet/stream-dialer.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import type { Clock, Connection, Logger, Random } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import type { Background } from './background.ts';
import { type KubeletFlags, withFlags } from './kubelet-flags.ts';
import type { MainContext } from './context.ts';
import type { ControlPlane } from './control-plane.ts';
import { type DataPaths, podLogsDir } from './data-dir-path.ts';
import type { NodeRuntime } from './node-runtime.ts';
import { kubernetesVersion } from './version.ts';

export interface NodeAgentOptions {
  readonly paths: DataPaths;
  readonly instanceId: string;
  readonly nodeName: string;
  readonly podCidr: string;
  /** Where pods reach the API server, if they can. */
  readonly apiServer: ListenAddress | undefined;
  readonly plane: ControlPlane;
  readonly runtime: NodeRuntime;
  readonly cgroups: Cgroups;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly background: Background;
  readonly flags: KubeletFlags;
  readonly context: MainContext;
}

/** Upstream's default. */
const MAX_PODS = 110;

/** Starts it. @returns the way to its own API, for logs, exec and metrics */
export function startNodeAgent(options: NodeAgentOptions): Connection {
  const { paths, nodeName, plane, runtime, clock, random, logger, context, background } = options;
  const user = { name: `system:node:${nodeName}`, groups: ['system:nodes', 'system:authenticated'] };
  const kubelet = createKubelet(
    {
      clock,
      random: random.split('kubelet'),
      logger: logger.child({ component: 'kubelet' }),
      fs: systemFileSystem,
      process: systemProcess,
      runtime: runtime.runtime,
      images: runtime.images,
      client: plane.client(user, 'kubelet'),
      cgroups: options.cgroups,
      machine: openMachine({
        rootDir: paths.agent,
        imageDir: paths.containerd,
        runtimePid: () => runtime.own?.pid(),
      }),
      probeTransport: createProbeTransport({ clock }),
      streams: createStreamDialer({ clock }),
    },
    {
      nodeName,
      instanceId: options.instanceId,
      rootDir: paths.agent,
      podLogsDir: podLogsDir(context, paths.dir),
      podCidr: options.podCidr,
      ...(options.apiServer && { apiServer: options.apiServer }),
      maxPods: MAX_PODS,
      version: kubernetesVersion,
      sharedRuntime: runtime.own === undefined,
      clusterDns: [],
      clusterDomain: 'cluster.local',
      settings: withFlags(DEFAULT_SETTINGS, options.flags),
    },
  );
  background.start('node agent', (signal) => kubelet.run(signal));
  return kubelet.connection;
}
