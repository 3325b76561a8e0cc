/** `mendlet agent`: joins, takes its part of the pods' network, and runs the node's half until it is told to end. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { type AgentFlags, type ListenAddress, parsePodCidr } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import { type KubeletSettings, type Machine, type MachineFacts, newNode } from '../kubelet/index.ts';
import { openMachine } from '../kubelet/machine.node.ts';
import { systemClock } from '../lib/clock.node.ts';
import { errorMessage, formatTime } from '../lib/index.ts';
import { createLogger } from '../lib/logger.node.ts';
import { systemRandom } from '../lib/random.node.ts';
import { firstAddressOf, isLoopback } from './addresses.ts';
import { startAgentHalf } from './agent-half.ts';
import type { MainContext } from './context.ts';
import { type DataDir, openDataDir } from './data-dir.node.ts';
import { defaultDataDir } from './data-dir-path.ts';
import { type Ground, layGround } from './ground.ts';
import { checkArchives } from './inputs.node.ts';
import { keepAddress, readServerPair } from './join/credentials.node.ts';
import { joinCluster } from './join/join-cluster.ts';
import { keepCertificates, selfSigned } from './join/node-certificates.ts';
import { INSTANCE_ANNOTATION } from './join/node-name.ts';
import { registerForNetwork } from './join/register-node.ts';
import { ServerWay } from './join/server-way.ts';
import { type KubeletEdge, kubeletListenFlag, startKubeletEdge } from './kubelet-edge.ts';
import { withFlags } from './kubelet-flags.ts';
import { readSettings } from './kubelet-settings.node.ts';
import { machineAt, type MachineNames } from './node-agent.ts';
import { type NodeRuntime, refuseSilentRuntime } from './node-runtime.ts';
import { refuseTakenPort } from './taken-port.node.ts';
import { untilReady } from './until-ready.ts';
import { aborted } from './until-aborted.ts';
import { setUpMachine } from './up.ts';
import { nodeNameOf, readRecord, refuseChange, refuseOtherRole, runtimeOf, type UpRecord } from './up-record.node.ts';
import { podsLeft, sayPodsLeft } from './pods-left.ts';
import { UserError } from './user-error.ts';

/** As upstream's kubelet: others must reach it. */
const DEFAULT_KUBELET_LISTEN: ListenAddress = { host: '0.0.0.0', port: 10_250 };

/** A server that is away must not delay the pods' care for long. */
const VERSION_TIMEOUT_MS = 3000;

interface Run {
  readonly options: AgentFlags;
  readonly settings: KubeletSettings;
  readonly imageArchives: readonly string[];
  readonly dataDir: DataDir;
  readonly context: MainContext;
  readonly say: (text: string) => void;
}

/** @throws UserError for everything that the user can change; resolves when it was told to end */
export async function agent(options: AgentFlags, context: MainContext): Promise<void> {
  const imageArchives = checkArchives(options.imageArchive);
  const say = (text: string): void => context.err(`mendlet: ${text}\n`);
  const settings = readSettings(options.kubeletConfig, say);
  const holder = { pid: context.pid, verb: 'agent', since: formatTime(systemClock.now().wall) };
  const folder = options.dataDir ?? defaultDataDir(context.user);
  // A taken address must not leave a new folder behind.
  if (!existsSync(folder)) {
    if (options.kubeletListen !== undefined) await refuseTakenPort(options.kubeletListen, kubeletListenFlag);
    if (options.runtime.kind === 'socket') await refuseSilentRuntime(options.runtime.path);
  }
  const dataDir = openDataDir(folder, { holder, random: systemRandom });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => dataDir.release());
  if (dataDir.migratedFrom !== undefined)
    say(`the data folder was migrated; as it was is kept in ${dataDir.migratedFrom}`);
  try {
    await serve({ options, settings, imageArchives, dataDir, context, say }, stack);
  } catch (error) {
    // Told to end while it waited.
    if (!context.stop.aborted || error instanceof UserError) throw error;
    say('ending before the node was ready');
  }
}

