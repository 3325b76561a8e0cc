/** Late recovery in whole plans: passes one after another, as the worker makes them. */
import { describe, expect, it } from 'vitest';
import { DEPENDS_ON, HEALING_POLICY, HEALING_STATE, type Pod, RECOVERY } from '../../../api/index.ts';
import type { ImageFact, VolumesFact } from '../../types.ts';
import { computePodActions, type PodPlan } from '../compute-pod-actions.ts';
import { CRASH_BACK_OFF_CAP_MS } from '../limits.ts';
import { admittedMemory, exitedContainer, MONO, observation, planInput, testPod, WALL } from '../plan.fixtures.ts';
import type { PodMemory, PodNote } from '../pod-memory.ts';
import { backOffKey } from '../back-off.ts';
import { podPolicy } from '../healing/pod-policy.ts';
import type { Circumstances } from './circumstances.ts';

const SECOND = 1000;

function podWith(annotations: Record<string, string> = { [HEALING_POLICY]: '{}' }): Pod {
  return testPod({}, { annotations });
}

interface Pass {
  /** ms since the container's death. */
  readonly at: number;
  readonly circumstances?: Circumstances;
  readonly pod?: Pod;
  readonly image?: ImageFact;
  readonly volumes?: VolumesFact;
}

/** A pod of one container that died at WALL and waits for five minutes, which nobody's ladder holds up. */
class Waiting {
  memory: PodMemory;
  pod: Pod;
  deathAt = WALL;
  restartCount = 5;

  constructor(annotations?: Record<string, string>, note: Partial<PodNote> = {}) {
    this.pod = podWith(annotations ?? { [DEPENDS_ON]: 'service/db, 10.0.0.7:80' });
    const key = backOffKey(this.pod, this.pod.spec!.containers[0]!);
    this.memory = admittedMemory({
      containers: {
        main: {
          deaths: [],
          backOff: { key, delayMs: CRASH_BACK_OFF_CAP_MS, lastUpdate: WALL - 2 * SECOND, attempt: this.restartCount },
        },
      },
      ...note,
    });
  }

  pass({ at, circumstances, pod, image, volumes }: Pass): PodPlan {
    const plan = computePodActions(
      planInput({
        pod: pod ?? this.pod,
        memory: this.memory,
        now: { wall: WALL + at, mono: MONO + at },
        observed: observation([
          exitedContainer(1, this.deathAt, { restartCount: this.restartCount, startedAt: this.deathAt - SECOND }),
        ]),
        facts: {
          ...(circumstances === undefined ? {} : { circumstances }),
          ...(image === undefined ? {} : { image: () => image }),
          ...(volumes === undefined ? {} : { volumes }),
        },
      }),
    );
    this.memory = plan.memory;
    return plan;
  }

  /** The start that was planned came about, and ended at `at`. */
  diesAgain(at: number): void {
    this.restartCount += 1;
    this.deathAt = WALL + at;
  }
}

const starts = (plan: PodPlan): boolean => plan.actions.some(({ verb }) => verb === 'start-container');
const ends = (plan: PodPlan): readonly string[] =>
  plan.events.filter(({ reason }) => reason === 'BackOffEnded').map(({ message }) => message);
const signal = (id: string, annotations: Record<string, string> = { [DEPENDS_ON]: 'service/db' }): Pod =>
  podWith({
    ...annotations,
    [RECOVERY]: JSON.stringify({ id, at: new Date(WALL).toISOString(), cause: 'service/db became ready' }),
  });

