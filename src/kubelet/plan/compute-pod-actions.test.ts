import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import type { PodAction } from './actions.ts';
import { backOffKey } from './back-off.ts';
import { computePodActions, type PodPlan } from './compute-pod-actions.ts';
import type { PlanInput } from './facts.ts';
import type { PodLifecycle } from './lifecycle.ts';
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
} from './plan.fixtures.ts';
import { emptyMemory, type TerminationRequest } from './pod-memory.ts';

const verbs = (plan: PodPlan): string[] => plan.actions.map(({ verb }) => verb);
const find = <V extends PodAction['verb']>(plan: PodPlan, verb: V) =>
  plan.actions.find((action): action is Extract<PodAction, { verb: V }> => action.verb === verb);
const state = (plan: PodPlan) => plan.status.containerStatuses?.[0]?.state;
const lastState = (plan: PodPlan) => plan.status.containerStatuses?.[0]?.lastState;
const request: TerminationRequest = { reason: 'Deleted', message: '', gracePeriodSeconds: 30, requestedAt: WALL };
const terminating = (left = 30_000): PodLifecycle => ({ state: 'terminating', request, deadline: MONO + left });
const messageRead = (plan: PodPlan): PodPlan['memory'] => ({
  ...plan.memory,
  note: {
    ...plan.memory.note,
    containers: Object.fromEntries(
      Object.entries(plan.memory.note.containers).map(([name, memory]) => [
        name,
        { ...memory, deaths: memory.deaths.map((death) => ({ ...death, messageRead: true })) },
      ]),
    ),
  },
});

