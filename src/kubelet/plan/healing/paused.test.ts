import { describe, expect, it } from 'vitest';
import { HEALING_PAUSED, HEALING_PAUSED_CONDITION, HEALING_POLICY, RESTART_REQUEST } from '../../../api/index.ts';
import { computePodActions } from '../compute-pod-actions.ts';
import {
  admittedMemory,
  exitedContainer,
  MONO,
  observation,
  planInput,
  testContainer,
  testPod,
  testSandbox,
  WALL,
} from '../plan.fixtures.ts';
import type { PlanInput } from '../facts.ts';
import { withContainer } from '../pod-memory.ts';

const PAUSED = { [HEALING_PAUSED]: 'looking at a deadlock' };
const dead = () => observation([exitedContainer(1, WALL - 60_000)]);

function verbs(input: PlanInput): readonly string[] {
  return computePodActions(input).actions.flatMap(({ verb }) => (verb === 'read-termination-message' ? [] : [verb]));
}

describe('a pod whose healing is paused', () => {
  it('starts for the first time as ever', () => {
    expect(verbs(planInput({ pod: testPod({}, { annotations: PAUSED }), observed: observation([]) }))).toContain(
      'start-container',
    );
  });

  it('is not started again, and says why', () => {
    const observed = dead();
    expect(verbs(planInput({ observed }))).toContain('start-container');
    const plan = computePodActions(planInput({ pod: testPod({}, { annotations: PAUSED }), observed }));
    expect(plan.actions.map(({ verb }) => verb)).not.toContain('start-container');
    expect(plan.wakeAt).toBeUndefined();
    const message = 'Healing is paused by hand: looking at a deadlock';
    expect(plan.status.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'HealingPaused',
      message: `${message}; it starts again when it is resumed`,
    });
    expect(plan.status.conditions).toContainEqual(
      expect.objectContaining({ type: HEALING_PAUSED_CONDITION, status: 'True', reason: 'PausedByHand', message }),
    );
    expect(plan.events).toContainEqual(expect.objectContaining({ type: 'Normal', reason: 'HealingPaused' }));
    expect(plan.why.join()).toContain('HealingPaused');
    expect(plan.status.phase).toBe('Running');
  });

  it.each(['true', 'x'])('by any text but false: %s', (text) => {
    const pod = testPod({}, { annotations: { [HEALING_PAUSED]: text } });
    expect(verbs(planInput({ pod, observed: dead() }))).not.toContain('start-container');
  });

  it.each(['false', '', ' '])('not by "%s"', (text) => {
    const pod = testPod({}, { annotations: { [HEALING_PAUSED]: text } });
    expect(verbs(planInput({ pod, observed: dead() }))).toContain('start-container');
  });

  it('goes on when it is resumed', () => {
    const paused = computePodActions(planInput({ pod: testPod({}, { annotations: PAUSED }), observed: dead() }));
    const told = { ...testPod(), status: paused.status };
    const main = paused.memory.note.containers['main'] ?? { deaths: [] };
    const deaths = main.deaths.map((death) => ({ ...death, messageRead: true }));
    const note = withContainer(paused.memory.note, 'main', { ...main, deaths });
    const plan = computePodActions(
      planInput({ pod: told, observed: dead(), memory: { ...paused.memory, note }, previousStatus: paused.status }),
    );
    expect(plan.actions.map(({ verb }) => verb)).toContain('start-container');
    expect(plan.events).toContainEqual(expect.objectContaining({ reason: 'HealingResumed' }));
    expect(plan.status.conditions).toContainEqual(
      expect.objectContaining({ type: HEALING_PAUSED_CONDITION, status: 'False', reason: 'NotPaused' }),
    );
  });

  it('tells each once', () => {
    const pod = testPod({}, { annotations: PAUSED });
    const first = computePodActions(planInput({ pod, observed: dead() }));
    const next = { pod: { ...pod, status: first.status }, observed: dead(), memory: first.memory };
    expect(computePodActions(planInput({ ...next, previousStatus: first.status })).events).toEqual([]);
  });

  it.each(['liveness', 'startup'] as const)('is not killed for a failed %s probe', (type) => {
    const container = { name: 'main', image: 'busybox', [`${type}Probe`]: { exec: { command: ['false'] } } };
    const observed = observation([testContainer({ spec: container })]);
    const facts = { probes: { 'main-0': { [type]: 'failure' as const } } };
    const spec = { containers: [container] };
    expect(verbs(planInput({ pod: testPod(spec), observed, facts }))).toContain('stop-container');
    expect(verbs(planInput({ pod: testPod(spec, { annotations: PAUSED }), observed, facts }))).toEqual([]);
  });

  it('is ended for a changed image', () => {
    const pod = testPod({ containers: [{ name: 'main', image: 'busybox:2' }] }, { annotations: PAUSED });
    expect(verbs(planInput({ pod, observed: observation([testContainer()]) }))).toContain('stop-container');
  });

  it('is not answered by its ladder', () => {
    const policy = { [HEALING_POLICY]: '{"rungs":[{"scope":"pod","attempts":3}]}' };
    const ladder = computePodActions(planInput({ pod: testPod({}, { annotations: policy }), observed: dead() }));
    expect(ladder.memory.note.healing?.attempts).toHaveLength(1);
    const pod = testPod({}, { annotations: { ...policy, ...PAUSED } });
    const plan = computePodActions(planInput({ pod, observed: dead() }));
    expect(plan.memory.note.healing?.attempts ?? []).toEqual([]);
    expect(plan.memory.note.restart).toBeUndefined();
  });

  it('keeps a lost sandbox as it is', () => {
    const lost = testSandbox(0, { state: 'notready' });
    const observed = observation([exitedContainer(137, WALL - 60_000)], [lost]);
    expect(verbs(planInput({ observed }))).toContain('stop-sandbox');
    expect(verbs(planInput({ pod: testPod({}, { annotations: PAUSED }), observed }))).toEqual([]);
  });

  it('is restarted when somebody asks for it', () => {
    const request = JSON.stringify({ id: 'r1', scope: 'container', container: 'main', force: true });
    const pod = testPod({}, { annotations: { ...PAUSED, [RESTART_REQUEST]: request } });
    expect(verbs(planInput({ pod, observed: dead() }))).toContain('start-container');
  });

  it('ends as its restart policy says', () => {
    const pod = testPod({ restartPolicy: 'OnFailure' }, { annotations: PAUSED });
    const observed = observation([exitedContainer(0, WALL - 60_000)]);
    const plan = computePodActions(
      planInput({ pod, observed, memory: admittedMemory(), now: { wall: WALL, mono: MONO } }),
    );
    expect(plan.lifecycle.state).not.toBe('syncing');
  });
});
