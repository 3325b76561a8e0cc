import { describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../api/index.ts';
import { computePodActions, type PodPlan } from './compute-pod-actions.ts';
import type { PodLifecycle } from './lifecycle.ts';
import { exitedContainer, MONO, observation, planInput, testContainer, testPod, WALL } from './plan.fixtures.ts';
import { remember } from './remember.ts';

const a: Container = { name: 'a', image: 'a', restartPolicy: 'Always' };
const b: Container = { name: 'b', image: 'b', restartPolicy: 'Always', livenessProbe: {} };
const init: Container = { name: 'init', image: 'i' };
const main: Container = { name: 'main', image: 'busybox' };
const pod = (change: Partial<NonNullable<Pod['spec']>> = {}): Pod =>
  testPod({ initContainers: [a, b, init], containers: [main], ...change });
const up = (spec: Container, restartCount = 0) => testContainer({ name: spec.name, spec, restartCount });
const down = (spec: Container, exitCode = 0) => exitedContainer(exitCode, WALL, { name: spec.name, spec });
const verbs = (plan: PodPlan) =>
  plan.actions.flatMap((action) => {
    const name = 'container' in action ? ` ${action.container}` : '';
    return action.verb === 'read-termination-message' ? [] : [`${action.verb}${name}`];
  });
const plan = (given: Pod, containers: Parameters<typeof observation>[0], more: object = {}) =>
  computePodActions(planInput({ pod: given, observed: observation(containers), ...more }));

describe('sidecars', () => {
  it.each<[string, Parameters<typeof observation>[0], string[]]>([
    ['start in order', [], ['start-container a']],
    ['the second after the first', [up(a)], ['start-container b']],
    ['then the init container', [up(a), up(b)], ['start-container init']],
    ['restart while a later init container runs', [down(a, 1), up(b), up(init)], ['start-container a']],
    ['all of them', [down(a, 1), down(b, 1), up(init)], ['start-container a', 'start-container b']],
    [
      'beside the init container that is tried again',
      [down(a, 1), up(b), down(init, 1)],
      ['start-container a', 'start-container init'],
    ],
    [
      'and hold nobody up once they were passed',
      [down(a, 1), up(b), down(init)],
      ['start-container a', 'start-container main'],
    ],
    ['do not begin before their turn', [down(a, 1)], ['start-container a']],
  ])('%s', (_name, containers, expected) => expect(verbs(plan(pod(), containers))).toEqual(expected));

  it('are killed for their liveness while an earlier one is down', () => {
    const facts = { probes: { 'b-0': { liveness: 'failure' } } };
    expect(verbs(plan(pod(), [down(a, 1), up(b), up(init)], { facts: { ...planInput().facts, ...facts } }))).toEqual([
      'start-container a',
      'stop-container b',
    ]);
  });

  it('hold the next up until their postStart hook has ended, and are not Running before', () => {
    const hooked = { ...a, lifecycle: { postStart: { sleep: { seconds: 5 } } } };
    const given = pod({ initContainers: [hooked, b] });
    const jobs = { 'start-container/a': { startedAt: MONO } };
    const waiting = plan(given, [up(hooked)], { facts: { ...planInput().facts, jobs } });
    expect(verbs(waiting)).toEqual([]);
    expect(waiting.status.initContainerStatuses?.[0]).toMatchObject({
      started: false,
      ready: false,
      state: { waiting: { reason: 'PodInitializing' } },
    });
    expect(verbs(plan(given, [up(hooked)]))).toEqual(['start-container b']);
  });

  it.each<[string, number, string]>([
    ['Never', 0, 'Succeeded'],
    ['Never', 1, 'Failed'],
    ['OnFailure', 0, 'Succeeded'],
  ])('do not keep a pod of policy %s from ending when main ended with %i', (restartPolicy, exitCode, phase) => {
    const given = pod({ restartPolicy });
    const ending = plan(given, [up(a), up(b), down(init), down(main, exitCode)]);
    expect(ending.lifecycle.state).toBe('terminating');
    expect(verbs(ending)).toEqual(['stop-container b']);
    const { lifecycle, memory } = ending;
    const over = plan(given, [down(a, 137), down(b, 1), down(init), down(main, exitCode)], { lifecycle, memory });
    // How they end themselves is nobody's business.
    expect(over.status.phase).toBe(phase);
  });

  it('count for the readiness of the pod', () => {
    const given = pod({ initContainers: [{ ...a, readinessProbe: {} }] });
    const unready = plan(given, [up(a), up(main)]);
    expect(unready.status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      message: 'containers with unready status: [a]',
    });
  });

  it('run their preStop hooks when the pod begins to end, and stop in reverse order', () => {
    const hook = { preStop: { sleep: { seconds: 5 } } };
    const hooked = [
      { ...a, lifecycle: hook },
      { ...b, lifecycle: hook },
    ];
    const given = testPod(
      { initContainers: hooked, containers: [main] },
      { deletionTimestamp: '2026-11-20T12:00:00Z' },
    );
    const request = { reason: 'Deleted', message: '', gracePeriodSeconds: 30, requestedAt: WALL } as const;
    const lifecycle: PodLifecycle = { state: 'terminating', request, deadline: MONO + 30_000 };
    const begun = plan(given, [up(a), up(b), up(main)], { lifecycle });
    expect(verbs(begun)).toEqual(['pre-stop a', 'pre-stop b', 'stop-container main']);
    // Its turn has come, its hook goes on.
    const jobs = { 'pre-stop/a-0': { startedAt: MONO }, 'pre-stop/b-0': { startedAt: MONO } };
    const facts = { ...planInput().facts, jobs };
    expect(verbs(plan(given, [up(a), up(b), down(main)], { lifecycle, facts }))).toEqual([]);
    const { memory } = planInput();
    const done = { ...memory.volatile.done, 'pre-stop/a-0': true, 'pre-stop/b-0': true } as const;
    const hooksRan = { ...memory, volatile: { ...memory.volatile, done } };
    const turn = plan(given, [up(a), up(b), down(main)], { lifecycle, memory: hooksRan });
    expect(verbs(turn)).toEqual(['stop-container b']);
    expect(turn.actions.at(-1)).toMatchObject({ preStop: false });
    expect(turn.actions.at(-1)).not.toHaveProperty('message');
    // The grace is over: no hook is waited for.
    const late = plan(given, [up(a), up(b)], { lifecycle: { ...lifecycle, deadline: MONO }, facts });
    expect(verbs(late)).toEqual(['stop-container a', 'stop-container b']);
  });
});