describe('late recovery', () => {
  it('ends the wait when a ConfigMap changed, and says what it saved', () => {
    const pod = new Waiting();
    expect(starts(pod.pass({ at: 1, circumstances: { 'configmap/app': 'a' } }))).toBe(false);
    const plan = pod.pass({ at: 50 * SECOND, circumstances: { 'configmap/app': 'b' } });
    expect(starts(plan)).toBe(true);
    expect(ends(plan)).toEqual(['configmap/app changed: starting container main now instead of in 4m10s']);
    const told = plan.annotations[HEALING_STATE] ?? '';
    expect(JSON.parse(told)).toEqual({
      recovery: { cause: 'configmap/app changed', at: '2026-11-20T12:00:50.000000Z' },
    });
    expect(plan.events[0]).toMatchObject({ type: 'Normal', fieldPath: 'spec.containers{main}' });
  });

  it('goes on with the curve: the next crash waits the longest delay, and the same news end nothing twice', () => {
    const pod = new Waiting();
    pod.pass({ at: 1, circumstances: { 'configmap/app': 'a' } });
    expect(starts(pod.pass({ at: SECOND, circumstances: { 'configmap/app': 'b' } }))).toBe(true);
    pod.diesAgain(2 * SECOND);
    const plan = pod.pass({ at: 2 * SECOND, circumstances: { 'configmap/app': 'b' } });
    expect(starts(plan)).toBe(false);
    expect(plan.wakeAt).toBe(MONO + 2 * SECOND + CRASH_BACK_OFF_CAP_MS);
  });

  it('does nothing for a pod that did not ask for it, and forgets what it knew of one that did', () => {
    const pod = new Waiting();
    pod.pass({ at: 1, circumstances: { 'configmap/app': 'a' } });
    expect(pod.memory.note.circumstances).toBeDefined();
    const plan = pod.pass({ at: SECOND, circumstances: { 'configmap/app': 'b' }, pod: testPod() });
    expect(starts(plan)).toBe(false);
    expect(plan.memory.note.circumstances).toBeUndefined();
    expect(starts(pod.pass({ at: SECOND, pod: signal('1', {}) }))).toBe(false);
  });

  it('sees what changed while the agent was away', () => {
    const pod = new Waiting(undefined, { circumstances: { 'secret/key': { value: 'absent', at: WALL - SECOND } } });
    const plan = pod.pass({ at: 5 * SECOND, circumstances: { 'secret/key': 'x' } });
    expect(ends(plan)).toEqual(['secret/key was created: starting container main now instead of in 4m55s']);
  });

  it('takes each signal of the controller once, whatever came between', () => {
    const pod = new Waiting();
    pod.pass({ at: 1, circumstances: { 'configmap/app': 'a' } });
    expect(ends(pod.pass({ at: SECOND, pod: signal('1') }))).toEqual([
      'service/db became ready: starting container main now instead of in 4m59s',
    ]);
    pod.diesAgain(2 * SECOND);
    expect(starts(pod.pass({ at: 10 * SECOND, pod: signal('1') }))).toBe(false);
    expect(starts(pod.pass({ at: 11 * SECOND, pod: signal('1'), circumstances: { 'configmap/app': 'b' } }))).toBe(true);
    pod.diesAgain(12 * SECOND);
    expect(starts(pod.pass({ at: 20 * SECOND, pod: signal('1') }))).toBe(false);
    expect(starts(pod.pass({ at: 21 * SECOND, pod: signal('2') }))).toBe(true);
  });

  it('says once what is wrong with annotations', () => {
    const pod = new Waiting({ [DEPENDS_ON]: 'service/db, database', [RECOVERY]: 'now' });
    const first = pod.pass({ at: 1 });
    expect(first.events.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
      'InvalidDependency annotation mendlet.dev/depends-on: "database": must be service/NAME[.NAMESPACE][:PORT], pod/NAME, deployment/NAME, statefulset/NAME or HOST:PORT',
      'InvalidRecovery annotation mendlet.dev/recovery: is no JSON',
      'BackOff Back-off restarting failed container main in pod web_default(11111111-2222-3333-4444-555555555555)',
    ]);
    expect(pod.pass({ at: 2 }).events).toEqual([]);
  });

  it.each<[string, number, boolean]>([
    ['a death soon after it still counts', 20 * SECOND, true],
    ['a death long after it is of something else', 40 * SECOND, false],
  ])('%s', (_, later, expected) => {
    const pod = new Waiting();
    pod.deathAt = WALL + later;
    // The signal came while it ran.
    pod.memory = {
      ...pod.memory,
      note: { ...pod.memory.note, recovery: { id: 'r', at: WALL, cause: 'db', signal: '1' } },
    };
    expect(starts(pod.pass({ at: later, pod: signal('1') }))).toBe(expected);
  });

  it('of what it is made from, any later death counts', () => {
    const pod = new Waiting();
    pod.deathAt = WALL + 100 * SECOND;
    pod.memory = {
      ...pod.memory,
      note: { ...pod.memory.note, recovery: { id: 'r', at: WALL, cause: 'c', lasting: true } },
    };
    expect(starts(pod.pass({ at: 101 * SECOND }))).toBe(true);
  });

  it('an address counts once it did not answer about the time of the death', () => {
    const pod = new Waiting();
    expect(starts(pod.pass({ at: 1, circumstances: { 'address/10.0.0.7:80': 'reachable' } }))).toBe(false);
    expect(starts(pod.pass({ at: SECOND, circumstances: { 'address/10.0.0.7:80': 'unreachable' } }))).toBe(false);
    expect(starts(pod.pass({ at: 200 * SECOND, circumstances: { 'address/10.0.0.7:80': 'reachable' } }))).toBe(true);
    const old = new Waiting(undefined, {
      circumstances: { 'address/10.0.0.7:80': { value: 'unreachable', at: WALL - 31 * SECOND } },
    });
    expect(starts(old.pass({ at: SECOND, circumstances: { 'address/10.0.0.7:80': 'reachable' } }))).toBe(false);
  });

  it('writes trouble down anew now and then, not at each look', () => {
    const pod = new Waiting();
    const circumstances = { 'address/10.0.0.7:80': 'unreachable' };
    pod.pass({ at: 0, circumstances });
    const { note } = pod.memory;
    pod.pass({ at: 9 * SECOND, circumstances });
    expect(pod.memory.note.circumstances).toBe(note.circumstances);
    pod.pass({ at: 11 * SECOND, circumstances });
    expect(pod.memory.note.circumstances?.['address/10.0.0.7:80']?.at).toBe(WALL + 11 * SECOND);
  });

  it('lets recoveries of one pod follow one another at two seconds, not faster', () => {
    const pod = new Waiting();
    pod.pass({ at: 1, pod: signal('1') });
    pod.diesAgain(100);
    const plan = pod.pass({ at: 500, pod: signal('2') });
    expect(starts(plan)).toBe(false);
    expect(plan.wakeAt).toBe(MONO + 2001);
    expect(starts(pod.pass({ at: 2001, pod: signal('2') }))).toBe(true);
  });

  it('lets the back-off hold after twenty within ten minutes, and says so', () => {
    const pod = new Waiting();
    let at = 0;
    for (let n = 1; n <= 20; n += 1) {
      at += 3 * SECOND;
      expect(starts(pod.pass({ at, pod: signal(String(n)) }))).toBe(true);
      pod.diesAgain(at + SECOND);
    }
    at += 3 * SECOND;
    const plan = pod.pass({ at, pod: signal('21') });
    expect(starts(plan)).toBe(false);
    expect(plan.events.map(({ reason, message }) => `${reason}: ${message}`)).toContain(
      'RecoveryLimited: service/db became ready, but back-offs ended early 20 times within 10m0s: they hold until fewer did',
    );
    expect(pod.pass({ at: at + SECOND, pod: signal('21') }).events).toEqual([]);
    expect(pod.memory.note.earlyEnds).toHaveLength(20);
    // When the first of them is ten minutes old.
    expect(starts(pod.pass({ at: 3 * SECOND + 600 * SECOND, pod: signal('21') }))).toBe(true);
  });

  it('a wall clock that went back does not keep recoveries away', () => {
    const future = Array.from({ length: 20 }, (_, i) => WALL + (3600 - i) * SECOND);
    const pod = new Waiting(undefined, { earlyEnds: future });
    expect(starts(pod.pass({ at: 1, pod: signal('1') }))).toBe(true);
  });

  it('goes on with a start whose image is not there yet', () => {
    const pod = new Waiting();
    expect(starts(pod.pass({ at: 1, pod: signal('1'), image: { state: 'pulling' } }))).toBe(false);
    expect(starts(pod.pass({ at: 1500, pod: signal('1') }))).toBe(true);
  });

  it.each([
    ['Always', 'pulling'],
    ['IfNotPresent', 'pulling'],
    // It is never pulled: somebody brings it.
    ['Never', 'looking for'],
  ] as const)('of policy %s: is %s the image now', (imagePullPolicy, doing) => {
    const pod = new Waiting();
    const spec = { ...pod.pod.spec, containers: [{ name: 'main', image: 'busybox', imagePullPolicy }] };
    pod.pod = { ...pod.pod, spec };
    const image: ImageFact = {
      state: 'failed',
      reason: 'ImagePullBackOff',
      message: 'no',
      retryAt: MONO + 80 * SECOND,
    };
    pod.memory = admittedMemory();
    const first = computePodActions(planInput({ pod: pod.pod, memory: pod.memory, facts: { image: () => image } }));
    expect(first.actions.map(({ verb }) => verb)).not.toContain('request-image');
    const plan = computePodActions(
      planInput({ pod: { ...signal('1'), spec }, memory: first.memory, facts: { image: () => image } }),
    );
    expect(plan.actions).toContainEqual({ verb: 'request-image', container: 'main', attempt: 0, afresh: true });
    expect(ends(plan)).toEqual([
      `service/db became ready: ${doing} the image of container main now instead of in 1m20s`,
    ]);
    const again = computePodActions(
      planInput({ pod: { ...signal('1'), spec }, memory: plan.memory, facts: { image: () => image } }),
    );
    expect(again.actions.map(({ verb }) => verb)).not.toContain('request-image');
  });

  it.each([
    ['now', 20 * SECOND, '20s'],
    ['once more, while a try is under way', -SECOND, '0s'],
  ])('sets volumes up %s', (_, left, told) => {
    const volumes: VolumesFact = { state: 'failed', message: 'PVC is not bound', retryAt: MONO + left };
    const circumstances = { 'persistentvolumeclaim/data': 'Pending' };
    const pod = podWith();
    const first = computePodActions(planInput({ pod, facts: { volumes, circumstances } }));
    const bound = { 'persistentvolumeclaim/data': 'Bound pv' };
    const plan = computePodActions(planInput({ pod, memory: first.memory, facts: { volumes, circumstances: bound } }));
    expect(plan.actions).toContainEqual({ verb: 'prepare-volumes', afresh: true });
    expect(ends(plan)).toEqual([
      `persistentvolumeclaim/data became Bound: setting up the volumes of container main now instead of in ${told}`,
    ]);
  });

  it('tries a start that failed again now', () => {
    const pod = podWith();
    const failure = { attempt: 0, failures: 6, reason: 'CreateContainerConfigError', message: 'x', failedAt: WALL };
    const memory = admittedMemory({
      containers: { main: { deaths: [], failure } },
      circumstances: { 'secret/key': { value: 'absent', at: WALL } },
    });
    const observed = observation([]);
    const plan = computePodActions(
      planInput({ pod, memory, observed, facts: { circumstances: { 'secret/key': 'x' } } }),
    );
    expect(ends(plan)).toEqual(['secret/key was created: starting container main now instead of in 10s']);
    expect(starts(plan)).toBe(true);
  });

  it('a change by hand lets a stopped ladder begin anew; a dependency does not', () => {
    const stopped = (): Waiting => {
      const pod = new Waiting({ [HEALING_POLICY]: '{}', [DEPENDS_ON]: 'service/db' });
      const key = backOffKey(pod.pod, pod.pod.spec!.containers[0]!);
      const own = podPolicy(pod.pod);
      const note: PodNote = {
        ...pod.memory.note,
        circumstances: { 'configmap/app': { value: 'a', at: WALL } },
        healing: {
          policy: own.kind === 'valid' ? own.hash : '',
          rung: 'container',
          attempts: [],
          podRestarts: 2,
          since: WALL - SECOND,
          stopped: {
            reason: 'AttemptsExhausted',
            message: 'tried enough',
            at: WALL,
            containers: { main: { containerId: 'main-5', key } },
          },
        },
      };
      pod.memory = { ...pod.memory, note };
      return pod;
    };
    const depends = stopped();
    const annotations = depends.pod.metadata?.annotations ?? {};
    expect(starts(depends.pass({ at: SECOND, pod: signal('1', annotations) }))).toBe(false);
    expect(depends.memory.note.healing?.stopped).toBeDefined();
    const byHand = stopped();
    const plan = byHand.pass({ at: SECOND, circumstances: { 'configmap/app': 'b' } });
    expect(plan.memory.note.healing).toMatchObject({ podRestarts: 2 });
    expect(plan.memory.note.healing?.stopped).toBeUndefined();
    expect(plan.events.map(({ reason }) => reason)).toContain('HealingResumed');
    expect(starts(plan)).toBe(true);
  });
});
