/** Runs the demo on a host that is ready: makes the pods, watches them as any client would, and shows what happens. */
import {
  EVENTS,
  type Event,
  NAMESPACES,
  type Namespace,
  type Pod,
  type PodHistoryList,
  PODS,
} from '../../api/index.ts';
import { type KubeClient, watcher } from '../../client/index.ts';
import { type Clock, errorMessage, type Logger, type Random } from '../../lib/index.ts';
import { createPatiently } from '../apply.ts';
import { demoNamespace, demoPods } from './demo-pods.ts';
import { type DemoState, emptyDemo, onEvent, onPod, onRecord, unexplained } from './demo-state.ts';
import { ansiPaint, demoScreen, entryText, lookCommand, pageCommand, plainPaint, summary } from './demo-view.ts';
import { Screen, type Terminal } from '../../lib/index.ts';

/** Where it is shown. */
export interface DemoStage {
  readonly terminal: Terminal | undefined;
  readonly color: boolean;
  /** For lines, when there is no terminal. */
  readonly out: (text: string) => void;
}

export interface DemoOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** "containerd 1.6.20" */
  readonly runtime: string;
  readonly kubeconfig: string;
  readonly stage: DemoStage;
}

const REDRAW_MS = 1000;
/** News come in bursts: one picture for all of them. */
const SETTLE_MS = 50;
/** A line can't be taken back: the last words of a dead container, and its record, may follow its death. */
const TELL_MS = 400;
/** The node may not have written the record of a death when the pod tells of it. */
const RECORD_MS = 150;
const RECORD_TRIES = 4;

/** @returns what happened in one sentence, when `signal` is aborted */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<string> {
  const { client, clock, random, logger } = options;
  const began = clock.now().mono;
  const view = new DemoView(options, began);
  const shared = { client, clock, random, query: { namespace: demoNamespace } };
  const reading = () => clock.now();
  const watchPods = async (): Promise<void> => {
    for await (const event of watcher<Pod>({ ...shared, resource: PODS }, signal)) {
      if (event.kind !== 'apply' && event.kind !== 'init-apply') continue;
      const name = event.object.metadata?.name ?? '';
      const before = unexplained(view.state, name);
      view.update(onPod(view.state, event.object, reading()));
      const id = unexplained(view.state, name);
      if (id !== undefined && id !== before) void explain(options, view, { name, id }, signal);
    }
  };
  const watchEvents = async (): Promise<void> => {
    for await (const event of watcher<Event>({ ...shared, resource: EVENTS }, signal)) {
      if (event.kind === 'apply' || event.kind === 'init-apply')
        view.update(onEvent(view.state, event.object, reading()));
    }
  };
  const makePods = async (): Promise<void> => {
    for (const { pod } of demoPods) await createPatiently(client, clock, PODS, pod, signal);
    logger.info('the demo runs', { pods: demoPods.length });
  };
  try {
    await client.create<Namespace>(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: demoNamespace },
    });
    await Promise.all([watchPods(), watchEvents(), view.keepCurrent(signal), makePods()]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    view.close();
  }
  return summary(view.state);
}

/** Asks the pod's node what it remembers of the death. */
async function explain(
  { client, clock, logger }: DemoOptions,
  view: DemoView,
  { name, id }: { readonly name: string; readonly id: string },
  signal: AbortSignal,
): Promise<void> {
  try {
    for (let tries = 0; tries < RECORD_TRIES; tries += 1) {
      await clock.sleep(RECORD_MS, signal);
      const answer: unknown = await client.get<Pod>(PODS, demoNamespace, name, signal, { subresource: 'history' });
      const { items } = answer as PodHistoryList;
      const deaths = items.flatMap(({ containers }) => containers.flatMap((container) => container.deaths));
      const record = deaths.find(({ containerId }) => containerId === id);
      if (record === undefined) continue;
      view.update(onRecord(view.state, name, record));
      return;
    }
  } catch (error) {
    if (!signal.aborted) logger.warn('no record of a death', { pod: name, error: errorMessage(error) });
  }
}

/** A picture that is redrawn, or one line for each thing that happens. */
class DemoView {
  readonly #options: DemoOptions;
  readonly #began: number;
  readonly #screen: Screen | undefined;
  state: DemoState = emptyDemo;
  #later: { cancel(): void } | undefined;
  #told = 0;

  constructor(options: DemoOptions, began: number) {
    this.#options = options;
    this.#began = began;
    const { terminal, out } = options.stage;
    this.#screen = terminal === undefined ? undefined : new Screen(terminal);
    if (this.#screen !== undefined) return;
    out(`look for yourself: ${lookCommand(options.kubeconfig)}\n`);
    out(`or on a page, in a browser: ${pageCommand(options.kubeconfig)}\n`);
  }

  update(state: DemoState): void {
    if (state === this.state) return;
    this.state = state;
    const { clock } = this.#options;
    this.#later ??= clock.setTimer(this.#screen === undefined ? TELL_MS : SETTLE_MS, () => this.#show());
  }

  /** Times pass although nothing happens. */
  async keepCurrent(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#draw();
      await this.#options.clock.sleep(REDRAW_MS, signal);
    }
  }

  close(): void {
    this.#later?.cancel();
    this.#tell();
    this.#screen?.close();
  }

  #show(): void {
    this.#later = undefined;
    if (this.#screen === undefined) this.#tell();
    else this.#draw();
  }

  /** Lines, when there is no terminal to draw on. */
  #tell(): void {
    if (this.#screen !== undefined) return;
    for (const entry of this.state.timeline.filter(({ number }) => number > this.#told)) {
      this.#options.stage.out(`${entryText(entry, this.#began)}\n`);
    }
    this.#told = this.state.entries;
  }

  #draw(): void {
    const { clock, runtime, kubeconfig, stage } = this.#options;
    const { terminal, color } = stage;
    if (terminal === undefined) return;
    const size = { columns: terminal.columns(), rows: terminal.rows() };
    const view = {
      ...size,
      mono: clock.now().mono,
      began: this.#began,
      runtime,
      kubeconfig,
      paint: color ? ansiPaint : plainPaint,
    };
    this.#screen?.draw(demoScreen(this.state, view));
  }
}
