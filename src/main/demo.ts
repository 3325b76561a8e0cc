/** `mendlet up --demo`: a host of its own in a temporary folder, with pods that fail; removes everything at its end. */
import { freeNetwork, NetworkInUseError } from '../network/index.ts';
import { createWriteStream, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cidr, defaultListen, type UpFlags } from '../cli/index.ts';
import { formatTime, type Logger } from '../lib/index.ts';
import { systemClock } from '../lib/clock.node.ts';
import { createLogger } from '../lib/logger.node.ts';
import { systemRandom } from '../lib/random.node.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import type { MainContext } from './context.ts';
import { type DataDir, openDataDir, openExistingDataDir } from './data-dir.node.ts';
import { demoImage } from './demo/demo-pods.ts';
import { runDemo } from './demo/run-demo.ts';
import { purge, removePods } from './down.ts';
import { type Host, startHost } from './host.ts';
import { defaultKubeletListen } from './kubelet-edge.ts';
import { withFlags } from './kubelet-flags.ts';
import type { SetUpResult } from './set-up/set-up.node.ts';
import type { KubeletSettings } from '../kubelet/index.ts';
import { UserError } from './user-error.ts';
import { servicesOf } from './service-flags.ts';

export interface DemoRun {
  readonly options: UpFlags;
  readonly settings: KubeletSettings;
  readonly cluster: ClusterSettings;
  readonly context: MainContext;
  readonly say: (text: string) => void;
  readonly setUp: SetUpResult;
  readonly imageArchives: readonly string[];
}

const FOLDER_PREFIX = 'mendlet-demo-';
const LOG_TAIL_LINES = 20;
/** Networks tried before the reason is shown. */
const MAX_NETWORKS = 5;

/** @throws UserError; the demo's folder and pods are removed in any case */
export async function demo(run: DemoRun): Promise<void> {
  const { options, context, say } = run;
  if (options.runtime.kind === 'socket') throw new UserError('--demo brings its own containerd: leave out --runtime');
  await removeOldDemos(context, say);
  const dataDir = openDataDir(mkdtempSync(join(tmpdir(), FOLDER_PREFIX)), {
    holder: holder(context),
    random: systemRandom,
  });
  const log = demoLogger(options, context, dataDir);
  let summary: string | undefined;
  try {
    summary = await showSomewhere(run, dataDir, log.logger);
  } catch (error) {
    if (!(error instanceof UserError)) log.tell();
    throw error;
  } finally {
    say('removing the demo: pods, network, containerd and folder');
    await removePods(dataDir, log.logger, context);
    await purge(dataDir, context);
    dataDir.release();
  }
  context.out(`${summary}\n`);
}

/** A network that was free when it was looked up may be taken a moment later, by another demo for instance. */
async function showSomewhere(run: DemoRun, dataDir: DataDir, logger: Logger): Promise<string> {
  const given = run.options.podCidr;
  for (let tries = 1; ; tries++) {
    const podCidr = given ?? freeNetwork(readFileSync('/proc/net/route', 'utf8'));
    try {
      return await showDemo(run, podCidr, dataDir, logger);
    } catch (error) {
      const taken = error instanceof UserError && error.cause instanceof NetworkInUseError;
      if (!taken || given !== undefined || tries === MAX_NETWORKS) throw error;
      run.say(`${podCidr.text} has been taken meanwhile; trying another network`);
    }
  }
}

async function showDemo(
  { options, settings, cluster, context, say, setUp, imageArchives }: DemoRun,
  podCidr: Cidr,
  dataDir: DataDir,
  logger: Logger,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const { nodeName, runtime } = options;
  // Another mendlet may have the usual port; the demo needs no certain one.
  const listen = options.listen ?? { ...defaultListen, port: 0 };
  const kubeletListen = options.kubeletListen ?? { ...defaultKubeletListen, port: 0 };
  const node = {
    nodeName,
    podCidr,
    kubeletListen,
    runtime,
    imageArchives,
    kubelet: withFlags(settings, options),
    services: servicesOf(options),
    clusterDns: options.clusterDns !== 'off',
    volumesDir: options.volumesDir ?? (true as const),
    kubeletDir: options.kubeletDir,
  };
  const host: Host = await startHost({ dataDir, listen, cluster, node, logger, say, context }, stack);
  say('building the image of the demo');
  await host.runtime.own?.importer.ensureBusybox(demoImage, setUp.busybox);
  try {
    await Promise.race([host.failed, host.ready(context.stop)]);
  } catch (error) {
    if (context.stop.aborted) return 'ended before it began';
    throw error;
  }
  const end = endSignal(options, context);
  const { kubeconfig } = dataDir.paths;
  context.out(`mendlet ready: kubeconfig ${kubeconfig}\n`);
  return await Promise.race([
    host.failed,
    runDemo(
      {
        client: host.client,
        clock: systemClock,
        random: systemRandom,
        logger,
        runtime: host.runtime.name,
        kubeconfig,
        stage: {
          terminal: context.screen,
          color: context.user.env['NO_COLOR'] === undefined || context.user.env['NO_COLOR'] === '',
          out: context.out,
        },
      },
      end,
    ),
  ]);
}

function endSignal({ demoSeconds }: UpFlags, { stop }: MainContext): AbortSignal {
  return demoSeconds === undefined ? stop : AbortSignal.any([stop, AbortSignal.timeout(demoSeconds * 1000)]);
}

function holder(context: MainContext) {
  return { pid: context.pid, verb: 'up --demo', since: formatTime(systemClock.now().wall) };
}

/** The picture has the terminal for itself: logs go to a file meanwhile. */
function demoLogger(
  options: UpFlags,
  context: MainContext,
  dataDir: DataDir,
): { readonly logger: Logger; tell(): void } {
  if (context.screen === undefined) {
    return { logger: createLogger({ format: options.logFormat, level: 'warn' }), tell: () => {} };
  }
  const file = join(dataDir.paths.dir, 'mendlet.log');
  const stream = createWriteStream(file, { mode: 0o600 });
  const tell = (): void => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    context.err(`${lines.slice(-LOG_TAIL_LINES).join('\n')}\n`);
  };
  return { logger: createLogger({ format: options.logFormat, write: (line) => void stream.write(line) }), tell };
}

/** Demos that were killed left things behind; those that run hold their lock. */
async function removeOldDemos(context: MainContext, say: (text: string) => void): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
    try {
      const old = openExistingDataDir(join(tmpdir(), name), { holder: holder(context), random: systemRandom });
      if (old === undefined) continue;
      say(`removing what an earlier demo left in ${old.paths.dir}`);
      await removePods(old, createLogger({ format: 'text', level: 'warn' }), context);
      await purge(old, context);
      old.release();
    } catch (error) {
      // In use by a demo that runs, or nothing of ours: not the business of this one.
      if (!(error instanceof UserError)) throw error;
    }
  }
}
