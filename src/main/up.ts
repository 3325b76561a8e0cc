/** `mendlet up`: set-up, data folder, host, manifests; then waits for its end. */
import { existsSync } from 'node:fs';
import { defaultListen, defaultPodCidr, DEFAULT_SERVICE_CIDR, type RuntimeChoice, type UpFlags } from '../cli/index.ts';
import { errorMessage, formatTime, type Logger } from '../lib/index.ts';
import { systemClock } from '../lib/clock.node.ts';
import { createLogger } from '../lib/logger.node.ts';
import { systemProcess } from '../lib/process.node.ts';
import { systemRandom } from '../lib/random.node.ts';
import { applyManifests } from './apply.ts';
import { type ClusterSettings, clusterSettings } from './cluster-settings.ts';
import type { MainContext } from './context.ts';
import { type DataDir, openDataDir } from './data-dir.node.ts';
import { defaultDataDir } from './data-dir-path.ts';
import { demo } from './demo.ts';
import { type Host, startHost } from './host.ts';
import { kubeletListenFlag } from './kubelet-edge.ts';
import { withFlags } from './kubelet-flags.ts';
import { readSettings } from './kubelet-settings.node.ts';
import type { KubeletSettings } from '../kubelet/index.ts';
import { checkArchives, readManifests } from './inputs.node.ts';
import type { ManifestObject } from './manifests.ts';
import { podsLeft, sayPodsLeft } from './pods-left.ts';
import { servicesOf } from './service-flags.ts';
import { type SetUpResult, setUpRuntime } from './set-up/set-up.node.ts';
import { refuseSilentRuntime } from './node-runtime.ts';
import { refuseTakenNetwork, refuseTakenServiceNetwork } from './taken-network.node.ts';
import { refuseTakenPort } from './taken-port.node.ts';
import { aborted } from './until-aborted.ts';
import { UserError } from './user-error.ts';

/** @throws UserError for everything that the user can change; resolves when it was told to end */
export async function up(options: UpFlags, context: MainContext): Promise<void> {
  const manifests = readManifests(options.filename);
  const imageArchives = checkArchives(options.imageArchive);
  const say = (text: string): void => context.err(`mendlet: ${text}\n`);
  const settings = readSettings(options.kubeletConfig, say);
  const cluster = clusterSettings(options);
  const setUp = await setUpMachine(options, context, say);
  if (context.stop.aborted) return;
  if (options.demo) await demo({ options, settings, cluster, context, say, setUp, imageArchives });
  else await serve({ options, settings, cluster, context, say, manifests, imageArchives });
}

/** @throws UserError when what is needed cannot be had */
export async function setUpMachine(
  options: Pick<UpFlags, 'runtime' | 'demo'>,
  context: MainContext,
  say: (text: string) => void,
): Promise<SetUpResult> {
  const { runtime, demo: isDemo } = options;
  if (runtime.kind === 'process') {
    throw new UserError('the process runtime is not there yet; leave --runtime out for a private containerd');
  }
  const { user, checkout } = context;
  return await setUpRuntime({
    process: systemProcess,
    say,
    checkout,
    uid: user.uid,
    path: user.env['PATH'],
    demo: isDemo,
    given: runtime.kind === 'socket',
    stop: context.stop,
  });
}

interface ServeOptions {
  readonly options: UpFlags;
  readonly settings: KubeletSettings;
  readonly cluster: ClusterSettings;
  readonly context: MainContext;
  readonly say: (text: string) => void;
  readonly manifests: readonly ManifestObject[];
  readonly imageArchives: readonly string[];
}

async function serve({
  options,
  settings,
  cluster,
  context,
  say,
  manifests,
  imageArchives,
}: ServeOptions): Promise<void> {
  const holder = { pid: context.pid, verb: 'up', since: formatTime(systemClock.now().wall) };
  const { listen = defaultListen, kubeletListen, nodeName, podCidr, runtime } = options;
  const folder = options.dataDir ?? defaultDataDir(context.user);
  // A taken address must not leave a new folder behind; if the folder is in use, too, that is the better message.
  if (!existsSync(folder)) {
    await refuseTakenPort(listen);
    if (kubeletListen !== undefined) await refuseTakenPort(kubeletListen, kubeletListenFlag);
    if (runtime.kind === 'socket') await refuseSilentRuntime(runtime.path);
    else await refuseTakenNetwork(podCidr ?? defaultPodCidr);
    const { isRouted, cidr = DEFAULT_SERVICE_CIDR.text } = servicesOf(options);
    if (isRouted) await refuseTakenServiceNetwork(cidr);
  }
  const dataDir = openDataDir(folder, { holder, random: systemRandom });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => dataDir.release());
  if (dataDir.migratedFrom !== undefined)
    say(`the data folder was migrated; as it was is kept in ${dataDir.migratedFrom}`);
  const logger = createLogger({ format: options.logFormat });
  const host = await startHost(
    {
      dataDir,
      listen,
      cluster,
      node: {
        nodeName,
        podCidr,
        kubeletListen,
        runtime,
        imageArchives,
        kubelet: withFlags(settings, options),
        services: servicesOf(options),
        clusterDns: options.clusterDns !== 'off',
        volumesDir: options.volumesDir ?? true,
        kubeletDir: options.kubeletDir ?? true,
      },
      logger,
      say,
      context,
    },
    stack,
  );
  try {
    await Promise.race([host.failed, bringUp(host, manifests, say, context.stop)]);
    context.out(`mendlet ready: kubeconfig ${dataDir.paths.kubeconfig}\n`);
    if (cluster.dashboard !== 'off') say(lookAt(dataDir, context));
    await Promise.race([host.failed, aborted(context.stop)]);
  } catch (error) {
    // Told to end before it was ready: pods may run nevertheless.
    if (!context.stop.aborted) throw error;
  }
  await sayGoodbye(host, dataDir, { context, say, logger, runtime });
}

async function bringUp(
  host: Host,
  manifests: readonly ManifestObject[],
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await applyManifests(host.client, systemClock, manifests, (object, how) =>
    say(`${object.row.singular}/${object.name} ${how}`),
  );
  await host.ready(signal);
}

/** The last word of a start: how to look at the pods. */
function lookAt({ paths }: DataDir, context: MainContext): string {
  const program = context.checkout === undefined ? 'mendlet' : './mendlet';
  const usual = paths.dir === defaultDataDir(context.user);
  return `look at all pods live: ${program} dashboard${usual ? '' : ` --kubeconfig ${paths.kubeconfig}`}`;
}

/** The pods live on: say so, or it looks as if they were lost. */
async function sayGoodbye(
  host: Host,
  { paths, instanceId }: DataDir,
  {
    context,
    say,
    logger,
    runtime,
  }: Pick<ServeOptions, 'context' | 'say'> & { readonly logger: Logger; readonly runtime: RuntimeChoice },
): Promise<void> {
  try {
    const left = await podsLeft(host.runtime.runtime, instanceId);
    const program = context.checkout === undefined ? 'mendlet' : './mendlet';
    const folder = paths.dir === defaultDataDir(context.user) ? '' : ` --data-dir ${paths.dir}`;
    const socket = runtime.kind === 'socket' ? ` --runtime unix://${runtime.path}` : '';
    say(sayPodsLeft(left, `${program} up${folder}${socket}`, `${program} down${folder}`));
  } catch (error) {
    logger.warn('the pods cannot be counted', { error: errorMessage(error) });
  }
}
