/** The RuntimeService and ImageService ports of one process: the simulated runtime, with delays and faults of calls. */
import {
  type CallOptions,
  type ImageService,
  type ListFilter,
  RuntimeError,
  type RuntimeEvent,
  type RuntimeService,
  type StringMap,
} from '../../cri/index.ts';
import { AsyncQueue, type Random } from '../../lib/index.ts';
import type { Life } from '../life.ts';
import { remoteCall } from '../remote-call.ts';
import type { Sim } from '../sim.ts';
import type { SimImages } from './sim-images.ts';
import { type RuntimeFaults, drawFate } from './runtime-faults.ts';
import type { SimRuntime } from './sim-runtime.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const EVENT_BUFFER = 10_000;

export interface RuntimeWiring {
  readonly sim: Sim;
  readonly life: Life;
  readonly runtime: SimRuntime;
  readonly images: SimImages;
  readonly faults: RuntimeFaults;
  readonly random: Random;
}

type Call = <T>(
  name: string,
  usualMs: number,
  options: CallOptions | undefined,
  effect: () => T | Promise<T>,
) => Promise<T>;

/** Makes calls that fail when the runtime is down, at their deadline, or when their signal is aborted. */
function createCall(wiring: RuntimeWiring): Call {
  const { sim, life, runtime, faults, random } = wiring;
  return (name, usualMs, options, effect) => {
    const label = `cri ${name} by ${life.name}`;
    const work = remoteCall(sim, life, label, drawFate(faults, random, usualMs), () => {
      if (runtime.down) throw new RuntimeError('Unavailable', 'connection refused');
      return effect();
    });
    return withTimeout(wiring, label, work, options);
  };
}

function withTimeout<T>(
  { sim, life, runtime }: RuntimeWiring,
  label: string,
  work: Promise<T>,
  options: CallOptions = {},
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const onAbort = (): void => reject(new RuntimeError('Cancelled', 'context canceled', { cause: signal?.reason }));
    const deadline = Number.isFinite(timeoutMs)
      ? sim.after(timeoutMs, `deadline ${label}`, () =>
          life.deliver(() => reject(new RuntimeError('DeadlineExceeded', 'context deadline exceeded'))),
        )
      : undefined;
    // The daemon died, so calls under way get no answer.
    const stopListening = runtime.onCut(() =>
      sim.after(1, `cut ${label}`, () =>
        life.deliver(() => reject(new RuntimeError('Unavailable', 'error reading from server: EOF'))),
      ),
    );
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    const end = (): void => {
      deadline?.cancel();
      stopListening();
      signal?.removeEventListener('abort', onAbort);
    };
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

function matches(
  filter: ListFilter | undefined,
  item: { readonly id: string; readonly labels: StringMap; readonly sandboxId?: string },
): boolean {
  if (filter === undefined) return true;
  if (filter.id !== undefined && filter.id !== item.id) return false;
  if (filter.sandboxId !== undefined && filter.sandboxId !== item.sandboxId) return false;
  return Object.entries(filter.labels ?? {}).every(([key, value]) => item.labels[key] === value);
}

function unimplemented(): Promise<never> {
  return Promise.reject(new RuntimeError('Unimplemented', 'not simulated'));
}

export function createSimRuntimeService(wiring: RuntimeWiring): RuntimeService {
  const { sim, life, runtime, images } = wiring;
  const call = createCall(wiring);
  return {
    version: (options) =>
      call('version', 1, options, () => ({ runtimeName: 'sim', runtimeVersion: '1.0.0', apiVersion: 'v1' })),
    status: (options) =>
      call('status', 1, options, () => ({
        runtimeReady: true,
        runtimeMessage: '',
        networkReady: true,
        networkMessage: '',
      })),
    runSandbox: (config, options) => call('runSandbox', 150, options, () => runtime.runSandbox(config)),
    stopSandbox: (id, options) => call('stopSandbox', 40, options, () => runtime.stopSandbox(id)),
    removeSandbox: (id, options) => call('removeSandbox', 20, options, () => runtime.removeSandbox(id)),
    listSandboxes: (filter, options) =>
      call('listSandboxes', 2, options, () => runtime.listSandboxes().filter((each) => matches(filter, each))),
    sandboxStatus: (id, options) => call('sandboxStatus', 2, options, () => runtime.sandboxStatus(id)),
    createContainer: (sandboxId, config, _sandbox, options) =>
      call('createContainer', 30, options, () => {
        if (!images.has(config.image)) throw new RuntimeError('NotFound', `failed to resolve image "${config.image}"`);
        return runtime.createContainer(sandboxId, config);
      }),
    startContainer: (id, options) => {
      runtime.startSent(id);
      return call('startContainer', 40, options, () => runtime.startContainer(id));
    },
    stopContainer: (id, graceSeconds, options) => stopContainer(wiring, call, id, graceSeconds, options),
    removeContainer: (id, options) => call('removeContainer', 15, options, () => runtime.removeContainer(id)),
    listContainers: (filter, options) =>
      call('listContainers', 2, options, () => runtime.listContainers().filter((each) => matches(filter, each))),
    containerStatus: (id, options) => call('containerStatus', 2, options, () => runtime.containerStatus(id)),
    updateContainerResources: (id, _resources, options) => call('updateResources', 5, options, () => void id),
    reopenContainerLog: (id, options) => call('reopenLog', 2, options, () => void id),
    containerStats: (_filter, options) => call('stats', 5, options, () => []),
    execSync: (id, command, timeoutMs, options) => execSync(wiring, call, id, command, timeoutMs, options),
    exec: unimplemented,
    attach: unimplemented,
    portForward: unimplemented,
    updatePodCidr: (cidr, options) => call('updatePodCidr', 1, options, () => void cidr),
    events: (signal, onConnected) => events(sim, life, wiring, signal, onConnected),
  };
}

/** Stops a container; the call lasts until it is dead, and a caller that hangs up earlier takes the stop back. */
function stopContainer(
  { life, runtime }: RuntimeWiring,
  call: Call,
  id: string,
  graceSeconds: number,
  options: CallOptions = {},
): Promise<void> {
  runtime.stopSent(id, graceSeconds);
  return call('stopContainer', 2, options, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const takeBack = runtime.stopContainer(id, graceSeconds, () => {
      forget();
      resolve();
    });
    const forget = life.onKill(takeBack);
    if (options.signal?.aborted === true || !life.alive) takeBack();
    options.signal?.addEventListener('abort', takeBack, { once: true });
    return promise;
  });
}

