/** `mendlet healer`: the healing controllers alone, beside any API server. */
import { hostname } from 'node:os';
import { HEALING_POLICIES, NODES, POD_RESTARTS, StatusError } from '../api/index.ts';
import type { HealerFlags } from '../cli/index.ts';
import { createHttpConnection } from '../client/http-connection.node.ts';
import {
  createKubeClient,
  isInCluster,
  KubeconfigError,
  type KubeClient,
  NodeTokens,
  readInCluster,
  readKubeconfig,
  type ServerAccess,
  withFreshToken,
} from '../client/index.ts';
import { type LocalVolumesSettings, runHealer } from '../controllers/index.ts';
import { createHttpNoticeSender } from '../controllers/notifications/http-notice-sender.node.ts';
import { systemClock } from '../lib/clock.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import {
  type Connection,
  ConnectionError,
  createMetrics,
  decodeText,
  errorMessage,
  type Logger,
  registerProcessMetrics,
} from '../lib/index.ts';
import { createLogger } from '../lib/logger.node.ts';
import { ownProcessUsage } from '../lib/own-process.node.ts';
import { systemRandom } from '../lib/random.node.ts';
import { refusals } from '../scheduler/index.ts';
import { Background } from './background.ts';
import type { MainContext } from './context.ts';
import { startHealthServer } from './health-server.node.ts';
import { RemoteNodes } from './remote-nodes.node.ts';
import { readServerVersion } from './server-version.ts';
import { aborted } from './until-aborted.ts';
import { UserError } from './user-error.ts';
import { mendletVersion } from './version.ts';
import { kubeconfigOf } from './with-cluster.ts';

/** Between two looks for a server that is not there yet, or does not know our kinds. */
const LOOK_AGAIN_MS = 3000;

/** @throws UserError for everything that the user can change; resolves when it was told to end */
export async function healer(options: HealerFlags, context: MainContext): Promise<void> {
  const access = await accessOf(options, context);
  const logger = createLogger({ format: options.logFormat });
  await using stack = new AsyncDisposableStack();
  const say = (text: string): void => context.err(`mendlet: ${text}\n`);
  const connection = open(access, logger, stack);
  const client = createKubeClient(connection, { clock: systemClock, userAgent: `mendlet-healer/${mendletVersion}` });
  const metrics = createMetrics();
  registerProcessMetrics(metrics, ownProcessUsage);
  let waitsFor: string | undefined = `waits for ${access.server}`;
  const health = await startHealthServer({ listen: options.listen, metrics, notReady: () => waitsFor });
  stack.defer(() => health.close());
  const version = await untilServed({ client, connection, server: access.server }, context.stop, (why) => {
    if (waitsFor !== why) say(why);
    waitsFor = why;
  });
  if (version === undefined) return;
  waitsFor = undefined;
  const localVolumes = options.localVolumes ? await localVolumesOf(options, { access, client }, stack) : undefined;
  const foreignServer = !version.includes('+mendlet');
  if (!foreignServer)
    say('the server is mendlet’s: it heals by itself, unless it was started with --healing-controller=false');
  const background = new Background(logger);
  stack.defer(() => background.end());
  background.start('healing controllers', (signal) =>
    runHealer(
      {
        client,
        clock: systemClock,
        random: systemRandom.split('healer'),
        logger: logger.child({ component: 'healer' }),
        metrics,
      },
      {
        foreignServer,
        refusals,
        sendNotices: createHttpNoticeSender({
          allowed: options.notificationAllow ?? [],
          userAgent: `mendlet-healer/${mendletVersion}`,
        }),
        ...(localVolumes && { localVolumes }),
        ...(options.leaderElect ? { leaderElection: { identity: hostname() } } : {}),
      },
      signal,
    ),
  );
  context.out(`mendlet healer ready: ${access.server} (${version}), health and metrics on ${health.url}\n`);
  await Promise.race([background.failed, aborted(context.stop)]);
  say('ending; pods go on healing on their nodes');
}

