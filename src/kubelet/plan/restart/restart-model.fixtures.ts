/** A pod with an init container, a sidecar and two app containers on a model of runtime and time. Used by tests alone. */
import { type Container, type Pod, type PodSpec, RESTART_REQUEST, type RestartRequest } from '../../../api/index.ts';
import { assert } from '../../../lib/index.ts';
import type { ImageFact, RuntimeContainer, RuntimeSandbox, VolumeTrouble } from '../../types.ts';
import { noteFromStatus } from '../absorb-observation.ts';
import type { Outcome, PodAction } from '../actions.ts';
import { computePodActions, type PodPlan } from '../compute-pod-actions.ts';
import type { PlannedEvent, PodFacts } from '../facts.ts';
import type { PodLifecycle } from '../lifecycle.ts';
import { exitedContainer, MONO, PRESENT, testContainer, testPod, testSandbox, WALL } from '../plan.fixtures.ts';
import { EMPTY_VOLATILE, emptyMemory, type PodMemory } from '../pod-memory.ts';
import { remember } from '../remember.ts';

const INIT: Container = { name: 'init', image: 'i' };
const SIDE: Container = { name: 'side', image: 's', restartPolicy: 'Always' };
const MAIN: Container = { name: 'main', image: 'm' };
const OTHER: Container = { name: 'other', image: 'o' };

export class RestartModel {
  pod: Pod;
  lifecycle: PodLifecycle = { state: 'waiting' };
  memory: PodMemory;
  sandboxes: RuntimeSandbox[] = [];
  containers: RuntimeContainer[] = [];
  wall = WALL;
  mono = MONO;
  plan: PodPlan | undefined;
  /** Verbs with their container or sandbox, in order. */
  readonly log: string[] = [];
  readonly events: PlannedEvent[] = [];
  /** The result of the next action. */
  failNext = false;
  /** Names of containers whose images are not there. */
  readonly images: Record<string, ImageFact> = {};
  /** Names of init containers, which end as soon as they run. */
  initExitCode = 0;
  /** What is wrong with its volumes. */
  volumeTroubles: readonly VolumeTrouble[] = [];
  /** What routing says. */
  routing: Pick<PodFacts, 'withdrawal' | 'canLeave'> = {};

  constructor(spec: Partial<PodSpec> = {}) {
    this.pod = testPod({
      initContainers: [INIT, SIDE],
      containers: [MAIN, OTHER],
      volumes: [
        { name: 'scratch', emptyDir: {} },
        { name: 'keep', emptyDir: {} },
      ],
      ...spec,
    });
    const { note, volatile } = emptyMemory('default', 'web');
    this.memory = { note: { ...note, admitted: true }, volatile };
  }

  /** Until nothing more is planned; init containers end well as soon as they run. */
  settle(): this {
    for (let i = 0; i < 60; i += 1) if (!this.pass()) return this;
    throw new Error(`it never rests: ${this.log.slice(-20).join(', ')}`);
  }

  /** One pass; its actions are carried out at once. Says whether it did anything. */
  pass(): boolean {
    const plan = computePodActions({
      pod: this.pod,
      wanted: true,
      lifecycle: this.lifecycle,
      observed: this.#observe(),
      memory: this.memory,
      facts: {
        jobs: {},
        volumes: { state: 'ready', paths: {} },
        image: (name) => this.images[name] ?? PRESENT,
        probes: {},
        ...this.routing,
        volumeTroubles: this.volumeTroubles,
        node: { name: 'node', hostIps: [], runtimeName: 'containerd' },
      },
      previousStatus: this.plan?.status,
      now: { wall: this.wall, mono: this.mono },
    });
    this.plan = plan;
    this.memory = plan.memory;
    this.lifecycle = plan.lifecycle;
    this.events.push(...plan.events);
    this.memory = remember(
      this.memory,
      plan.actions.map((action) => this.#perform(action)),
    );
    this.#endInits();
    return plan.actions.length > 0;
  }

  ask(request: Partial<RestartRequest> & { id: string }): this {
    return this.annotate(JSON.stringify(request));
  }

  annotate(text: string): this {
    this.pod = { ...this.pod, metadata: { ...this.pod.metadata, annotations: { [RESTART_REQUEST]: text } } };
    return this;
  }

  /** Everything that is not in the note is forgotten. */
  killAgent(): void {
    this.lifecycle = { state: 'waiting' };
    const note = JSON.parse(JSON.stringify(this.memory.note)) as PodMemory['note'];
    this.memory = { note, volatile: EMPTY_VOLATILE };
  }

  breakSandboxes(): void {
    this.sandboxes = this.sandboxes.map((each) => ({ ...each, state: 'notready', ips: [] }));
  }

  /** The data folder is gone: only the API server's copy is left. */
  loseNote(): void {
    this.killAgent();
    const pod = { ...this.pod, ...(this.plan === undefined ? {} : { status: this.plan.status }) };
    this.memory = { note: noteFromStatus(emptyMemory('default', 'web').note, pod), volatile: EMPTY_VOLATILE };
  }

  exit(name: string, exitCode: number, reason?: string): this {
    this.containers = this.containers.map((each) =>
      each.name === name && each.state === 'running' ? this.#ended(each, exitCode, reason) : each,
    );
    return this;
  }

  advance(ms: number): this {
    this.wall += ms;
    this.mono += ms;
    return this;
  }

  /** Log since `mark`. */
  since(mark: number): readonly string[] {
    return this.log.slice(mark);
  }

  running(): readonly string[] {
    return this.containers.filter(({ state }) => state === 'running').map(({ name, attempt }) => `${name} ${attempt}`);
  }

  outcome(id: string) {
    return this.memory.note.restartOutcomes?.find((each) => each.id === id);
  }

  statusOf(name: string) {
    const { initContainerStatuses = [], containerStatuses = [] } = this.plan?.status ?? {};
    return [...initContainerStatuses, ...containerStatuses].find((status) => status.name === name);
  }

  #observe() {
    if (this.sandboxes.length + this.containers.length === 0) return undefined;
    const { sandboxes, containers, mono: at } = this;
    return { uid: this.pod.metadata?.uid ?? '', name: 'web', namespace: 'default', sandboxes, containers, at };
  }

