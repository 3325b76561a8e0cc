/**
 * The plan driven through a model of runtime and time: whatever happens to a pod, in whatever order, what must hold holds
 * after every pass, and in the end the plan has nothing more to do.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { assert, assertNever } from '../../lib/index.ts';
import type { RuntimeContainer, RuntimeSandbox } from '../types.ts';
import { jobKey, type Outcome, type PodAction } from './actions.ts';
import { computePodActions } from './compute-pod-actions.ts';
import { CONTAINER_HASH, RESTART_COUNT } from './labels.ts';
import type { PodLifecycle } from './lifecycle.ts';
import { containerHash } from './container-hash.ts';
import { MONO, PRESENT, testContainer, testPod, testSandbox, WALL } from './plan.fixtures.ts';
import { EMPTY_VOLATILE, emptyMemory, type PodMemory } from './pod-memory.ts';
import { remember } from './remember.ts';

type Step =
  | { readonly kind: 'pass' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'sandbox-dies' }
  | { readonly kind: 'probe-fails' }
  | { readonly kind: 'wall-steps'; readonly ms: number }
  | { readonly kind: 'agent-restarts' }
  | { readonly kind: 'action-fails' }
  | { readonly kind: 'runtime-loses-all' }
  | { readonly kind: 'deleted'; readonly grace: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Step>({ kind: 'pass' }) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 400_000 }).map((ms): Step => ({ kind: 'wait', ms })) },
    { weight: 3, arbitrary: fc.constantFrom(0, 1, 137).map((code): Step => ({ kind: 'exit', code })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Step[]>(
        { kind: 'sandbox-dies' },
        { kind: 'probe-fails' },
        { kind: 'agent-restarts' },
        { kind: 'action-fails' },
        { kind: 'runtime-loses-all' },
      ),
    },
    {
      weight: 1,
      arbitrary: fc.integer({ min: -4_000_000, max: 4_000_000 }).map((ms): Step => ({ kind: 'wall-steps', ms })),
    },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 60 }).map((grace): Step => ({ kind: 'deleted', grace })) },
  ),
  { maxLength: 40 },
);

class Model {
  pod: Pod;
  lifecycle: PodLifecycle = { state: 'waiting' };
  memory: PodMemory;
  sandboxes: RuntimeSandbox[] = [];
  containers: RuntimeContainer[] = [];
  wall = WALL;
  mono = MONO;
  restartCount = 0;
  phase = 'Pending';
  failNext = false;
  probeFails = false;
  status: ReturnType<typeof computePodActions>['status'] | undefined;
  readonly startedAfterEnd: string[] = [];

  constructor(restartPolicy: string) {
    this.pod = testPod({ restartPolicy });
    const { note, volatile } = emptyMemory('default', 'web');
    this.memory = { note: { ...note, admitted: true }, volatile };
  }

  observe() {
    if (this.sandboxes.length + this.containers.length === 0) return undefined;
    return {
      uid: this.pod.metadata?.uid ?? '',
      name: 'web',
      namespace: 'default',
      sandboxes: this.sandboxes,
      containers: this.containers,
      at: this.mono,
    };
  }

  /** One pass; all actions are carried out at once. Says whether there is more to come. */
  pass(): boolean {
    const running = this.containers.find(({ state }) => state === 'running');
    const plan = computePodActions({
      pod: this.pod,
      wanted: true,
      lifecycle: this.lifecycle,
      observed: this.observe(),
      memory: this.memory,
      facts: {
        jobs: {},
        volumes: { state: 'ready', paths: {} },
        image: () => PRESENT,
        probes: this.probeFails && running !== undefined ? { [running.id]: { liveness: 'failure' } } : {},
        node: { name: 'node', hostIps: [], runtimeName: 'containerd' },
      },
      previousStatus: this.status,
      now: { wall: this.wall, mono: this.mono },
    });
    this.check(plan);
    this.memory = plan.memory;
    this.lifecycle = plan.lifecycle;
    this.status = plan.status;
    const outcomes = plan.actions.map((action) => this.perform(action));
    this.memory = remember(this.memory, outcomes);
    return plan.actions.length > 0 || plan.wakeAt !== undefined;
  }

  check(plan: ReturnType<typeof computePodActions>): void {
    const order = ['waiting', 'syncing', 'terminating', 'terminated', 'finished'];
    assert(order.indexOf(plan.lifecycle.state) >= order.indexOf(this.lifecycle.state), 'the lifecycle went back');
    const count = plan.status.containerStatuses?.[0]?.restartCount ?? 0;
    assert(count >= this.restartCount, 'the restart count fell');
    this.restartCount = count;
    const wasTerminal = this.phase === 'Succeeded' || this.phase === 'Failed';
    assert(!wasTerminal || plan.status.phase === this.phase, 'a terminal phase was left');
    this.phase = plan.status.phase ?? '';
    if (plan.lifecycle.state !== 'syncing') {
      const starts = plan.actions.some(({ verb }) => verb === 'start-container' || verb === 'create-sandbox');
      assert(!starts, `a start in ${plan.lifecycle.state}`);
    }
    // No wait is longer than the longest there is.
    assert((plan.wakeAt ?? 0) - this.mono <= 300_000, 'a wait is too long');
    const keys = plan.actions.map(jobKey);
    assert(new Set(keys).size === keys.length, 'one thing was planned twice');
  }

  perform(action: PodAction): Outcome {
    const at = { wall: this.wall, mono: this.mono };
    if (this.failNext) {
      this.failNext = false;
      return { action, at, ok: false, reason: 'Broken', message: 'broken' };
    }
    switch (action.verb) {
      case 'create-sandbox':
        assert(
          !this.sandboxes.some(({ metadata }) => metadata.attempt === action.attempt),
          'a sandbox attempt was used twice',
        );
        this.sandboxes.push(testSandbox(action.attempt, { createdAt: this.wall }));
        break;
      case 'start-container':
        assert(!this.containers.some(({ state }) => state === 'running'), 'two of one name');
        assert(!this.containers.some(({ attempt }) => attempt === action.attempt), 'an attempt was used twice');
        this.containers.push(this.started(action));
        break;
      case 'pre-stop':
      case 'resize':
        break;
      case 'stop-container':
        // Whoever stops it waits for its grace: the model lets it pass.
        this.advance(action.graceMs / 2);
        this.end(143);
        break;
      case 'stop-sandbox':
        this.end(137);
        this.sandboxes = this.sandboxes.map((each) =>
          each.id === action.sandboxId ? { ...each, state: 'notready', ips: [] } : each,
        );
        break;
      case 'remove-container':
        assert(
          this.containers.find(({ id }) => id === action.containerId)?.state !== 'running',
          'a running container was removed',
        );
        this.containers = this.containers.filter(({ id }) => id !== action.containerId);
        break;
      case 'remove-sandbox':
        this.sandboxes = this.sandboxes.filter(({ id }) => id !== action.sandboxId);
        break;
      case 'prepare-cgroup':
      case 'prepare-volumes':
      case 'request-image':
      case 'cancel-starts':
      case 'read-termination-message':
      case 'refresh-pod':
      case 'reclaim-pod':
      case 'remove-pod-logs':
        break;
      default:
        assertNever(action);
    }
    return { action, at: { wall: this.wall, mono: this.mono }, ok: true };
  }

  started(action: Extract<PodAction, { verb: 'start-container' }>): RuntimeContainer {
    const container = testContainer({
      restartCount: action.attempt,
      sandboxId: action.sandboxId,
      createdAt: this.wall,
      startedAt: this.wall,
    });
    const spec = this.pod.spec?.containers[0] ?? { name: '' };
    const backOff: Record<string, string> =
      action.backOff === undefined ? {} : { 'mendlet.dev/back-off': JSON.stringify(action.backOff) };
    return {
      ...container,
      annotations: { [RESTART_COUNT]: String(action.attempt), [CONTAINER_HASH]: containerHash(spec), ...backOff },
    };
  }

  end(exitCode: number): void {
    this.probeFails = false;
    this.containers = this.containers.map((each) =>
      each.state === 'running'
        ? { ...each, state: 'exited', exitCode, finishedAt: this.wall, reason: exitCode === 0 ? 'Completed' : 'Error' }
        : each,
    );
  }

  advance(ms: number): void {
    this.wall += ms;
    this.mono += ms;
  }

  step(step: Step): void {
    switch (step.kind) {
      case 'pass':
        this.pass();
        break;
      case 'wait':
        this.advance(step.ms);
        break;
      case 'exit':
        this.end(step.code);
        break;
      case 'sandbox-dies':
        this.sandboxes = this.sandboxes.map((each) => ({ ...each, state: 'notready', ips: [] }));
        break;
      case 'probe-fails':
        this.probeFails = true;
        break;
      case 'wall-steps':
        this.wall += step.ms;
        break;
      case 'agent-restarts':
        this.lifecycle = { state: 'waiting' };
        this.memory = {
          note: JSON.parse(JSON.stringify(this.memory.note)) as PodMemory['note'],
          volatile: EMPTY_VOLATILE,
        };
        break;
      case 'action-fails':
        this.failNext = true;
        break;
      case 'runtime-loses-all':
        this.sandboxes = [];
        this.containers = [];
        break;
      case 'deleted':
        this.pod = {
          ...this.pod,
          metadata: {
            ...this.pod.metadata,
            deletionTimestamp: '2026-01-01T00:00:00Z',
            deletionGracePeriodSeconds: step.grace,
          },
        };
        break;
    }
  }
}

it('keeps its promises whatever happens, and comes to rest', () => {
  fc.assert(
    fc.property(fc.constantFrom('Always', 'OnFailure', 'Never'), steps, (restartPolicy, walk) => {
      const model = new Model(restartPolicy);
      for (const step of walk) {
        if (step.kind === 'agent-restarts' && model.lifecycle.state !== 'waiting') {
          // The lifecycle starts again from the note; it must come back to where it was, not before it.
          const before = model.lifecycle.state;
          model.step(step);
          model.pass();
          if (before === 'terminating' || before === 'terminated') expect(model.lifecycle.state).not.toBe('syncing');
          continue;
        }
        model.step(step);
      }
      model.failNext = false;
      let more = true;
      for (let i = 0; i < 60 && more; i += 1) {
        more = model.pass();
        model.advance(301_000);
      }
      expect(more).toBe(false);
      const over = ['terminated', 'finished'].includes(model.lifecycle.state);
      expect(model.containers.filter(({ state }) => state === 'running').length).toBe(over ? 0 : 1);
      expect(model.status?.phase).toBe(over ? model.phase : 'Running');
      if (!over) expect(model.lifecycle.state).toBe('syncing');
    }),
    { numRuns: 500 },
  );
});