async function serve(run: Run, stack: AsyncDisposableStack): Promise<void> {
  const { options, dataDir, context, say } = run;
  const { paths, instanceId } = dataDir;
  const self = await knowSelf(run);
  const credentials = await joinCluster({
    clock: systemClock,
    say,
    signal: context.stop,
    given: options,
    paths,
    me: { nodeName: self.nodeName, instanceId, machineId: self.facts.machineId },
    inUse: self.last?.inUse === true,
  });
  await setUpMachine({ runtime: options.runtime, demo: false }, context, say);
  context.stop.throwIfAborted();
  const way = new ServerWay(credentials);
  const ground = layGround(createLogger({ format: options.logFormat }));
  const { background } = ground;
  stack.defer(() => way.close());
  stack.defer(() => background.end());
  const runtime = await startNode(ground, run, self, way, stack);
  try {
    await Promise.race([background.failed, untilReady(way.client('agent'), self.nodeName, say, context.stop)]);
    context.out(`mendlet agent ready: node ${self.nodeName} joined ${credentials.server}\n`);
    await keepAddress(paths, credentials);
    await Promise.race([background.failed, aborted(context.stop)]);
  } catch (error) {
    if (!context.stop.aborted) throw error;
  }
  await sayGoodbye(run, runtime);
}

/** What is known before the server is asked. */
interface Self {
  readonly nodeName: string;
  /** What the user calls the machine. */
  readonly as: MachineNames;
  readonly machine: Machine;
  readonly facts: MachineFacts;
  /** As it was started last. */
  readonly last: UpRecord | undefined;
}

async function knowSelf({ options, dataDir }: Run): Promise<Self> {
  const { paths } = dataDir;
  const last = readRecord(paths);
  refuseOtherRole(paths, last, 'agent');
  const nodeName = options.nodeName ?? last?.nodeName ?? nodeNameOf(hostname());
  // As upstream's --hostname-override: a node's name is also its host name.
  const as = { hostname: nodeName, ...(options.nodeIp !== undefined && { nodeIp: options.nodeIp }) };
  const machine = machineAt(openMachine({ rootDir: paths.agent, imageDir: paths.containerd }), as);
  return { nodeName, as, machine, facts: await machine.facts(), last };
}

/** The node's half, with its port and its certificates. */
async function startNode(
  ground: Ground,
  run: Run,
  { nodeName, as, machine, facts, last }: Self,
  way: ServerWay,
  stack: AsyncDisposableStack,
): Promise<NodeRuntime> {
  const { options, settings, imageArchives, dataDir, say, context } = run;
  const { paths, instanceId } = dataDir;
  const registration = {
    labels: options.nodeLabels,
    annotations: { [INSTANCE_ANNOTATION]: instanceId },
    taints: options.registerWithTaints,
  };
  const podCidr = await networkOf(run, { client: way.client('join'), facts, nodeName, registration, last });
  const ours = await isOurServer(way, last, context.stop);
  const next: UpRecord = {
    role: 'agent',
    nodeName,
    podCidr,
    runtime: runtimeOf(options.runtime),
    ...(ours !== undefined && { ours }),
    inUse: true,
  };
  refuseChange(paths, last, next);
  const edge = await startEdge(ground, run, nodeName, way, stack);
  const gateway = podCidr === '' ? '' : firstAddressOf(parsePodCidr(podCidr));
  const { server } = way.credentials;
  const { runtime } = await startAgentHalf(
    ground,
    {
      dataDir,
      node: { nodeName, podCidr, gateway, as, registration },
      settings: {
        runtime: options.runtime,
        imageArchives,
        kubelet: withFlags(settings, options),
        services: { isRouted: isOn(options.serviceProxy, ours), areOurs: ours === true, cidr: undefined },
        clusterDns: isOn(options.clusterDns, ours),
        // A foreign cluster has nobody who asks for them, unless its administrator says so.
        kubeletDir: options.kubeletDir ?? true,
        volumesDir: options.volumesDir ?? (ours === true ? true : undefined),
      },
      records: { next, last },
      server: {
        client: way.client('kubelet'),
        routesClient: way.client('routes'),
        addressForPods: async () => serverForPods(server),
      },
      edge,
      say,
      context,
    },
    stack,
  );
  const { background } = ground;
  const logger = ground.logger.child({ component: 'certificates' });
  keepCertificates({ way, edge, paths, settings, nodeName, machine, background, logger });
  return runtime;
}

