/** The node agent of `up` and `agent`: a kubelet on the machine's own ports. */
import type { ListenAddress } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import { grpcPlugins } from '../csi/grpc-plugins.node.ts';
import {
  type Cgroups,
  createKubelet,
  type KernelLog,
  type KubeletSettings,
  type Machine,
  type NodeServices,
  type PodHostPorts,
  type PodRouting,
  type Registration,
} from '../kubelet/index.ts';
import { openKernelLog } from '../kubelet/kernel-log.node.ts';
import { openHeldProcesses } from '../kubelet/held-processes.node.ts';
import { openListeners } from '../kubelet/listeners.node.ts';
import { openMachine } from '../kubelet/machine.node.ts';
import { openPathProbe } from '../kubelet/path-probe.node.ts';
import { createProbeTransport } from '../kubelet/probe-transport.node.ts';
import { createStreamDialer } from '../kubelet/stream-dialer.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { type Connection, errorMessage, type Logger } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import type { MainContext } from './context.ts';
import type { DataDir } from './data-dir.node.ts';
import { podLogsDir } from './data-dir-path.ts';
import type { Ground } from './ground.ts';
import type { KubeletEdge } from './kubelet-edge.ts';
import type { NodeRuntime } from './node-runtime.ts';
import { kubernetesVersion } from './version.ts';

/** What a user calls the machine, instead of what it says itself. */
export interface MachineNames {
  /** Instead of the addresses that the machine has. */
  readonly nodeIp?: string;
  /** Instead of the machine's name: several nodes on one machine have one each. */
  readonly hostname?: string;
}

/** The node that the machine is in the cluster. */
export interface LocalNode {
  readonly nodeName: string;
  /** The network of its pods; '': it is the runtime's own. */
  readonly podCidr: string;
  readonly as?: MachineNames;
  readonly registration?: Registration;
}

export interface NodeAgentOptions {
  readonly dataDir: DataDir;
  readonly node: LocalNode;
  readonly server: {
    /** As the node. */
    readonly client: KubeClient;
    /** The address at which pods reach it, if they can. */
    readonly address: ListenAddress | undefined;
    /** Whether pods reach it by its service, too; absent: nothing routes services here. */
    readonly serviceRouteWorks?: () => boolean;
  };
  /** The port of its own API, and the metrics of that. */
  readonly edge: Pick<KubeletEdge, 'port' | 'metrics'>;
  readonly runtime: NodeRuntime;
  /** The parts of the machine that were opened before. */
  readonly host: {
    readonly cgroups: Cgroups;
    /** Absent: mendlet does not route here. */
    readonly routing?: PodRouting;
    /** Absent: the runtime makes host ports. */
    readonly hostPorts?: PodHostPorts;
    readonly services: NodeServices;
  };
  readonly settings: KubeletSettings;
  readonly context: MainContext;
}

/** Starts it. @returns the way to its own API, for logs, exec and metrics */
export function startNodeAgent(ground: Ground, options: NodeAgentOptions): Connection {
  const { clock, random, logger, background } = ground;
  const { dataDir, node, server, edge, runtime, host, settings, context } = options;
  const { paths, instanceId } = dataDir;
  const kubelet = createKubelet(
    {
      clock,
      random: random.split('kubelet'),
      logger: logger.child({ component: 'kubelet' }),
      metrics: edge.metrics,
      client: server.client,
      cri: { runtime: runtime.runtime, images: runtime.images, plugins: grpcPlugins },
      host: {
        fs: systemFileSystem,
        process: systemProcess,
        cgroups: host.cgroups,
        machine: machineAt(
          openMachine({ rootDir: paths.agent, imageDir: paths.containerd, runtimePid: () => runtime.own?.pid() }),
          node.as ?? {},
        ),
        ...kernelLogIfAny(logger),
        listeners: openListeners(),
        held: openHeldProcesses(),
        pathProbe: openPathProbe({ process: systemProcess, fs: systemFileSystem }),
      },
      pods: {
        probeTransport: createProbeTransport({ clock }),
        streams: createStreamDialer({ clock }),
        ...(host.routing && { routing: host.routing }),
        ...(host.hostPorts && { hostPorts: host.hostPorts }),
        services: host.services,
      },
    },
    {
      nodeName: node.nodeName,
      instanceId,
      rootDir: paths.agent,
      podLogsDir: podLogsDir(context.user, paths.dir),
      node: {
        podCidr: node.podCidr,
        version: kubernetesVersion,
        daemonPort: edge.port,
        ...(node.registration && { registration: node.registration }),
      },
      ...(server.address && {
        apiServer: {
          ...server.address,
          ...(server.serviceRouteWorks && { serviceRouteWorks: server.serviceRouteWorks }),
        },
      }),
      sharedRuntime: runtime.own === undefined,
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
export function machineAt<T extends Machine>(machine: T, { nodeIp, hostname }: MachineNames): T {
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
