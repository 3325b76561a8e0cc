import { describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../api/index.ts';
import { computePodActions, type PodPlan } from './compute-pod-actions.ts';
import { exitedContainer, MONO, observation, planInput, testContainer, testPod, WALL } from './plan.fixtures.ts';
import type { PodMemory } from './pod-memory.ts';

const rule = (...values: number[]) => [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values } }];
const init: Container = { name: 'init', image: 'i' };
const side: Container = { name: 'side', image: 's', restartPolicy: 'Always' };
const main: Container = { name: 'main', image: 'busybox', restartPolicy: 'Never', restartPolicyRules: rule(42) };
const other: Container = { name: 'other', image: 'o', lifecycle: { preStop: { sleep: { seconds: 5 } } } };

const pod = (change: Partial<NonNullable<Pod['spec']>> = {}): Pod =>
  testPod({ restartPolicy: 'Never', initContainers: [init, side], containers: [main, other], ...change });

const up = (spec: Container, restartCount = 0) => testContainer({ name: spec.name, spec, restartCount });
const down = (spec: Container, exitCode: number, restartCount = 0, ago = 0) =>
  exitedContainer(exitCode, WALL - ago, { name: spec.name, spec, restartCount });
const verbs = (plan: PodPlan) =>
  plan.actions.flatMap((action) => {
    if (action.verb === 'start-container') return [`start ${action.container} ${action.attempt}`];
    if (action.verb === 'stop-container') return [`stop ${action.container}`];
    return action.verb === 'read-termination-message' ? [] : [action.verb];
  });
const condition = (plan: PodPlan) => plan.status.conditions?.find(({ type }) => type === 'AllContainersRestarting');
const running = [up(side), up(main), up(other)];
const initialized = computePodActions(planInput({ pod: pod(), observed: observation([down(init, 0), ...running]) }));
const reaches = (containers: Parameters<typeof observation>[0], memory: PodMemory = initialized.memory, more = {}) =>
  computePodActions(planInput({ pod: pod(), memory, observed: observation(containers), ...more }));

