import { describe, expect, it } from 'vitest';
import type { PodStatus } from '../../api/index.ts';
import { computePodActions } from './compute-pod-actions.ts';
import type { PlanInput } from './facts.ts';
import { MESSAGE_HOLD_MS } from './limits.ts';
import { MONO, WALL, exitedContainer, observation, planInput, testContainer, testPod } from './plan.fixtures.ts';

const pod = testPod({ restartPolicy: 'Never' });
const KEY = 'read-termination-message/main-0';
const before = computePodActions(planInput({ pod, observed: observation([testContainer()]) })).status;
const dead = (change: Parameters<typeof exitedContainer>[2] = {}) => observation([exitedContainer(1, WALL, change)]);
const plan = (change: Parameters<typeof planInput>[0]) =>
  computePodActions(planInput({ pod, observed: dead(), previousStatus: before, ...change }));
const underWay = (startedAt: number): { facts: Partial<PlanInput['facts']> } => ({
  facts: { jobs: { [KEY]: { startedAt } } },
});
const told = (status: PodStatus) => [status.phase, Object.keys(status.containerStatuses?.[0]?.state ?? {})[0]];

describe('a death is told with what the container left to say', () => {
  it('not before the message is asked for, nor while it is read', () => {
    const asked = plan({});
    expect(asked.actions).toContainEqual(expect.objectContaining({ verb: 'read-termination-message' }));
    expect(asked.status).toEqual(before);
    const read = plan({ memory: asked.memory, lifecycle: asked.lifecycle, ...underWay(MONO) });
    expect(read.status).toEqual(before);
    expect(read.wakeAt).toBe(MONO + MESSAGE_HOLD_MS);
  });

  it('nor while the runtime still puts the container away, which is short', () => {
    expect(plan({ observed: dead({ ending: true }) }).status).toEqual(before);
    const late = plan({ observed: observation([exitedContainer(1, WALL - MESSAGE_HOLD_MS, { ending: true })]) });
    expect(told(late.status)).toEqual(['Failed', 'terminated']);
  });

  it('without it when the reading takes long, and when nothing was told before', () => {
    const { memory, lifecycle } = plan({});
    expect(told(plan({ memory, lifecycle, ...underWay(MONO - MESSAGE_HOLD_MS) }).status)).toEqual([
      'Failed',
      'terminated',
    ]);
    expect(told(plan({ previousStatus: undefined }).status)).toEqual(['Failed', 'terminated']);
  });

  it('with it as soon as it is read', () => {
    const { memory, lifecycle } = plan({});
    const main = memory.note.containers['main'];
    const deaths = (main?.deaths ?? []).map((death) => ({ ...death, message: 'OK', messageRead: true }));
    const note = { ...memory.note, containers: { main: { ...main, deaths } } };
    const { status } = plan({ memory: { ...memory, note }, lifecycle });
    expect(told(status)).toEqual(['Failed', 'terminated']);
    expect(status.containerStatuses?.[0]?.state?.terminated?.message).toBe('OK');
  });
});
