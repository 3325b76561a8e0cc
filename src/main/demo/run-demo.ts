/** Runs the demo on a host that is ready: makes the pods, watches them as any client would, and shows what happens. */
import { EVENTS, type Event, NAMESPACES, type Namespace, type Pod, PODS } from '../../api/index.ts';
import { type KubeClient, watcher } from '../../client/index.ts';
import type { Clock, Logger, Random } from '../../lib/index.ts';
import { createPatiently } from '../apply.ts';
import { demoNamespace, demoPods } from './demo-pods.ts';
import { type DemoState, emptyDemo, onEvent, onPod } from './demo-state.ts';
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
/** A line can't be taken back: the last words of a dead container may follow its death. */
const TELL_MS = 400;

/** @returns what happened in one sentence, when `signal` is aborted */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<string> {
  const { client, clock, random, logger } = options;
  const began = clock.now().mono;
  const view = new DemoView(options, began);
  const shared = { client, clock, random, query: { namespace: demoNamespace } };
  const reading = () => clock.now();
  const watchPods = async (): Promise<void> => {
    for await (const event of watcher<Pod>({ ...shared, resource: PODS }, signal)) {
      if (event.kind === 'apply' || event.kind === 'init-apply')
        view.update(onPod(view.state, event.object, reading()));
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
