/** Builders for tests of the plan: pods, runtime records and inputs with sensible defaults. Used by tests alone. */
import type { Container, Pod, PodSpec } from '../../api/index.ts';
import type { ImageFact, PodObservation, RuntimeContainer, RuntimeSandbox } from '../types.ts';
import { containerHash } from './container-hash.ts';
import type { PlanInput } from './facts.ts';
import { BACK_OFF, CONTAINER_HASH, RESTART_COUNT } from './labels.ts';
import { formatBackOff } from './back-off.ts';
import { type BackOffState, emptyMemory, type PodMemory, type PodNote } from './pod-memory.ts';

export const WALL = Date.UTC(2026, 10, 20, 12, 0, 0);
export const MONO = 1_000_000;
export const UID = '11111111-2222-3333-4444-555555555555';

export function testPod(spec: Partial<PodSpec> = {}, metadata: Partial<NonNullable<Pod['metadata']>> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid: UID, generation: 1, ...metadata },
    spec: {
      containers: [{ name: 'main', image: 'busybox' }],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      ...spec,
    },
  };
}

export function testSandbox(attempt = 0, change: Partial<RuntimeSandbox> = {}): RuntimeSandbox {
  return {
    id: `sandbox-${attempt}`,
    metadata: { name: 'web', namespace: 'default', uid: UID, attempt },
    state: 'ready',
    createdAt: WALL - 60_000 + attempt,
    labels: {},
    annotations: {},
    ips: ['10.244.0.5'],
    hostNetwork: false,
    ...change,
  };
}

export interface TestContainer extends Partial<Omit<RuntimeContainer, 'annotations'>> {
  readonly restartCount?: number;
  readonly backOff?: BackOffState;
  readonly spec?: Container;
}

export function testContainer({ restartCount = 0, backOff, spec, ...change }: TestContainer = {}): RuntimeContainer {
  const name = change.name ?? 'main';
  const container = spec ?? { name, image: 'busybox' };
  return {
    id: `${name}-${restartCount}`,
    sandboxId: 'sandbox-0',
    name,
    attempt: restartCount,
    state: 'running',
    createdAt: WALL - 50_000 + restartCount,
    image: container.image ?? '',
    imageRef: 'sha256:1',
    labels: {},
    annotations: {
      [RESTART_COUNT]: String(restartCount),
      [CONTAINER_HASH]: containerHash(container),
      ...(backOff === undefined ? {} : { [BACK_OFF]: formatBackOff(backOff) }),
    },
    startedAt: WALL - 50_000,
    finishedAt: 0,
    exitCode: 0,
    reason: '',
    message: '',
    logPath: `/var/log/pods/default_web_${UID}/${name}/${restartCount}.log`,
    ...change,
  };
}

export function exitedContainer(exitCode: number, finishedAt: number, change: TestContainer = {}): RuntimeContainer {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return testContainer({ state: 'exited', exitCode, finishedAt, reason, ...change });
}

export function observation(
  containers: readonly RuntimeContainer[],
  sandboxes: readonly RuntimeSandbox[] = [testSandbox()],
): PodObservation {
  return { uid: UID, name: 'web', namespace: 'default', sandboxes, containers, at: MONO };
}

export const PRESENT: ImageFact = { state: 'present', imageId: 'sha256:1' };

export function admittedMemory(note: Partial<PodNote> = {}): PodMemory {
  const memory = emptyMemory('default', 'web');
  return {
    note: { ...memory.note, admitted: true, startTime: WALL - 60_000, ...note },
    volatile: { ...memory.volatile, done: { 'prepare-cgroup': true } },
  };
}

/** A pod in `syncing` with everything it needs at hand. */
export function planInput(
  change: Partial<Omit<PlanInput, 'facts'>> & { facts?: Partial<PlanInput['facts']> } = {},
): PlanInput {
  return {
    pod: testPod(),
    wanted: true,
    lifecycle: { state: 'syncing' },
    observed: undefined,
    memory: admittedMemory(),
    previousStatus: undefined,
    now: { wall: WALL, mono: MONO },
    ...change,
    facts: {
      jobs: {},
      volumes: { state: 'ready', paths: {} },
      image: () => PRESENT,
      probes: {},
      node: { name: 'node', hostIps: ['192.0.2.1'], runtimeName: 'containerd' },
      ...change.facts,
    },
  };
}
