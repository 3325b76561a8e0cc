import { describe, expect, it } from 'vitest';
import { HEALING_PAUSED, HEALING_POLICY, TRY_NOW } from '../../../api/index.ts';
import { computePodActions } from '../compute-pod-actions.ts';
import {
  admittedMemory,
  exitedContainer,
  observation,
  planInput,
  testContainer,
  testPod,
  WALL,
} from '../plan.fixtures.ts';
import type { PodNote } from '../pod-memory.ts';
import { backOffKey } from '../back-off.ts';

const NOW = { [TRY_NOW]: '2026-11-20T12:00:00.000000Z' };
const key = backOffKey(testPod(), { name: 'main', image: 'busybox' });
/** Waits in its back-off for minutes. */
const backOff = { key, delayMs: 160_000, lastUpdate: WALL - 2000 };
const waiting = () => observation([exitedContainer(1, WALL - 1000, { restartCount: 5, backOff })]);

const starts = (plan: ReturnType<typeof computePodActions>) =>
  plan.actions.flatMap((action) => (action.verb === 'start-container' ? [action.container] : []));

describe('try now', () => {
  it('starts what waits in a back-off, once, on a fresh curve', () => {
    const before = computePodActions(planInput({ observed: waiting() }));
    expect(starts(before)).toEqual([]);
    const pod = testPod({}, { annotations: NOW });
    const plan = computePodActions(planInput({ pod, observed: waiting(), memory: before.memory }));
    expect(starts(plan)).toEqual(['main']);
    expect(plan.memory.note.containers['main']?.backOff).toBeUndefined();
    expect(plan.events).toContainEqual(expect.objectContaining({ type: 'Normal', reason: 'TriedNow' }));
    const again = observation([exitedContainer(1, WALL - 500, { restartCount: 6 })]);
    const first = computePodActions(planInput({ pod, observed: again, memory: plan.memory }));
    expect(first.events.map(({ reason }) => reason)).not.toContain('TriedNow');
  });

  it('leaves what runs alone', () => {
    const pod = testPod(
      {
        containers: [
          { name: 'main', image: 'busybox' },
          { name: 'other', image: 'busybox' },
        ],
      },
      { annotations: NOW },
    );
    const observed = observation([...waiting().containers, testContainer({ name: 'other' })]);
    const plan = computePodActions(planInput({ pod, observed }));
    expect(plan.actions.map(({ verb }) => verb)).not.toContain('stop-container');
    expect(starts(plan)).toEqual(['main']);
  });

  it('does nothing to a pod that does not wait', () => {
    const pod = testPod({}, { annotations: NOW });
    const plan = computePodActions(planInput({ pod, observed: observation([testContainer()]) }));
    expect(plan.actions).toEqual([]);
    expect(plan.events).toEqual([]);
  });

  it('leaves what has ended for good', () => {
    const pod = testPod({ restartPolicy: 'Never' }, { annotations: NOW });
    expect(starts(computePodActions(planInput({ pod, observed: waiting() })))).toEqual([]);
  });

  it('asks for images again', () => {
    const pod = testPod({}, { annotations: NOW });
    const failed = { state: 'failed', reason: 'ImagePullBackOff', message: '', retryAt: Number.MAX_VALUE } as const;
    const plan = computePodActions(planInput({ pod, observed: observation([]), facts: { image: () => failed } }));
    expect(plan.actions).toContainEqual(expect.objectContaining({ verb: 'request-image', afresh: true }));
  });

  it('resets a ladder that has stopped', () => {
    const annotations = { [HEALING_POLICY]: '{"rungs":[{"scope":"container","attempts":1}]}' };
    const one = computePodActions(planInput({ pod: testPod({}, { annotations }), observed: waiting() }));
    const later = observation([exitedContainer(1, WALL - 500, { restartCount: 6 })]);
    const stopped = computePodActions(
      planInput({ pod: testPod({}, { annotations }), observed: later, memory: one.memory }),
    );
    expect(stopped.memory.note.healing?.stopped).toBeDefined();
    const pod = testPod({}, { annotations: { ...annotations, ...NOW } });
    const plan = computePodActions(planInput({ pod, observed: later, memory: stopped.memory }));
    expect(plan.memory.note.healing?.stopped).toBeUndefined();
    expect(starts(plan)).toEqual(['main']);
  });

  it('starts a paused container once', () => {
    const pod = testPod({}, { annotations: { ...NOW, [HEALING_PAUSED]: 'true' } });
    const plan = computePodActions(planInput({ pod, observed: waiting() }));
    expect(starts(plan)).toEqual(['main']);
    const again = observation([exitedContainer(1, WALL - 500, { restartCount: 6 })]);
    expect(starts(computePodActions(planInput({ pod, observed: again, memory: plan.memory })))).toEqual([]);
  });

  it('tries failed jobs again', () => {
    const memory = admittedMemory();
    const failures = { 'create-sandbox': { failures: 5, message: 'no address', retryAt: Number.MAX_VALUE } };
    const broken = { ...memory, volatile: { ...memory.volatile, failures } };
    const verbs = (pod = testPod()) =>
      computePodActions(planInput({ pod, observed: observation([], []), memory: broken })).actions.map(
        ({ verb }) => verb,
      );
    expect(verbs()).not.toContain('create-sandbox');
    expect(verbs(testPod({}, { annotations: NOW }))).toContain('create-sandbox');
  });

  it.each(['', 'a b', 'x'.repeat(129)])('says that an id cannot be read: "%s"', (id) => {
    const pod = testPod({}, { annotations: { [TRY_NOW]: id } });
    const plan = computePodActions(planInput({ pod, observed: waiting() }));
    expect(starts(plan)).toEqual([]);
    const told = plan.events.filter(({ reason }) => reason === 'InvalidTryNow');
    expect(told).toHaveLength(1);
    expect(told[0]?.message.length).toBeLessThan(400);
    const note: PodNote = plan.memory.note;
    expect(note.triedNow).toBeUndefined();
    const next = computePodActions(planInput({ pod, observed: waiting(), memory: plan.memory }));
    expect(next.events.filter(({ reason }) => reason === 'InvalidTryNow')).toEqual([]);
  });
});
