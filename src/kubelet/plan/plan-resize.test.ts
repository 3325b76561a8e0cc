import { describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../api/index.ts';
import type { PodAction } from './actions.ts';
import { computePodActions, type PodPlan } from './compute-pod-actions.ts';
import { RESOURCES } from './labels.ts';
import { MONO, observation, planInput, testContainer, testPod, WALL } from './plan.fixtures.ts';
import type { PodMemory } from './pod-memory.ts';
import { remember } from './remember.ts';

const small = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } };
const large = { requests: { cpu: '200m', memory: '64Mi' }, limits: { cpu: '400m', memory: '128Mi' } };
const more = { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '200m', memory: '256Mi' } };
const restartsForMemory = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];

const main = (resources: Container['resources'], change: Partial<Container> = {}): Container => ({
  name: 'main',
  image: 'busybox',
  ...(resources === undefined ? {} : { resources }),
  ...change,
});
const podOf = (container: Container): Pod => testPod({ containers: [container] });
const running = (made: Container['resources'], restartCount = 0) => {
  const container = testContainer({ restartCount });
  return { ...container, annotations: { ...container.annotations, [RESOURCES]: JSON.stringify(made) } };
};
const pass = (container: Container, memory?: PodMemory, change: Parameters<typeof planInput>[0] = {}): PodPlan =>
  computePodActions(
    planInput({
      pod: podOf(container),
      observed: observation([running(small)]),
      ...(memory === undefined ? {} : { memory }),
      ...change,
    }),
  );
const resize = (plan: PodPlan) =>
  plan.actions.find((action): action is Extract<PodAction, { verb: 'resize' }> => action.verb === 'resize');
const conditions = (plan: PodPlan) =>
  (plan.status.conditions ?? [])
    .filter(({ type }) => type.startsWith('PodResize'))
    .map(({ type, reason }) => [type, reason]);
const done = (plan: PodPlan, ok = true): PodMemory => {
  const action = resize(plan);
  if (action === undefined) throw new Error('nothing is resized');
  const at = { wall: WALL, mono: MONO };
  return remember(plan.memory, [ok ? { action, at, ok } : { action, at, ok, reason: 'ResizeError', message: 'no' }]);
};

const settled = pass(main(small));

describe('a resize', () => {
  it('is nothing while spec and allocation agree', () => {
    expect(settled.actions).toEqual([]);
    expect(settled.memory.note.allocated).toEqual({ main: small });
    expect(conditions(settled)).toEqual([]);
    expect(settled.status.containerStatuses?.[0]).toMatchObject({
      allocatedResources: small.requests,
      resources: small,
    });
    // The same amounts in other words are no change.
    expect(pass(main({ ...small, requests: { cpu: '0.1', memory: '65536Ki' } }), settled.memory).actions).toEqual([]);
  });

  it('is given and done in place', () => {
    const begun = pass(main(large), settled.memory);
    expect(resize(begun)).toEqual({
      verb: 'resize',
      containers: [{ name: 'main', containerId: 'main-0' }],
      from: { main: small },
      to: { main: large },
    });
    expect(begun.events.map(({ reason }) => reason)).toEqual(['ResizeStarted']);
    expect(conditions(begun)).toEqual([['PodResizeInProgress', undefined]]);
    expect(begun.status.containerStatuses?.[0]?.allocatedResources).toEqual(large.requests);
    const after = pass(main(large), done(begun), { previousStatus: begun.status });
    expect(after.actions).toEqual([]);
    expect(conditions(after)).toEqual([]);
    expect(after.status.containerStatuses?.[0]?.resources).toEqual(large);
    expect(after.events.map(({ reason }) => reason)).toEqual(['ResizeCompleted']);
    // Back again, and the note alone is left.
    const { note } = JSON.parse(JSON.stringify(after.memory)) as PodMemory;
    expect(resize(pass(main(small), { ...after.memory, note }))).toMatchObject({
      from: { main: large },
      to: { main: small },
    });
  });

  it('is told as an error and tried again when it fails', () => {
    const failed = pass(main(large), done(pass(main(large), settled.memory), false));
    expect(failed.actions).toEqual([]);
    expect(failed.wakeAt).toBe(MONO + 500);
    expect(conditions(failed)).toEqual([['PodResizeInProgress', 'Error']]);
  });

  it('restarts the container when the policy of a changed resource says so', () => {
    const container = (resources: Container['resources']) => main(resources, { resizePolicy: restartsForMemory });
    const before = pass(container(small));
    expect(resize(pass(container(large), before.memory))?.containers).toHaveLength(1);
    const plan = pass(container(more), before.memory);
    expect(resize(plan)?.containers).toEqual([]);
    expect(plan.actions.find(({ verb }) => verb === 'stop-container')).toMatchObject({
      message: 'Container main resize requires restart',
    });
    const again = pass(container(more), done(plan), { observed: observation([running(more, 1)]) });
    expect(again.actions).toEqual([]);
    expect(conditions(again)).toEqual([]);
  });

  it.each(['Deferred', 'Infeasible'] as const)('that is %s leaves all as it is, and is looked at again', (reason) => {
    const facts = { resize: () => ({ fits: false, reason, message: 'no room' }) as const };
    const plan = pass(main(large), settled.memory, { facts });
    expect(plan.actions).toEqual([]);
    expect(plan.wakeAt).toBe(MONO + 10_000);
    expect(conditions(plan)).toEqual([['PodResizePending', reason]]);
    expect(plan.status.containerStatuses?.[0]?.allocatedResources).toEqual(small.requests);
    expect(plan.events).toMatchObject([{ type: 'Warning', reason: `Resize${reason}` }]);
    expect(pass(main(large), plan.memory, { facts, previousStatus: plan.status }).events).toEqual([]);
    // What is started meanwhile gets what was given.
    expect(resize(pass(main(large), plan.memory))).toBeDefined();
  });

  it('holds starts up while it goes on', () => {
    const facts = { jobs: { resize: { startedAt: MONO } } };
    const plan = pass(main(large), settled.memory, { observed: observation([]), facts });
    expect(plan.actions).toEqual([]);
  });

  it('of a pod that ends is not begun', () => {
    const request = { reason: 'Deleted', message: '', gracePeriodSeconds: 30, requestedAt: WALL } as const;
    const lifecycle = { state: 'terminating', request, deadline: MONO + 30_000 } as const;
    const plan = pass(main(large), settled.memory, { lifecycle });
    expect(resize(plan)).toBeUndefined();
    expect(plan.memory.note.allocated).toEqual({ main: small });
  });
});