/** A foreign cluster has its own proxy and its own DNS. */
function isOn(flag: 'on' | 'off' | undefined, isOurs: boolean | undefined): boolean {
  return flag === undefined ? isOurs === true : flag === 'on';
}

/** Whether it is mendlet's; while it is away, as the last start found it. undefined: not known. */
async function isOurServer(
  way: ServerWay,
  last: UpRecord | undefined,
  stop: AbortSignal,
): Promise<boolean | undefined> {
  try {
    return await way.isOurs(AbortSignal.any([stop, AbortSignal.timeout(VERSION_TIMEOUT_MS)]));
  } catch {
    return last?.ours;
  }
}

async function startEdge(
  { clock, logger }: Ground,
  { options, dataDir }: Run,
  nodeName: string,
  way: ServerWay,
  stack: AsyncDisposableStack,
): Promise<KubeletEdge> {
  const stranger = await selfSigned(nodeName);
  return startKubeletEdge(
    {
      clock,
      listen: options.kubeletListen,
      usual: DEFAULT_KUBELET_LISTEN,
      nodeName,
      certificate: readServerPair(dataDir.paths) ?? stranger,
      // No authority, if the server's is not known: then only tokens are accepted.
      authorityPem: way.credentials.authorityPem ?? stranger.certificatePem,
      client: way.client('kubelet-server'),
      logger: logger.child({ component: 'kubelet-edge' }),
    },
    stack,
  );
}

/** This node's part of the pods' network: the one that its pods have, the one that the user gave, or one from the server. */
async function networkOf(
  { options, context, say }: Run,
  known: {
    readonly client: KubeClient;
    readonly facts: MachineFacts;
    readonly nodeName: string;
    readonly registration: Parameters<typeof newNode>[0]['registration'];
    readonly last: UpRecord | undefined;
  },
): Promise<string> {
  const { client, facts, nodeName, registration, last } = known;
  if (options.podCidr !== undefined) return options.podCidr.text;
  // Pods that run have their addresses, also while the server is away.
  if (last?.inUse === true) return last.podCidr;
  // The network of a given runtime belongs to that runtime.
  if (options.runtime.kind === 'socket') return '';
  const wanted = newNode({ nodeName, podCidr: '', ...(registration && { registration }) }, facts);
  return registerForNetwork(client, wanted, { clock: systemClock, say, signal: context.stop });
}

/** Pods reach the server as this machine does, unless it is this machine's own loopback. */
function serverForPods(server: string): ListenAddress | undefined {
  const url = new URL(server);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isLoopback({ host }) ? undefined : { host, port: Number(url.port === '' ? 443 : url.port) };
}

/** The pods live on: say so, or it looks as if they were lost. */
async function sayGoodbye({ context, dataDir, say }: Run, { runtime }: NodeRuntime): Promise<void> {
  try {
    const left = await podsLeft(runtime, dataDir.instanceId);
    const program = context.checkout === undefined ? 'mendlet' : './mendlet';
    const folder = dataDir.paths.dir === defaultDataDir(context.user) ? '' : ` --data-dir ${dataDir.paths.dir}`;
    say(sayPodsLeft(left, `${program} agent${folder}`, `${program} down${folder}`));
  } catch (error) {
    say(`ending; the pods cannot be counted: ${errorMessage(error)}`);
  }
}