describe('RestartAllContainers', () => {
  it('is told by a condition of pods that have such a rule alone', () => {
    expect(condition(initialized)).toMatchObject({ status: 'False' });
    expect(condition(computePodActions(planInput({ observed: observation([testContainer()]) })))).toBeUndefined();
  });

  it('ends all others at once, without hooks and order, then begins with the init containers', () => {
    const ending = reaches([down(init, 0), up(side), down(main, 42), up(other)]);
    expect(verbs(ending)).toEqual(['stop side', 'stop other']);
    expect(ending.actions.filter(({ verb }) => verb === 'stop-container')).toMatchObject([
      { graceMs: 2000, preStop: false },
      { graceMs: 2000, preStop: false },
    ]);
    expect(condition(ending)).toMatchObject({ status: 'True', reason: 'RestartAllContainersStarted' });
    expect(ending.status.phase).toBe('Running');
    expect(ending.lifecycle.state).toBe('syncing');

    const dead = [down(init, 0), down(side, 137), down(main, 42), down(other, 137)];
    const again = reaches(dead, ending.memory);
    expect(verbs(again)).toEqual(['start init 1']);
    expect(condition(again)).toMatchObject({ status: 'False' });
    expect(again.status.conditions?.find(({ type }) => type === 'Initialized')?.status).toBe('True');
    expect(again.status.containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: 'PodInitializing' } },
      lastState: { terminated: { exitCode: 42 } },
    });

    const sidecars = reaches([down(init, 0, 1), ...dead], again.memory);
    expect(verbs(sidecars)).toEqual(['start side 1']);
    const apps = reaches([down(init, 0, 1), up(side, 1), ...dead], sidecars.memory);
    expect(verbs(apps)).toEqual(['start main 1', 'start other 1']);
    const well = reaches([down(init, 0, 1), up(side, 1), up(main, 1), up(other, 1), ...dead], apps.memory);
    expect(verbs(well).filter((verb) => verb.startsWith('st'))).toEqual([]);
    expect(well.status.phase).toBe('Running');
    expect(well.status.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([1, 1]);
  });

  it('restarts what had ended for good, too', () => {
    const dead = [down(init, 0), down(side, 137), down(main, 42), down(other, 0)];
    const plan = reaches(dead);
    const next = reaches([down(init, 0, 1), up(side, 1), ...dead], plan.memory);
    expect(verbs(next)).toEqual(['start main 1', 'start other 1']);
  });

  it('backs off 10 s, 20 s, 40 s from the second time on, shown by the container that asked for it', () => {
    const first = reaches([down(init, 0), down(side, 137), down(main, 42), down(other, 137)]);
    let { memory } = first;
    let now = { wall: WALL, mono: MONO };
    for (const [count, delay] of [10, 20, 40].entries()) {
      const at = (ago: number) => [
        exitedContainer(0, now.wall - ago - 100, { name: 'init', spec: init, restartCount: count + 1 }),
        exitedContainer(137, now.wall - ago, { name: 'side', spec: side, restartCount: count + 1 }),
        exitedContainer(42, now.wall - ago, { name: 'main', spec: main, restartCount: count + 1 }),
        exitedContainer(137, now.wall - ago, { name: 'other', spec: other, restartCount: count + 1 }),
      ];
      const exited = at(0);
      const waiting = reaches(exited, memory, { now });
      expect(verbs(waiting)).toEqual([]);
      expect(waiting.wakeAt).toBe(now.mono + delay * 1000);
      expect(waiting.status.containerStatuses?.map(({ state }) => state?.waiting?.reason)).toEqual([
        'CrashLoopBackOff',
        'RestartingAllContainers',
      ]);
      expect(waiting.status.containerStatuses?.[0]?.state?.waiting?.message).toContain(`back-off ${delay}s`);
      expect(waiting.events.map(({ reason }) => reason)).toEqual(['BackOff']);
      expect(condition(waiting)?.status).toBe('True');
      now = { wall: now.wall + delay * 1000, mono: now.mono + delay * 1000 };
      const due = reaches(exited, waiting.memory, { now });
      expect(verbs(due)).toEqual([`start init ${count + 2}`]);
      ({ memory } = due);
    }
  });

  it('goes on after a restart of the agent, which forgets what is not in the note', () => {
    const ending = reaches([down(init, 0), up(side), down(main, 42), up(other)]);
    const note = JSON.parse(JSON.stringify(ending.memory.note)) as PodMemory['note'];
    const memory = {
      note,
      volatile: { ...ending.memory.volatile, mapped: {}, done: { 'prepare-cgroup': true as const } },
    };
    const dead = [down(init, 0), down(side, 137), down(main, 42), down(other, 137)];
    expect(verbs(reaches(dead, memory))).toEqual(['start init 1']);
  });

  it('is not asked for by a container that we killed', () => {
    const trap = { ...other, restartPolicyRules: rule(137), restartPolicy: 'Never' };
    const given = pod({ containers: [main, trap] });
    const both = [down(init, 0), up(side), down(main, 42), up(trap)];
    const ending = computePodActions(
      planInput({ pod: given, memory: initialized.memory, observed: observation(both) }),
    );
    expect(ending.memory.note.restartAll?.sources).toEqual(['main']);
    const dead = [down(init, 0), down(side, 137), down(main, 42), down(trap, 137)];
    const again = computePodActions(planInput({ pod: given, memory: ending.memory, observed: observation(dead) }));
    expect(verbs(again)).toEqual(['start init 1']);
    expect(again.memory.note.restartAll).toBeUndefined();
  });

  it('is asked for by init containers and sidecars, too', () => {
    const failing = { ...init, restartPolicyRules: rule(42), restartPolicy: 'Never' };
    const given = pod({ initContainers: [side, failing], containers: [other] });
    const ending = computePodActions(planInput({ pod: given, observed: observation([up(side), down(failing, 42)]) }));
    expect(verbs(ending)).toEqual(['stop side']);
    const dead = observation([down(side, 137), down(failing, 42)]);
    const again = computePodActions(planInput({ pod: given, memory: ending.memory, observed: dead }));
    expect(verbs(again)).toEqual(['start side 1']);
    const sidecar = { ...side, restartPolicyRules: rule(88) };
    const bySidecar = pod({ initContainers: [sidecar], containers: [other] });
    const observed = observation([down(sidecar, 88), up(other)]);
    expect(verbs(computePodActions(planInput({ pod: bySidecar, observed })))).toEqual(['stop other']);
  });

  it('leaves ephemeral containers alone', () => {
    const given = pod({ ephemeralContainers: [{ name: 'debug', image: 'd' }] });
    const observed = observation([
      up({ name: 'debug', image: 'd' }),
      down(init, 0),
      up(side),
      down(main, 42),
      up(other),
    ]);
    const plan = computePodActions(planInput({ pod: given, memory: initialized.memory, observed }));
    expect(verbs(plan)).toEqual(['stop side', 'stop other']);
  });

  it('waits for a start that is under way, and calls it off', () => {
    const jobs = { 'start-container/other': { startedAt: MONO } };
    const observed = observation([down(init, 0), down(side, 137), down(main, 42)]);
    const plan = computePodActions(planInput({ pod: pod(), memory: initialized.memory, observed, facts: { jobs } }));
    expect(verbs(plan)).toEqual(['cancel-starts']);
  });

  it('is over when the pod is deleted', () => {
    const ending = reaches([down(init, 0), up(side), down(main, 42), up(other)]);
    const deleted = testPod(pod().spec, { deletionTimestamp: '2026-11-20T12:00:00Z', deletionGracePeriodSeconds: 30 });
    const observed = observation([down(init, 0), up(side), down(main, 42), up(other)]);
    const plan = computePodActions(planInput({ pod: deleted, memory: ending.memory, observed }));
    expect(plan.lifecycle.state).toBe('terminating');
    expect(verbs(plan)).toEqual(['stop other']);
  });
});
