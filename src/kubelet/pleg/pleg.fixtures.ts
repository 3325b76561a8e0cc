/** A runtime of plain tables for PLEG's tests, and a PLEG on it. */
import {
  type ContainerState,
  type ContainerStatus,
  RuntimeError,
  type RuntimeEvent,
  type SandboxStatus,
} from '../../cri/index.ts';
import { AsyncQueue, type Clock, createMetrics, seededRandom, silentLogger } from '../../lib/index.ts';
import { DEFAULT_SETTINGS, type KubeletSettings } from '../settings.ts';
import type { DirtyCause } from '../types.ts';
import type { ModeChange } from './event-stream.ts';
import { INSTANCE_LABEL, POD_UID_LABEL } from '../pods/ownership.ts';
import { createPleg } from './pleg.ts';
import type { PlegRuntime } from './pleg-runtime.ts';

/** A runtime of plain tables. `hang`: ids whose status never answers. `reads`: the calls that were made. */
export class TableRuntime implements PlegRuntime {
  readonly sandboxes = new Map<string, SandboxStatus>();
  readonly containers = new Map<string, ContainerStatus>();
  readonly hang = new Set<string>();
  readonly reads: string[] = [];
  lists = 0;
  down = false;
  /** Lists wait for this when it is set. */
  gate: Promise<void> | undefined;
  streams: AsyncQueue<RuntimeEvent>[] = [];
  noEvents = false;
  /** Streams are refused. */
  refuse = false;
  /** Streams stand, and nothing comes. */
  mute = false;
  /** Streams never stand. */
  never = false;

  pod(uid: string, instance = 'one'): void {
    const labels = { [INSTANCE_LABEL]: instance, [POD_UID_LABEL]: uid };
    this.sandboxes.set(`s-${uid}`, {
      id: `s-${uid}`,
      metadata: { name: uid, namespace: 'ns', uid, attempt: 0 },
      state: 'ready',
      createdAt: 1,
      labels,
      annotations: {},
      ips: ['10.0.0.1'],
      hostNetwork: false,
    });
  }

  container(uid: string, id: string, state: ContainerState, attempt = 0): void {
    this.containers.set(id, {
      id,
      sandboxId: `s-${uid}`,
      name: 'app',
      attempt,
      state,
      createdAt: 2 + attempt,
      image: 'i',
      imageRef: 'i',
      labels: {},
      annotations: {},
      startedAt: 2,
      finishedAt: state === 'exited' ? 3 : 0,
      exitCode: state === 'exited' ? 1 : 0,
      reason: '',
      message: '',
      logPath: '',
    });
  }

  listSandboxes: PlegRuntime['listSandboxes'] = async (filter) => {
    if (this.down) throw new RuntimeError('Unavailable', 'down');
    const rows = [...this.sandboxes.values()];
    await this.gate;
    return rows.filter((each) =>
      Object.entries(filter?.labels ?? {}).every(([key, value]) => each.labels[key] === value),
    );
  };
  listContainers: PlegRuntime['listContainers'] = async (filter) => {
    if (this.down) throw new RuntimeError('Unavailable', 'down');
    if (filter === undefined) this.lists += 1;
    const rows = [...this.containers.values()];
    await this.gate;
    return rows.filter((each) => filter?.sandboxId === undefined || each.sandboxId === filter.sandboxId);
  };
  sandboxStatus: PlegRuntime['sandboxStatus'] = (id) => this.#read(id, () => this.sandboxes.get(id));
  containerStatus: PlegRuntime['containerStatus'] = (id) => this.#read(id, () => this.containers.get(id));
  events: PlegRuntime['events'] = (signal, onConnected) => this.#events(signal, onConnected);

  async *#events(signal: AbortSignal, onConnected: () => void): AsyncGenerator<RuntimeEvent> {
    if (this.noEvents) throw new RuntimeError('Unimplemented', 'no events');
    if (this.down || this.refuse) throw new RuntimeError('Unavailable', 'down');
    const queue = new AsyncQueue<RuntimeEvent>(100);
    signal.addEventListener('abort', () => queue.end());
    this.streams.push(queue);
    if (!this.never) onConnected();
    yield* queue;
  }

  emit(event: RuntimeEvent): void {
    if (this.mute) return;
    for (const stream of this.streams) stream.push(event);
  }

  /** A container ends, and the runtime says so. */
  die(uid: string, id: string): void {
    this.container(uid, id, 'exited');
    this.emit({ kind: 'stopped', id });
  }

  breakStreams(): void {
    for (const stream of this.streams) stream.fail(new RuntimeError('Unavailable', 'gone'));
  }

  async #read<T>(id: string, get: () => T): Promise<T> {
    this.reads.push(id);
    if (this.down) throw new RuntimeError('Unavailable', 'down');
    if (this.hang.has(id)) await new Promise(() => {});
    return get();
  }
}

interface TestClock extends Clock {
  advance(ms: number): Promise<void>;
}

/** A PLEG that runs until `stop`; its first relist is over. */
export async function startPleg<C extends TestClock>(
  runtime: TableRuntime,
  clock: C,
  options: {
    readonly runtimeEvents?: boolean;
    readonly settings?: Partial<KubeletSettings['pleg']>;
  } = {},
): Promise<{
  pleg: ReturnType<typeof createPleg>;
  clock: C;
  dirty: [string, DirtyCause][];
  metrics: ReturnType<typeof createMetrics>;
  modes: ModeChange[];
  stop: () => Promise<void>;
}> {
  const dirty: [string, DirtyCause][] = [];
  const modes: ModeChange[] = [];
  const controller = new AbortController();
  const metrics = createMetrics();
  const pleg = createPleg(
    { clock, random: seededRandom(1), logger: silentLogger, metrics, runtime },
    {
      instanceId: 'one',
      settings: { pleg: { ...DEFAULT_SETTINGS.pleg, ...options.settings } },
      runtimeEvents: options.runtimeEvents ?? false,
    },
    {
      onModeChange: (change) => modes.push(change),
      markDirty: (uid, cause) => dirty.push([uid, cause]),
    },
  );
  const running = pleg.run(controller.signal);
  await clock.advance(0);
  return {
    pleg,
    clock,
    dirty,
    metrics,
    modes,
    stop: async () => {
      controller.abort();
      await running;
    },
  };
}