/** Runs a command: `exit CODE` and `sleep S` do as they say; any other command returns the container's health. */
async function execSync(
  { sim, runtime }: RuntimeWiring,
  call: Call,
  id: string,
  command: readonly string[],
  timeoutMs: number,
  options: CallOptions | undefined,
): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
  return call('execSync', 20, { timeoutMs: timeoutMs > 0 ? timeoutMs : DEFAULT_TIMEOUT_MS, ...options }, () => {
    const health = runtime.healthOf(id);
    if (health === undefined) throw new RuntimeError('Unknown', `container "${id}" is not running`);
    if (command[0] === 'exit') return { exitCode: Number(command[1] ?? 0), stdout: '', stderr: '' };
    if (command[0] === 'sleep') {
      return new Promise((resolve) => {
        sim.after(Number(command[1] ?? 0) * 1000, 'exec ends', () => resolve({ exitCode: 0, stdout: '', stderr: '' }));
      });
    }
    if (health !== 'frozen') return { exitCode: health === 'healthy' ? 0 : 1, stdout: health, stderr: '' };
    return new Promise((_resolve, reject) => {
      const late = timeoutMs > 0 ? timeoutMs : DEFAULT_TIMEOUT_MS;
      sim.after(late, 'exec timed out', () =>
        reject(new RuntimeError('DeadlineExceeded', `command timed out after ${late} ms`)),
      );
    });
  });
}

async function* events(
  sim: Sim,
  life: Life,
  { runtime, faults, random }: RuntimeWiring,
  signal: AbortSignal,
  onConnected: () => void,
): AsyncGenerator<RuntimeEvent, void, undefined> {
  await remoteCall(sim, life, `cri events by ${life.name}`, { thereMs: 1, backMs: 1 }, () => {
    if (runtime.down) throw new RuntimeError('Unavailable', 'connection refused');
  });
  const queue = new AsyncQueue<RuntimeEvent>(EVENT_BUFFER);
  const send = (event: RuntimeEvent): void => {
    const lateMs = random.next() < faults.lateEvents ? random.next() * faults.lateEventMs : 0;
    sim.after(1 + random.next() + lateMs, `event ${event.kind} to ${life.name}`, () =>
      life.deliver(() => {
        if (!queue.push(event)) queue.fail(new RuntimeError('ResourceExhausted', 'too many events'));
      }),
    );
  };
  const stop = runtime.onEvent((event) => {
    if (random.next() < faults.loseEvents) return;
    send(event);
    if (random.next() < faults.repeatEvents) send(event);
  });
  const cut = runtime.onCut(() =>
    sim.after(1, `cut events of ${life.name}`, () =>
      life.deliver(() => queue.fail(new RuntimeError('Unavailable', 'stream ended'))),
    ),
  );
  const onAbort = (): void => queue.end();
  signal.addEventListener('abort', onAbort, { once: true });
  onConnected();
  try {
    yield* queue;
  } finally {
    stop();
    cut();
    signal.removeEventListener('abort', onAbort);
  }
}

export function createSimImageService(wiring: RuntimeWiring): ImageService {
  const { images } = wiring;
  const call = createCall(wiring);
  return {
    list: (options) => call('listImages', 3, options, () => images.list()),
    status: (image, options) => call('imageStatus', 2, options, () => images.status(image)),
    pull: (image, _auth, options) =>
      call('pull', 2000, { timeoutMs: Number.POSITIVE_INFINITY, ...options }, () => images.pull(image)),
    remove: (image, options) => call('removeImage', 5, options, () => images.remove(image)),
    fsInfo: (options) =>
      call('fsInfo', 2, options, () => ({ usedBytes: images.usedBytes(), mountpoint: '/var/lib/sim' })),
  };
}
