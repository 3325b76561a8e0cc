import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import type { PodAction } from './actions.ts';
import { computePodActions, type PodPlan } from './compute-pod-actions.ts';
import {
  exitedContainer,
  MONO,
  observation,
  planInput,
  testContainer,
  testPod,
  testSandbox,
  WALL,
} from './plan.fixtures.ts';

const find = <V extends PodAction['verb']>(plan: PodPlan, verb: V) =>
  plan.actions.find((action): action is Extract<PodAction, { verb: V }> => action.verb === verb);
const starts = (plan: PodPlan) =>
  plan.actions.flatMap((action) => (action.verb === 'start-container' ? [action.container] : []));
const spec = { name: 'debug', image: 'busybox' };
const debug = testContainer({ name: 'debug', spec });
const dead = (exitCode: number) => exitedContainer(exitCode, WALL, { name: 'debug', spec });

const withDebug = (change: Partial<NonNullable<Pod['spec']>> = {}, targetContainerName?: string): Pod =>
  testPod({
    ephemeralContainers: [{ ...spec, ...(targetContainerName === undefined ? {} : { targetContainerName }) }],
    ...change,
  });

describe('an ephemeral container', () => {
  it('starts beside running containers', () => {
    const plan = computePodActions(planInput({ pod: withDebug(), observed: observation([testContainer()]) }));
    expect(starts(plan)).toEqual(['debug']);
    expect(plan.status.phase).toBe('Running');
    expect(plan.status.ephemeralContainerStatuses).toMatchObject([
      { name: 'debug', ready: false, state: { waiting: { reason: 'ContainerCreating' } } },
    ]);
  });

  it('starts while an init container runs', () => {
    const initSpec = { name: 'init', image: 'i' };
    const pod = withDebug({ initContainers: [initSpec] });
    const observed = observation([testContainer({ name: 'init', spec: initSpec })]);
    const plan = computePodActions(planInput({ pod, observed }));
    expect(starts(plan)).toEqual(['debug']);
    expect(plan.status.ephemeralContainerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
  });

  it('runs, with no part in readiness and phase', () => {
    const plan = computePodActions(planInput({ pod: withDebug(), observed: observation([debug, testContainer()]) }));
    expect(plan.actions).toEqual([]);
    const [status] = plan.status.ephemeralContainerStatuses ?? [];
    expect(status).toMatchObject({ ready: false, restartCount: 0, containerID: 'containerd://debug-0' });
    expect(status?.state?.running).toBeDefined();
    expect(status).not.toHaveProperty('started');
    expect(plan.status.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });

  it.each([0, 1, 137])('is not started again after it ended with %i', (exitCode) => {
    const plan = computePodActions(
      planInput({ pod: withDebug(), observed: observation([dead(exitCode), testContainer()]) }),
    );
    expect(starts(plan)).toEqual([]);
    expect(plan.status.ephemeralContainerStatuses?.[0]?.state?.terminated?.exitCode).toBe(exitCode);
    expect(plan.status.phase).toBe('Running');
  });

  it('is not started again in a new sandbox', () => {
    const sandboxes = [testSandbox(1), testSandbox(0, { state: 'notready' })];
    const plan = computePodActions(planInput({ pod: withDebug(), observed: observation([dead(137)], sandboxes) }));
    expect(starts(plan)).toEqual(['main']);
  });

  it('does not keep its pod from ending, and is stopped with it', () => {
    const pod = withDebug({ restartPolicy: 'Never' });
    const observed = observation([debug, exitedContainer(0, WALL)]);
    const plan = computePodActions(planInput({ pod, observed }));
    expect(plan.lifecycle.state).toBe('terminating');
    expect(find(plan, 'stop-container')?.container).toBe('debug');
    const over = computePodActions(
      planInput({
        pod,
        lifecycle: plan.lifecycle,
        memory: plan.memory,
        observed: observation([dead(137), exitedContainer(0, WALL)]),
      }),
    );
    expect(over.status.phase).toBe('Succeeded');
    expect(over.status.ephemeralContainerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  });

  it('gets the ID of the container that it is to look at', () => {
    const start = (containers: Parameters<typeof observation>[0]) =>
      find(
        computePodActions(planInput({ pod: withDebug({}, 'main'), observed: observation(containers) })),
        'start-container',
      );
    expect(start([testContainer()])?.targetContainerId).toBe('main-0');
    const none = computePodActions(
      planInput({
        pod: withDebug({}, 'main'),
        observed: observation([]),
        facts: { jobs: { 'start-container/main': { startedAt: MONO } } },
      }),
    );
    expect(find(none, 'start-container')).toMatchObject({ container: 'debug' });
    expect(find(none, 'start-container')?.targetContainerId).toBeUndefined();
  });

  it('shows why it does not start', () => {
    const image = (name: string) =>
      name === 'debug'
        ? ({ state: 'failed', reason: 'ErrImagePull', message: 'no', retryAt: MONO + 1 } as const)
        : ({ state: 'present', imageId: 'i' } as const);
    const plan = computePodActions(
      planInput({ pod: withDebug(), observed: observation([testContainer()]), facts: { image } }),
    );
    expect(plan.status.ephemeralContainerStatuses?.[0]?.state?.waiting?.reason).toBe('ErrImagePull');
  });
});