  #perform(action: PodAction): Outcome {
    this.log.push(textOf(action));
    if (this.failNext) {
      this.failNext = false;
      this.log[this.log.length - 1] += ' fails';
      return { action, at: this.#now(), ok: false, reason: 'Broken', message: 'broken' };
    }
    this.#carryOut(action);
    return { action, at: this.#now(), ok: true };
  }

  #carryOut(action: PodAction): void {
    if (action.verb === 'start-container') this.#start(action);
    else if (action.verb === 'create-sandbox') this.#create(action.attempt);
    else if (action.verb === 'stop-container') this.#stop(action);
    else if (action.verb === 'stop-sandbox') this.breakSandboxes();
    else if (action.verb === 'remove-container') {
      this.containers = this.containers.filter(({ id }) => id !== action.containerId);
    } else if (action.verb === 'remove-sandbox') {
      this.sandboxes = this.sandboxes.filter(({ id }) => id !== action.sandboxId);
    } else if (action.verb === 'refresh-pod') {
      assert(this.running().length === 0, 'made fresh under running containers');
      assert(!this.sandboxes.some(({ state }) => state === 'ready'), 'made fresh under a sandbox');
    }
  }

  #create(attempt: number): void {
    assert(!this.sandboxes.some(({ state }) => state === 'ready'), 'two sandboxes');
    this.sandboxes.push(testSandbox(attempt, { createdAt: this.wall }));
  }

  /** A stop waits for its grace period: the model lets it pass. */
  #stop({ containerId, graceMs }: Extract<PodAction, { verb: 'stop-container' }>): void {
    this.advance(graceMs / 2);
    this.containers = this.containers.map((each) =>
      each.id === containerId && each.state === 'running' ? this.#ended(each, 143) : each,
    );
  }

  #start(action: Extract<PodAction, { verb: 'start-container' }>): void {
    const { container: name, attempt, sandboxId } = action;
    const { restart, containers } = this.memory.note;
    const isWhole = restart !== undefined && restart.scope !== 'container';
    const old = this.containers.filter(
      (each) => each.state === 'running' && each.attempt < (containers[each.name]?.freshFrom ?? 0),
    );
    assert(!isWhole || (restart.starting === true && old.length === 0), `${name} starts beside the life before`);
    assert(!this.containers.some((each) => each.name === name && each.state === 'running'), `two of ${name}`);
    assert(
      !this.containers.some((each) => each.name === name && each.attempt === attempt),
      `${name} ${attempt} was used twice`,
    );
    const sandbox = this.sandboxes.find(({ id }) => id === sandboxId);
    assert(sandbox?.state === 'ready', 'started in a sandbox that is not ready');
    const spec = [...(this.pod.spec?.initContainers ?? []), ...(this.pod.spec?.containers ?? [])].find(
      (each) => each.name === name,
    );
    this.containers.push(
      testContainer({
        name,
        spec: spec ?? { name },
        sandboxId,
        restartCount: attempt,
        createdAt: this.wall,
        startedAt: this.wall,
        ...(action.backOff === undefined ? {} : { backOff: action.backOff }),
      }),
    );
  }

  #endInits(): void {
    this.exit('init', this.initExitCode);
  }

  #ended(container: RuntimeContainer, exitCode: number, told?: string): RuntimeContainer {
    const { state, reason, finishedAt } = exitedContainer(exitCode, this.wall);
    return { ...container, state, reason: told ?? reason, finishedAt, exitCode };
  }

  #now() {
    return { wall: this.wall, mono: this.mono };
  }
}

function textOf(action: PodAction): string {
  if (action.verb === 'start-container') return `start ${action.container} ${action.attempt}`;
  if (action.verb === 'stop-container') return `stop ${action.container}`;
  if (action.verb === 'create-sandbox') return `create-sandbox ${action.attempt}`;
  if (action.verb === 'request-image' && action.afresh) return `request-image ${action.container} afresh`;
  if (action.verb !== 'refresh-pod') return action.verb;
  return ['refresh-pod', `[${action.emptyDirs.join(' ')}]`, ...action.volumes].join(' ');
}

/** The verbs that matter to a restart. */
export function steps(log: readonly string[]): readonly string[] {
  return log.filter((text) => /^(?:start|stop|create|refresh|prepare-cgroup|pre-stop)/.test(text));
}
