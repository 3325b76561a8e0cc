/** The node agent of `up` and `agent`: a kubelet on the machine's own ports. */
import type { ListenAddress } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import {
  type Cgroups,
  createKubelet,
  type KernelLog,
  type KubeletSettings,
  type Machine,
  type Registration,
} from '../kubelet/index.ts';
import { openKernelLog } from '../kubelet/kernel-log.node.ts';
import { openListeners } from '../kubelet/listeners.node.ts';
import { openMachine } from '../kubelet/machine.node.ts';
import { createProbeTransport } from '../kubelet/probe-transport.node.ts';
import { createStreamDialer } from '../kubelet/stream-dialer.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import {
  type Clock,
  type Connection,
  errorMessage,
  type Logger,
  type MetricsRegistry,
  type Random,
} from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import type { Background } from './background.ts';
import type { MainContext } from './context.ts';
import { type DataPaths, podLogsDir } from './data-dir-path.ts';
import type { NodeRuntime } from './node-runtime.ts';
import { kubernetesVersion } from './version.ts';

export interface NodeAgentOptions {
  readonly paths: DataPaths;
  readonly instanceId: string;
  readonly nodeName: string;
  readonly podCidr: string;
  /** The address at which pods reach the API server, if they can. */
  readonly apiServer: ListenAddress | undefined;
  /** As the node. */
  readonly client: KubeClient;
  /** The port of its own API. */
  readonly daemonPort: number;
  readonly runtime: NodeRuntime;
  readonly cgroups: Cgroups;
  /** Instead of the addresses that the machine has. */
  readonly nodeIp?: string;
  /** Instead of the machine's name: several nodes on one machine have one each. */
  readonly hostname?: string;
  readonly registration?: Registration;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly background: Background;
  readonly settings: KubeletSettings;
  /** Metrics of the port of its own API. */
  readonly metrics: MetricsRegistry;
  readonly context: MainContext;
}

/** Starts it. @returns the way to its own API, for logs, exec and metrics */
export function startNodeAgent(options: NodeAgentOptions): Connection {
  const { paths, nodeName, client, runtime, clock, random, logger, context, background, settings } = options;
  const kubelet = createKubelet(
    {
      clock,
      random: random.split('kubelet'),
      logger: logger.child({ component: 'kubelet' }),
      fs: systemFileSystem,
      process: systemProcess,
      runtime: runtime.runtime,
      images: runtime.images,
      client,
      cgroups: options.cgroups,
      machine: machineAt(
        openMachine({ rootDir: paths.agent, imageDir: paths.containerd, runtimePid: () => runtime.own?.pid() }),
        options,
      ),
      probeTransport: createProbeTransport({ clock }),
      streams: createStreamDialer({ clock }),
      ...kernelLogIfAny(logger),
      listeners: openListeners(),
      metrics: options.metrics,
    },
    {
      nodeName,
      instanceId: options.instanceId,
      rootDir: paths.agent,
      podLogsDir: podLogsDir(context, paths.dir),
      podCidr: options.podCidr,
      ...(options.apiServer && { apiServer: options.apiServer }),
      maxPods: settings.maxPods,
      daemonPort: options.daemonPort,
      ...(options.registration && { registration: options.registration }),
      version: kubernetesVersion,
      sharedRuntime: runtime.own === undefined,
      clusterDns: settings.clusterDns,
      clusterDomain: settings.clusterDomain,
      settings,
    },
  );
  background.start('node agent', (signal) => kubelet.run(signal));
  return kubelet.connection;
}

/** If it cannot be read, proofs of deaths for want of memory come from cgroups and the runtime alone. */
function kernelLogIfAny(logger: Logger): { readonly kernelLog?: KernelLog } {
  try {
    return { kernelLog: openKernelLog() };
  } catch (error) {
    logger.info('the kernel log cannot be read: it is no source for deaths', { error: errorMessage(error) });
    return {};
  }
}

/** The machine under the address and the name that its user gave it. */
export function machineAt<T extends Machine>(
  machine: T,
  as: { readonly nodeIp?: string; readonly hostname?: string },
): T {
  const { nodeIp, hostname } = as;
  return {
    ...machine,
    facts: async () => {
      const facts = await machine.facts();
      return {
        ...facts,
        ...(nodeIp !== undefined && { addresses: [nodeIp] }),
        ...(hostname !== undefined && { hostname }),
      };
    },
  };
}