describe('a new pod', () => {
  it('asks for everything that can go on side by side', () => {
    const plan = computePodActions(planInput({ facts: { volumes: undefined, image: () => undefined } }));
    expect(verbs(plan)).toEqual(['prepare-volumes', 'create-sandbox', 'request-image']);
    expect(plan.status.phase).toBe('Pending');
    expect(state(plan)).toEqual({ waiting: { reason: 'ContainerCreating' } });
  });

  it('makes its cgroup before its sandbox', () => {
    const memory = admittedMemory();
    const plan = computePodActions(planInput({ memory: { ...memory, volatile: { ...memory.volatile, done: {} } } }));
    expect(verbs(plan)).toEqual(['prepare-cgroup']);
  });

  it('waits, and says so, while the sandbox comes up', () => {
    const plan = computePodActions(planInput({ facts: { jobs: { 'create-sandbox': { startedAt: MONO } } } }));
    expect(verbs(plan)).toEqual([]);
    expect(plan.why).toContain('create-sandbox is under way');
  });

  it('starts its container in the ready sandbox', () => {
    const plan = computePodActions(planInput({ observed: observation([]) }));
    expect(find(plan, 'start-container')).toMatchObject({
      container: 'main',
      sandboxId: 'sandbox-0',
      attempt: 0,
      podIps: ['10.244.0.5'],
    });
    expect(find(plan, 'start-container')?.backOff).toBeUndefined();
    expect(plan.status.conditions?.find(({ type }) => type === 'PodReadyToStartContainers')?.status).toBe('True');
  });

  it.each<[string, Partial<PlanInput['facts']>]>([
    ['image', { image: () => ({ state: 'pulling' }) }],
    ['volumes', { volumes: { state: 'preparing' } }],
    ['own start', { jobs: { 'start-container/main': { startedAt: MONO } } }],
  ])('waits for its %s', (_name, facts) => {
    const plan = computePodActions(planInput({ observed: observation([]), facts }));
    expect(verbs(plan)).toEqual([]);
    expect(plan.why).not.toEqual([]);
  });

  it('shows why its image cannot be had, and asks again when it is time', () => {
    const image = (retryAt: number) => () =>
      ({ state: 'failed', reason: 'ImagePullBackOff', message: 'no', retryAt }) as const;
    const waiting = computePodActions(planInput({ observed: observation([]), facts: { image: image(MONO + 7000) } }));
    expect(verbs(waiting)).toEqual([]);
    expect(waiting.wakeAt).toBe(MONO + 7000);
    expect(state(waiting)).toEqual({ waiting: { reason: 'ImagePullBackOff', message: 'no' } });
    const due = computePodActions(planInput({ observed: observation([]), facts: { image: image(MONO) } }));
    expect(verbs(due)).toEqual(['request-image']);
  });

  it('runs', () => {
    const plan = computePodActions(planInput({ observed: observation([testContainer()]) }));
    expect(plan.actions).toEqual([]);
    expect(plan.status.phase).toBe('Running');
    expect(plan.status.containerStatuses?.[0]).toMatchObject({
      ready: true,
      started: true,
      restartCount: 0,
      containerID: 'containerd://main-0',
      imageID: 'sha256:1',
    });
    expect(plan.status.podIPs).toEqual([{ ip: '10.244.0.5' }]);
    expect(plan.status.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
  });
});

describe('a dead container', () => {
  it('is restarted at once the first time, counted, with a 10 s back-off written on it', () => {
    const plan = computePodActions(planInput({ observed: observation([exitedContainer(1, WALL - 30)]) }));
    expect(find(plan, 'start-container')).toMatchObject({ attempt: 1, backOff: { delayMs: 10_000, lastUpdate: WALL } });
    expect(find(plan, 'read-termination-message')).toMatchObject({ containerId: 'main-0' });
    expect(plan.memory.note.containers.main?.backOff).toMatchObject({ attempt: 1, delayMs: 10_000 });
    expect(plan.status.phase).toBe('Running');
    expect(state(plan)?.terminated).toMatchObject({ exitCode: 1, reason: 'Error' });
  });

  it("waits in CrashLoopBackOff the next time, with upstream's words", () => {
    const pod = testPod();
    const backOff = {
      key: backOffKey(pod, pod.spec?.containers[0] ?? { name: '' }),
      delayMs: 10_000,
      lastUpdate: WALL - 3000,
    };
    const dead = exitedContainer(1, WALL - 1000, { restartCount: 1, backOff });
    const plan = computePodActions(planInput({ pod, observed: observation([dead]) }));
    expect(find(plan, 'start-container')).toBeUndefined();
    expect(plan.wakeAt).toBe(MONO + 9000);
    expect(state(plan)?.waiting).toEqual({
      reason: 'CrashLoopBackOff',
      message: `back-off 10s restarting failed container=main pod=web_default(${pod.metadata?.uid})`,
    });
    expect(lastState(plan)?.terminated).toMatchObject({ exitCode: 1, containerID: 'containerd://main-1' });
    expect(plan.status.phase).toBe('Running');
    expect(plan.events).toEqual([
      {
        type: 'Warning',
        reason: 'BackOff',
        message: `Back-off restarting failed container main in pod web_default(${pod.metadata?.uid})`,
        fieldPath: 'spec.containers{main}',
      },
    ]);
    const again = computePodActions(planInput({ pod, observed: observation([dead]), memory: plan.memory }));
    expect(again.events).toEqual([]);
  });

  it('keeps its wait when the wall clock steps after the exit was seen', () => {
    const pod = testPod();
    const backOff = {
      key: backOffKey(pod, pod.spec?.containers[0] ?? { name: '' }),
      delayMs: 40_000,
      lastUpdate: WALL - 3000,
    };
    const observed = observation([exitedContainer(1, WALL, { restartCount: 3, backOff })]);
    const first = computePodActions(planInput({ pod, observed }));
    for (const wall of [WALL - 3_600_000, WALL + 3_600_000]) {
      const plan = computePodActions(
        planInput({ pod, observed, memory: first.memory, now: { wall, mono: MONO + 39_999 } }),
      );
      expect(plan.wakeAt).toBe(MONO + 40_000);
    }
    const due = computePodActions(
      planInput({ pod, observed, memory: first.memory, now: { wall: WALL, mono: MONO + 40_000 } }),
    );
    expect(find(due, 'start-container')).toMatchObject({ attempt: 4, backOff: { delayMs: 80_000 } });
  });

  it('stays when its policy says so, and the pod is over when all have ended', () => {
    const pod = testPod({ restartPolicy: 'OnFailure' });
    const ended = computePodActions(planInput({ pod, observed: observation([exitedContainer(0, WALL)]) }));
    expect(ended.lifecycle.state).toBe('terminated');
    expect(ended.status.phase).toBe('Succeeded');
    expect(find(ended, 'stop-sandbox')).toBeDefined();
    const failed = computePodActions(
      planInput({ pod: testPod({ restartPolicy: 'Never' }), observed: observation([exitedContainer(3, WALL)]) }),
    );
    expect(failed.status.phase).toBe('Failed');
    expect(failed.status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'PodFailed',
    });
  });

  it('shows OOMKilled as the runtime says it', () => {
    const dead = exitedContainer(137, WALL - 10, { reason: 'OOMKilled' });
    const plan = computePodActions(planInput({ observed: observation([dead]) }));
    expect(state(plan)?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  it('that the runtime has lost is ContainerStatusUnknown, and goes on counting', () => {
    const before = computePodActions(planInput({ observed: observation([testContainer({ restartCount: 4 })]) }));
    const plan = computePodActions(planInput({ observed: observation([]), memory: before.memory }));
    expect(find(plan, 'start-container')).toMatchObject({ attempt: 5 });
    expect(plan.status.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
    });
    const never = computePodActions(
      planInput({ pod: testPod({ restartPolicy: 'Never' }), observed: observation([]), memory: before.memory }),
    );
    expect(never.status.phase).toBe('Failed');
  });

  it('that was never started is removed before its name is used again', () => {
    const created = testContainer({ state: 'created' });
    const plan = computePodActions(planInput({ observed: observation([created]) }));
    expect(verbs(plan)).toEqual(['remove-container']);
  });

  it.each([
    'failed to create containerd task: failed to create shim task: context canceled: unknown',
    'failed to create containerd task: failed to start shim: start failed: : signal: killed: unknown',
  ])('whose start our own end broke off has never run: not counted, not final, tried again (%s)', (message) => {
    const pod = testPod({ restartPolicy: 'Never' });
    const broken = exitedContainer(128, WALL, { startedAt: 0, reason: 'StartError', message });
    const plan = computePodActions(planInput({ pod, observed: observation([broken]) }));
    expect(verbs(plan)).toEqual(['remove-container']);
    expect(plan.status.phase).toBe('Pending');
    const next = computePodActions(planInput({ pod, observed: observation([]), memory: plan.memory }));
    expect(find(next, 'start-container')).toMatchObject({ attempt: 0 });
  });

  it('whose start was broken off when its command may have begun has ended', () => {
    const message = 'failed to start containerd task "main-0": context canceled: unknown';
    const broken = exitedContainer(128, WALL, { startedAt: 0, reason: 'StartError', message });
    const pod = testPod({ restartPolicy: 'Never' });
    expect(computePodActions(planInput({ pod, observed: observation([broken]) })).status.phase).toBe('Failed');
  });

  it('shows RunContainerError until its next start', () => {
    const memory = admittedMemory({
      containers: {
        main: {
          deaths: [],
          failure: { attempt: 0, failures: 1, reason: 'RunContainerError', message: 'boom', failedAt: WALL },
        },
      },
    });
    const dead = exitedContainer(128, WALL, { reason: 'StartError' });
    const plan = computePodActions(planInput({ observed: observation([dead]), memory }));
    expect(state(plan)?.waiting).toEqual({ reason: 'RunContainerError', message: 'boom' });
    expect(lastState(plan)?.terminated?.reason).toBe('StartError');
  });

  it('waits after a failed start, longer each time, up to 10 s', () => {
    const waits = [1, 2, 3, 4, 5, 6, 60].map((failures) => {
      const failure = { attempt: 0, failures, reason: 'CreateContainerError', message: 'no', failedAt: WALL };
      const memory = admittedMemory({ containers: { main: { deaths: [], failure } } });
      const plan = computePodActions(planInput({ observed: observation([]), memory }));
      expect(plan.actions).toEqual([]);
      expect(state(plan)?.waiting).toEqual({ reason: 'CreateContainerError', message: 'no' });
      return (plan.wakeAt ?? 0) - MONO;
    });
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });
});

describe('a running container that must not go on', () => {
  const probed = (pod: Pod, probes: PlanInput['facts']['probes']) =>
    computePodActions(planInput({ pod, observed: observation([testContainer()]), facts: { probes } }));

  it("is killed for a failed liveness probe, with the pod's grace or the probe's own", () => {
    const plan = probed(testPod(), { 'main-0': { liveness: 'failure' } });
    expect(find(plan, 'stop-container')).toMatchObject({
      containerId: 'main-0',
      graceMs: 30_000,
      preStop: true,
      message: 'Container main failed liveness probe, will be restarted',
    });
    const own = testPod({
      containers: [{ name: 'main', image: 'busybox', livenessProbe: { terminationGracePeriodSeconds: 3 } }],
    });
    expect(find(probed(own, { 'main-0': { liveness: 'failure' } }), 'stop-container')?.graceMs).toBe(3000);
  });

  it('is killed for a failed startup probe', () => {
    const plan = probed(testPod(), { 'main-0': { startup: 'failure' } });
    expect(find(plan, 'stop-container')?.message).toBe('Container main failed startup probe, will be restarted');
  });

  it('is restarted after a probe kill although it ended well under OnFailure', () => {
    const pod = testPod({ restartPolicy: 'OnFailure' });
    const killed = probed(pod, { 'main-0': { liveness: 'failure' } });
    const plan = computePodActions(
      planInput({ pod, memory: killed.memory, observed: observation([exitedContainer(0, WALL)]) }),
    );
    expect(find(plan, 'start-container')).toMatchObject({ attempt: 1 });
    // An API server refuses that a container has ended well under OnFailure and then runs again.
    expect(state(plan)).toEqual({ waiting: { reason: 'ContainerCreating' } });
    expect(lastState(plan)?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    expect(plan.status.phase).toBe('Running');
  });

  it('ends its pod after a probe kill under Never', () => {
    const pod = testPod({ restartPolicy: 'Never' });
    const killed = probed(pod, { 'main-0': { liveness: 'failure' } });
    expect(find(killed, 'stop-container')?.message).toBe('Container main failed liveness probe');
    const plan = computePodActions(
      planInput({ pod, memory: killed.memory, observed: observation([exitedContainer(0, WALL)]) }),
    );
    expect(find(plan, 'start-container')).toBeUndefined();
    expect(plan.lifecycle.state).toBe('terminated');
  });

  it('goes on being stopped with what is left of its grace after the agent came back', () => {
    const killed = probed(testPod(), { 'main-0': { liveness: 'failure' } });
    const memory = { ...killed.memory, volatile: { ...killed.memory.volatile, mapped: {} } };
    const now = { wall: WALL + 12_000, mono: 500 };
    const plan = computePodActions(planInput({ observed: observation([testContainer()]), memory, now }));
    expect(find(plan, 'stop-container')?.graceMs).toBe(18_000);
  });

  it('is replaced when its image changed, and only then', () => {
    const image = testPod({ containers: [{ name: 'main', image: 'busybox:2' }] });
    expect(find(probed(image, {}), 'stop-container')?.message).toBe(
      'Container main definition changed, will be restarted',
    );
    const env = testPod({ containers: [{ name: 'main', image: 'busybox', env: [{ name: 'A', value: 'b' }] }] });
    expect(probed(env, {}).actions).toEqual([]);
  });

  it('gives way when there are two of it', () => {
    const observed = observation([testContainer({ restartCount: 1 }), testContainer({ restartCount: 0 })]);
    const plan = computePodActions(planInput({ observed }));
    expect(find(plan, 'stop-container')?.containerId).toBe('main-0');
  });
});

describe('the sandbox', () => {
  it.each<[string, Parameters<typeof testSandbox>[1]]>([
    ['is not ready', { state: 'notready' }],
    ['has lost its address', { ips: [] }],
    ['is on the wrong network', { hostNetwork: true }],
  ])('is replaced when it %s: containers first, then itself, then the next attempt', (_name, change) => {
    const sandbox = testSandbox(2, change);
    const running = testContainer({ sandboxId: sandbox.id });
    const kill = computePodActions(planInput({ observed: observation([running], [sandbox]) }));
    expect(verbs(kill)).toEqual(['stop-container']);
    const dead = exitedContainer(137, WALL, { sandboxId: sandbox.id });
    const stop = computePodActions(planInput({ observed: observation([dead], [sandbox]), memory: messageRead(kill) }));
    expect(find(stop, 'stop-sandbox')).toMatchObject({ sandboxId: 'sandbox-2' });
    expect(stop.events).toContainEqual({
      type: 'Normal',
      reason: 'SandboxChanged',
      message: 'Pod sandbox changed, it will be killed and re-created.',
    });
    const memory = {
      ...messageRead(stop),
      volatile: {
        ...stop.memory.volatile,
        done: { ...stop.memory.volatile.done, 'stop-sandbox/sandbox-2': true as const },
      },
    };
    const stopped = { ...sandbox, state: 'notready' as const };
    const create = computePodActions(planInput({ observed: observation([dead], [stopped]), memory }));
    expect(find(create, 'create-sandbox')).toEqual({ verb: 'create-sandbox', attempt: 3 });
  });

  it('is not made again for a pod whose containers have all ended', () => {
    const pod = testPod({ restartPolicy: 'Never' });
    const observed = observation([exitedContainer(1, WALL)], [testSandbox(0, { state: 'notready' })]);
    const plan = computePodActions(planInput({ pod, observed }));
    expect(find(plan, 'create-sandbox')).toBeUndefined();
    expect(plan.status.phase).toBe('Failed');
  });

  it('goes on counting when the runtime has lost everything', () => {
    const memory = admittedMemory({ sandboxAttempt: 4 });
    const plan = computePodActions(planInput({ observed: undefined, memory }));
    expect(find(plan, 'create-sandbox')?.attempt).toBe(5);
  });
});

describe('init containers', () => {
  const pod = testPod({
    initContainers: [
      { name: 'one', image: 'i' },
      { name: 'two', image: 'i' },
    ],
  });
  const init = (name: string, exitCode?: number) => {
    const spec = { name, image: 'i' };
    return exitCode === undefined ? testContainer({ name, spec }) : exitedContainer(exitCode, WALL, { name, spec });
  };
  it('run one after the other, before the others', () => {
    const started = (containers: Parameters<typeof observation>[0]) =>
      find(computePodActions(planInput({ pod, observed: observation(containers) })), 'start-container')?.container;
    expect(started([])).toBe('one');
    expect(started([init('one')])).toBeUndefined();
    expect(started([init('one', 0)])).toBe('two');
    expect(started([init('one', 0), init('two', 0)])).toBe('main');
  });

  it('keep the pod Pending, PodInitializing', () => {
    const plan = computePodActions(planInput({ pod, observed: observation([init('one')]) }));
    expect(plan.status.phase).toBe('Pending');
    expect(state(plan)).toEqual({ waiting: { reason: 'PodInitializing' } });
    expect(plan.status.conditions?.find(({ type }) => type === 'Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [one two]',
    });
  });

  it('that fail are tried again, unless the policy is Never', () => {
    const again = computePodActions(planInput({ pod, observed: observation([init('one', 1)]) }));
    expect(find(again, 'start-container')).toMatchObject({ container: 'one', attempt: 1 });
    const never = testPod({ ...pod.spec, restartPolicy: 'Never' });
    const plan = computePodActions(planInput({ pod: never, observed: observation([init('one', 1)]) }));
    expect(plan.lifecycle.state).toBe('terminated');
    expect(plan.status.phase).toBe('Failed');
    // kubectl says Init:Error: nothing is said to be lost that never had its turn.
    expect(plan.status.initContainerStatuses?.map(({ state }) => Object.keys(state ?? {}))).toEqual([
      ['terminated'],
      ['waiting'],
    ]);
    expect(state(plan)).toEqual({ waiting: { reason: 'PodInitializing' } });
    expect(plan.status.conditions?.find(({ type }) => type === 'Initialized')).toMatchObject({
      status: 'False',
      message: 'containers with incomplete status: [one two]',
    });
  });

  it('run again in a new sandbox', () => {
    const observed = observation(
      [init('one', 0), init('two', 0), exitedContainer(1, WALL)],
      [testSandbox(1), testSandbox(0, { state: 'notready' })],
    );
    const plan = computePodActions(planInput({ pod, observed }));
    expect(find(plan, 'start-container')).toMatchObject({ container: 'one', attempt: 1, sandboxId: 'sandbox-1' });
  });

  it('that were removed once they were done are not run again', () => {
    const done = computePodActions(planInput({ pod, observed: observation([init('one', 0), init('two', 0)]) }));
    const plan = computePodActions(planInput({ pod, observed: observation([testContainer()]), memory: done.memory }));
    expect(plan.actions).toEqual([]);
    expect(plan.status.phase).toBe('Running');
  });

  it('wait for a sidecar to have started, and do not stop its restarts', () => {
    const sidecar = { name: 'side', image: 's', restartPolicy: 'Always', startupProbe: {} };
    const withSidecar = testPod({ initContainers: [sidecar] });
    const running = testContainer({ name: 'side', spec: sidecar });
    const waiting = computePodActions(planInput({ pod: withSidecar, observed: observation([running]) }));
    expect(waiting.actions).toEqual([]);
    const started = computePodActions(
      planInput({
        pod: withSidecar,
        observed: observation([running]),
        facts: { probes: { 'side-0': { startup: 'success' } } },
      }),
    );
    expect(find(started, 'start-container')?.container).toBe('main');
    const dead = exitedContainer(0, WALL, { name: 'side', spec: sidecar });
    const memory = started.memory;
    const again = computePodActions(
      planInput({ pod: withSidecar, memory, observed: observation([dead, testContainer()]) }),
    );
    expect(find(again, 'start-container')).toMatchObject({ container: 'side', attempt: 1 });
  });
});

describe('a pod that ends', () => {
  const deleted = (grace = 30) =>
    testPod({}, { deletionTimestamp: '2026-11-20T12:00:30Z', deletionGracePeriodSeconds: grace });

  it('stops its containers with their grace and starts nothing', () => {
    const plan = computePodActions(planInput({ pod: deleted(), observed: observation([testContainer()]) }));
    expect(plan.lifecycle).toMatchObject({ state: 'terminating', deadline: MONO + 30_000 });
    expect(find(plan, 'stop-container')).toMatchObject({
      graceMs: 30_000,
      preStop: true,
      message: 'Stopping container main',
    });
    expect(plan.memory.note.termination).toMatchObject({
      reason: 'Deleted',
      gracePeriodSeconds: 30,
      requestedAt: WALL,
    });
    expect(plan.status.phase).toBe('Running');
  });

  describe('where traffic goes elsewhere first', () => {
    const observed = observation([testContainer()]);
    const asked = testPod(
      {},
      {
        deletionTimestamp: '2026-11-20T12:00:30Z',
        deletionGracePeriodSeconds: 30,
        annotations: { 'mendlet.dev/signal-after-traffic': 'true' },
      },
    );

    const evicted = () => {
      const { note, volatile } = emptyMemory('default', 'web');
      const termination = { reason: 'Evicted', message: '', gracePeriodSeconds: 30, requestedAt: WALL } as const;
      return { note: { ...note, admitted: true, termination }, volatile };
    };

    it.each<[string, Parameters<typeof planInput>[0], number | undefined]>([
      ['waits, and looks again then', { pod: deleted(), facts: { withdrawal: { agreedAt: undefined } } }, MONO + 2000],
      ['waits for other nodes', { pod: deleted(), facts: { withdrawal: { agreedAt: MONO } } }, MONO + 300],
      ['by annotation where others route', { pod: asked }, MONO + 2000],
      ['not where the pod is in no slice', { pod: asked, facts: { withdrawal: 'needless' } }, undefined],
      ['not where others route', { pod: deleted() }, undefined],
      [
        'not where it must leave its node at once',
        { pod: testPod(), facts: { withdrawal: { agreedAt: undefined } }, memory: evicted() },
        undefined,
      ],
    ])('%s', (_, given, wakeAt) => {
      const plan = computePodActions(planInput({ ...given, observed }));
      if (wakeAt === undefined) {
        expect(find(plan, 'stop-container')).toMatchObject({ graceMs: 30_000 });
        return;
      }
      expect(plan.actions).toEqual([]);
      expect(plan.wakeAt).toBe(wakeAt);
      expect(plan.why).toEqual(['its traffic goes elsewhere before it gets the signal']);
      const { lifecycle, memory } = plan;
      const now = { wall: WALL + wakeAt - MONO, mono: wakeAt };
      const later = computePodActions(planInput({ ...given, lifecycle, memory, observed, now }));
      expect(find(later, 'stop-container')).toMatchObject({ graceMs: 30_000 - (wakeAt - MONO), preStop: true });
    });
  });

  it('kills at once with grace 0, without the hook', () => {
    const plan = computePodActions(planInput({ pod: deleted(0), observed: observation([testContainer()]) }));
    expect(find(plan, 'stop-container')).toMatchObject({ graceMs: 0, preStop: false });
  });

  it('does not overtake its own stop when the next pass is some fractions of a millisecond off', () => {
    const observed = observation([testContainer()]);
    const first = computePodActions(planInput({ pod: deleted(), observed, now: { wall: WALL, mono: MONO + 0.7 } }));
    const stop = find(first, 'stop-container');
    expect(stop?.deadline).toBe(MONO + 0.7 + 30_000);
    const jobs = { 'stop-container/main-0': { startedAt: MONO + 5, deadline: stop?.deadline ?? 0 } };
    const { lifecycle, memory } = first;
    for (const now of [
      { wall: WALL + 9, mono: MONO + 9 },
      { wall: WALL - 5000, mono: MONO + 12.3 },
      { wall: WALL + 90_000, mono: MONO + 14 },
    ]) {
      const next = computePodActions(planInput({ pod: deleted(), lifecycle, memory, observed, facts: { jobs }, now }));
      expect(next.actions).toEqual([]);
    }
  });

  it('lets the process hear its stop signal though the grace has passed unheard, but not after grace 0', () => {
    const observed = observation([testContainer()]);
    const late = { wall: WALL + 60_000, mono: MONO + 60_000 };
    const failures = { 'stop-container/main-0': { failures: 1, message: 'connection refused', retryAt: MONO } };
    const memory = admittedMemory();
    const failed = { ...memory, volatile: { ...memory.volatile, failures } };
    const retry = planInput({ pod: deleted(), lifecycle: terminating(), memory: failed, observed, now: late });
    expect(find(computePodActions(retry), 'stop-container')).toMatchObject({ graceMs: 0, atLeastMs: 2000 });
    const now = computePodActions(planInput({ pod: deleted(0), observed }));
    expect(find(now, 'stop-container')).toMatchObject({ graceMs: 0, atLeastMs: 0 });
  });

  it('waits for a stop under way, and overtakes it only with a shorter grace', () => {
    const observed = observation([testContainer()]);
    const jobs = { 'stop-container/main-0': { startedAt: MONO, deadline: MONO + 30_000 } };
    const same = computePodActions(planInput({ pod: deleted(), lifecycle: terminating(), observed, facts: { jobs } }));
    expect(same.actions).toEqual([]);
    const longer = computePodActions(
      planInput({ pod: deleted(300), lifecycle: terminating(), observed, facts: { jobs } }),
    );
    expect(longer.actions).toEqual([]);
    const shorter = computePodActions(
      planInput({ pod: deleted(2), lifecycle: terminating(), observed, facts: { jobs } }),
    );
    expect(find(shorter, 'stop-container')).toEqual({
      verb: 'stop-container',
      container: 'main',
      containerId: 'main-0',
      graceMs: 2000,
      deadline: MONO + 2000,
      atLeastMs: 0,
      preStop: false,
    });
  });

  it('goes on with what is left of the grace after the agent came back', () => {
    const begun = computePodActions(planInput({ pod: deleted(), observed: observation([testContainer()]) }));
    const memory = { ...begun.memory, volatile: { ...begun.memory.volatile, mapped: {} } };
    const plan = computePodActions(
      planInput({
        pod: deleted(),
        lifecycle: { state: 'waiting' },
        observed: observation([testContainer()]),
        memory,
        now: { wall: WALL + 20_000, mono: 77 },
      }),
    );
    expect(find(plan, 'stop-container')?.graceMs).toBe(10_000);
  });

  it('calls off a start under way, and is not over before it has ended', () => {
    const jobs = { 'start-container/main': { startedAt: MONO } };
    const plan = computePodActions(planInput({ pod: deleted(), observed: observation([]), facts: { jobs } }));
    expect(verbs(plan)).toEqual(['cancel-starts']);
    expect(plan.lifecycle.state).toBe('terminating');
  });

  it('stops sidecars after the others, in reverse, unless the grace is over', () => {
    const sidecars = ['a', 'b'].map((name) => ({ name, image: 's', restartPolicy: 'Always' }));
    const pod = {
      ...deleted(),
      spec: { ...deleted().spec, containers: deleted().spec?.containers ?? [], initContainers: sidecars },
    };
    const side = (name: string) => testContainer({ name });
    const stops = (containers: Parameters<typeof observation>[0], left = 30_000) => {
      const plan = computePodActions(
        planInput({ pod, lifecycle: terminating(left), observed: observation(containers) }),
      );
      return plan.actions.map((action) => (action.verb === 'stop-container' ? action.container : action.verb));
    };
    expect(stops([side('a'), side('b'), testContainer()])).toEqual(['main']);
    expect(stops([side('a'), side('b')])).toEqual(['b']);
    expect(stops([side('a')])).toEqual(['a']);
    expect(stops([side('a'), side('b'), testContainer()], 0)).toEqual(['a', 'b', 'main']);
  });

  it('is reclaimed step by step: sandbox, messages, volumes and cgroup, then the records', () => {
    const dead = exitedContainer(143, WALL);
    const lifecycle: PodLifecycle = { state: 'terminated', request };
    const stop = computePodActions(planInput({ pod: deleted(), lifecycle, observed: observation([dead]) }));
    expect(verbs(stop)).toEqual(['read-termination-message', 'stop-sandbox']);
    const done = { ...stop.memory.volatile.done, 'stop-sandbox/sandbox-0': true as const };
    const observed = observation([dead], [testSandbox(0, { state: 'notready' })]);
    const waiting = computePodActions(
      planInput({
        pod: deleted(),
        lifecycle,
        observed,
        memory: { ...stop.memory, volatile: { ...stop.memory.volatile, done } },
        facts: { jobs: { 'read-termination-message/main-0': { startedAt: 0 } } },
      }),
    );
    expect(waiting.actions).toEqual([]);
    const memory = { ...messageRead(stop), volatile: { ...stop.memory.volatile, done } };
    const reclaim = computePodActions(planInput({ pod: deleted(), lifecycle, observed, memory }));
    expect(verbs(reclaim)).toEqual(['reclaim-pod']);
    expect(reclaim.status.phase).toBe('Failed');
    const reclaimed = { ...memory, note: { ...memory.note, reclaimed: true } };
    const kept = computePodActions(planInput({ pod: deleted(), lifecycle, observed, memory: reclaimed }));
    expect(kept.actions).toEqual([]);
    const gone = computePodActions(
      planInput({ pod: deleted(), wanted: false, lifecycle, observed, memory: reclaimed }),
    );
    expect(gone.lifecycle.state).toBe('finished');
    expect(verbs(gone)).toEqual(['remove-container']);
    const left = observation([], [testSandbox(0, { state: 'notready' })]);
    const sandbox = computePodActions(
      planInput({ pod: deleted(), wanted: false, lifecycle: gone.lifecycle, observed: left, memory: gone.memory }),
    );
    expect(verbs(sandbox)).toEqual(['remove-sandbox']);
    const logs = computePodActions(
      planInput({
        pod: deleted(),
        wanted: false,
        lifecycle: gone.lifecycle,
        observed: undefined,
        memory: sandbox.memory,
      }),
    );
    expect(verbs(logs)).toEqual(['remove-pod-logs']);
    expect(logs.gone).toBe(false);
    const last = { ...logs.memory, volatile: { ...logs.memory.volatile, done: { 'remove-pod-logs': true as const } } };
    expect(
      computePodActions(
        planInput({ pod: deleted(), wanted: false, lifecycle: gone.lifecycle, observed: undefined, memory: last }),
      ).gone,
    ).toBe(true);
  });

  it('fails at its deadline, says so only when nothing runs any more', () => {
    const pod = testPod({ activeDeadlineSeconds: 90 });
    const early = computePodActions(planInput({ pod, observed: observation([testContainer()]) }));
    expect(early.wakeAt).toBe(MONO + 30_000);
    const late = computePodActions(
      planInput({ pod, observed: observation([testContainer()]), now: { wall: WALL + 30_000, mono: MONO + 30_000 } }),
    );
    expect(late.lifecycle.state).toBe('terminating');
    expect(late.status.phase).toBe('Running');
    const over = computePodActions(
      planInput({
        pod,
        lifecycle: late.lifecycle,
        memory: late.memory,
        observed: observation([exitedContainer(143, WALL)]),
        now: { wall: WALL + 31_000, mono: MONO + 31_000 },
      }),
    );
    expect(over.status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
  });

  it('keeps a terminal phase whatever is seen later', () => {
    const previousStatus = { phase: 'Succeeded' };
    const plan = computePodActions(planInput({ observed: observation([testContainer()]), previousStatus }));
    expect(plan.status.phase).toBe('Succeeded');
  });

  it('that the API server knows as over starts nothing in a new life of the agent', () => {
    const pod = { ...testPod(), status: { phase: 'Failed' } };
    const plan = computePodActions(
      planInput({ pod, lifecycle: { state: 'waiting' }, observed: undefined, previousStatus: pod.status }),
    );
    expect(plan.lifecycle.state).toBe('terminated');
    expect(verbs(plan)).toEqual(['reclaim-pod']);
  });
});

describe('the dead', () => {
  it('but the newest of each container are removed once nothing more urgent goes on', () => {
    const dead = [
      exitedContainer(1, WALL - 20_000, { restartCount: 0 }),
      exitedContainer(1, WALL - 5000, { restartCount: 1 }),
    ];
    const running = testContainer({ restartCount: 2 });
    const first = computePodActions(planInput({ observed: observation([...dead, running]) }));
    expect(verbs(first)).not.toContain('remove-container');
    const plan = computePodActions(
      planInput({ observed: observation([...dead, running]), memory: messageRead(first) }),
    );
    expect(plan.actions).toEqual([
      { verb: 'remove-container', containerId: 'main-0', logPath: expect.stringContaining('/main/0.log') as string },
    ]);
    const jobs = { 'start-container/other': { startedAt: MONO } };
    const busy = computePodActions(
      planInput({ observed: observation([...dead, running]), memory: messageRead(first), facts: { jobs } }),
    );
    expect(busy.actions).toEqual([]);
  });

  it('do not pile up behind starts that never cease', () => {
    const dead = (count: number) =>
      Array.from({ length: count }, (_, n) => exitedContainer(1, WALL - 60_000 + n * 1000, { restartCount: n }));
    const starting = { jobs: { 'start-container/main': { startedAt: MONO } } };
    const removed = (count: number): number => {
      const first = computePodActions(planInput({ observed: observation(dead(count)) }));
      const memory = messageRead(first);
      const plan = computePodActions(planInput({ observed: observation(dead(count)), memory, facts: starting }));
      return verbs(plan).filter((verb) => verb === 'remove-container').length;
    };
    expect([2, 4, 5, 50].map(removed)).toEqual([0, 0, 4, 49]);
  });

  it('take their old sandbox with them', () => {
    const observed = observation(
      [testContainer({ sandboxId: 'sandbox-1' })],
      [testSandbox(1), testSandbox(0, { state: 'notready' })],
    );
    expect(computePodActions(planInput({ observed })).actions).toEqual([
      { verb: 'remove-sandbox', sandboxId: 'sandbox-0' },
    ]);
  });
});