/** The service account of `deploy/mendlet-local-volumes.yaml` that kubelets see. It is not the healer's own, and may do nothing else. */
const ACCOUNT = { namespace: 'kube-system', name: 'mendlet-local-volumes' };
const MAX_AUTHORITY_BYTES = 1024 * 1024;

/** The way to the kubelets. @throws UserError for a file that cannot be read */
async function localVolumesOf(
  { localVolumeClass: className, kubeletAuthority }: HealerFlags,
  { access, client }: { readonly access: ServerAccess; readonly client: KubeClient },
  stack: AsyncDisposableStack,
): Promise<LocalVolumesSettings> {
  const authorityPem = kubeletAuthority === undefined ? access.authorityPem : await readAuthority(kubeletAuthority);
  if (authorityPem === undefined)
    throw new UserError('the kubeconfig names no authority: give that of the agents with --kubelet-authority FILE');
  const nodes = new RemoteNodes({
    clock: systemClock,
    authorityPem,
    tokens: new NodeTokens({ client, clock: systemClock, account: ACCOUNT }),
    nodeOf: (name, signal) => client.get(NODES, undefined, name, signal),
  });
  stack.defer(() => nodes.close());
  return { className, connectionOf: (name) => nodes.connection(name) };
}

async function readAuthority(path: string): Promise<string> {
  try {
    return decodeText(await systemFileSystem.readFile(path, { maxBytes: MAX_AUTHORITY_BYTES }));
  } catch (error) {
    throw new UserError(`--kubelet-authority ${path} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

/** @throws UserError */
async function accessOf(options: HealerFlags, context: MainContext): Promise<ServerAccess> {
  const { kubeconfig, context: contextName } = options;
  const named = contextName === undefined ? {} : { context: contextName };
  try {
    if (kubeconfig === undefined && isInCluster(context.user)) {
      return await readInCluster({ env: context.user.env, fs: systemFileSystem });
    }
    const path = kubeconfigOf(kubeconfig === undefined ? {} : { kubeconfig }, context);
    return await readKubeconfig({ path, fs: systemFileSystem, ...named });
  } catch (error) {
    throw error instanceof KubeconfigError ? new UserError(error.message, { cause: error }) : error;
  }
}

function open(access: ServerAccess, logger: Logger, stack: AsyncDisposableStack): Connection {
  const { tokenPath, ...way } = access;
  const connection = createHttpConnection({ ...way, clock: systemClock });
  stack.defer(() => connection.close());
  if (tokenPath === undefined) return connection;
  const read = async (): Promise<string> =>
    decodeText(await systemFileSystem.readFile(tokenPath, { maxBytes: 65_536 })).trim();
  return withFreshToken(connection, { read, clock: systemClock, logger });
}

interface Served {
  readonly client: KubeClient;
  readonly connection: Connection;
  readonly server: string;
}

/** The server's version, once it answers and knows our kinds; undefined when we were told to end before. */
async function untilServed(
  { client, connection, server }: Served,
  stop: AbortSignal,
  tell: (why: string) => void,
): Promise<string | undefined> {
  while (!stop.aborted) {
    try {
      const version = await readServerVersion(connection, stop);
      await client.list(POD_RESTARTS, { limit: 1 }, stop);
      await client.list(HEALING_POLICIES, { limit: 1 }, stop);
      return version;
    } catch (error) {
      if (!stop.aborted) tell(whyNot(error, server));
    }
    await systemClock.sleep(LOOK_AGAIN_MS, stop).catch(() => {});
  }
  return undefined;
}

/** Missing kinds or rights may still come: nothing of this ends us. */
function whyNot(error: unknown, server: string): string {
  if (error instanceof ConnectionError) return `waits for ${server}, which does not answer (${errorMessage(error)})`;
  if (!(error instanceof StatusError)) throw error;
  if (error.code === 404) {
    return `waits for ${server} to know group mendlet.dev: "kubectl apply -f deploy/crds.yaml" tells it`;
  }
  return `waits for ${server}, which refuses us: ${error.message}`;
}
