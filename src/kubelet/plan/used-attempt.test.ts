import { describe, expect, it } from 'vitest';
import type { Outcome } from './actions.ts';
import { computePodActions } from './compute-pod-actions.ts';
import { admittedMemory, MONO, observation, planInput, testContainer, testPod, WALL } from './plan.fixtures.ts';
import type { PodMemory } from './pod-memory.ts';
import { remember } from './remember.ts';

function failedStart(attempt: number, reason: string): Outcome {
  return {
    action: {
      verb: 'start-container',
      container: 'main',
      sandboxId: 's',
      attempt,
      imageId: 'i',
      podIps: [],
      onHookFailure: { gracePeriodSeconds: 0, restart: true },
    },
    at: { wall: WALL, mono: MONO },
    ok: false,
    reason,
    message: 'no',
  };
}

function started(memory: PodMemory): readonly (number | undefined)[] {
  const later = { wall: WALL + 60_000, mono: MONO + 60_000 };
  const plan = computePodActions(planInput({ pod: testPod(), observed: observation([]), memory, now: later }));
  return plan.actions.map((action) => (action.verb === 'start-container' ? action.attempt : undefined));
}

describe('the count of a start that was sent', () => {
  it('is not used again, and the failures go on counting', () => {
    let memory = remember(admittedMemory(), [failedStart(0, 'RunContainerError')]);
    expect(started(memory)).toEqual([1]);
    memory = remember(memory, [failedStart(1, 'RunContainerError')]);
    expect(memory.note.containers['main']).toMatchObject({ usedAttempt: 1, failure: { attempt: 1, failures: 2 } });
    expect(started(memory)).toEqual([2]);
    memory = remember(memory, [failedStart(2, 'CreateContainerError')]);
    expect(memory.note.containers['main']?.failure).toMatchObject({ attempt: 2, failures: 3 });
    expect(started(memory)).toEqual([2]);
  });

  it('waits as long as one whose count is', () => {
    const memory = remember(admittedMemory(), [failedStart(0, 'RunContainerError')]);
    const plan = computePodActions(planInput({ pod: testPod(), observed: observation([]), memory }));
    expect(plan.actions).toEqual([]);
    expect(plan.status.containerStatuses?.[0]?.state?.waiting?.reason).toBe('RunContainerError');
  });

  it('is used again when nothing was sent', () => {
    expect(started(remember(admittedMemory(), [failedStart(0, 'CreateContainerError')]))).toEqual([0]);
  });

  it('is counted for a container that somebody made and nobody starts', () => {
    const observed = observation([testContainer({ state: 'created', restartCount: 4 })]);
    const plan = computePodActions(planInput({ pod: testPod(), observed, memory: admittedMemory() }));
    expect(plan.actions.map(({ verb }) => verb)).toEqual(['remove-container']);
    expect(started(plan.memory)).toEqual([5]);
  });
});