describe('containers with a postStart hook', () => {
  const hooked = { ...main, lifecycle: { postStart: { exec: { command: ['true'] } } } };
  const second = { name: 'second', image: 's' };
  const given = testPod({ containers: [hooked, second] });

  it('start before those after them, which wait for the hook', () => {
    expect(verbs(plan(given, []))).toEqual(['start-container main']);
    const jobs = { 'start-container/main': { startedAt: MONO } };
    const hooking = plan(given, [up(hooked)], { facts: { ...planInput().facts, jobs } });
    expect(verbs(hooking)).toEqual([]);
    expect(hooking.status.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });
    expect(verbs(plan(given, [up(hooked)]))).toEqual(['start-container second']);
  });

  it('hold nobody up while they wait after a failure', () => {
    const image = (name: string) =>
      name === 'main'
        ? ({ state: 'failed', reason: 'ErrImagePull', message: 'no', retryAt: MONO + 9 } as const)
        : ({ state: 'present', imageId: 'i' } as const);
    expect(verbs(plan(given, [], { facts: { ...planInput().facts, image } }))).toEqual(['start-container second']);
  });
});

describe('a container whose postStart hook failed', () => {
  const hooked = { ...main, lifecycle: { postStart: { exec: { command: ['false'] } } } };
  const given = testPod({ containers: [hooked] });

  it('is killed, and is not told as running meanwhile', () => {
    const begun = plan(given, []);
    const action = begun.actions.find(({ verb }) => verb === 'start-container');
    if (action === undefined) throw new Error('nothing is started');
    const at = { wall: WALL, mono: MONO };
    const outcome = {
      action,
      at,
      ok: false,
      reason: 'PostStartHookError',
      message: 'no',
      killContainerId: 'main-0',
    } as const;
    const memory = remember(begun.memory, [outcome]);
    const killed = plan(given, [up(hooked)], { memory });
    expect(killed.actions).toMatchObject([{ verb: 'stop-container', message: 'FailedPostStartHook' }]);
    expect(killed.status.containerStatuses?.[0]).toMatchObject({
      ready: false,
      state: { waiting: { reason: 'PostStartHookError', message: 'no' } },
    });
    const again = plan(given, [down(hooked, 137)], { memory: killed.memory });
    expect(verbs(again)).toEqual(['start-container main']);
  });
});
