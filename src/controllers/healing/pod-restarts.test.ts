/** PodRestarts and pods: the controllers and the server together, and a test that plays the agent. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import { type RunningControllers, startControllers } from '../../../test/support/running-controllers.ts';
import {
  EVENTS,
  HEALING_STATE,
  NAMESPACES,
  NODES,
  type Pod,
  POD_RESTARTS,
  type PodRestart,
  type PodRestartSpec,
  type PodRestartStatus,
  PODS,
  readRestartRequest,
  RESTART_REQUEST,
  type RestartOutcome,
} from '../../api/index.ts';

let cluster: RunningControllers;
beforeEach(async () => {
  cluster = await startControllers(async ({ client }) => {
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
    await client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'team', name: 'web' },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'busybox' }] },
    });
  });
});
afterEach(() => cluster.stop());

async function ask(name: string, spec: PodRestartSpec = {}): Promise<string> {
  const made = await cluster.client.create(POD_RESTARTS, {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'PodRestart',
    metadata: { namespace: 'team', name },
    spec: { podName: 'web', ...spec },
  });
  return made.metadata?.uid ?? '';
}

const readPod = (): Promise<Pod> => cluster.client.get(PODS, 'team', 'web');
const read = (name: string): Promise<PodRestart> => cluster.client.get(POD_RESTARTS, 'team', name);

async function reaches(name: string, expected: PodRestartStatus): Promise<PodRestartStatus> {
  let last: PodRestartStatus = {};
  await until(async () => {
    last = (await read(name)).status ?? {};
    return last.phase === expected.phase && last.reason === expected.reason;
  }, `${name} ${expected.phase} ${expected.reason}`).catch((error: unknown) => {
    throw new Error(`${String(error)}; it is ${JSON.stringify(last)}`);
  });
  return last;
}

async function asked(): Promise<string | undefined> {
  const text = (await readPod()).metadata?.annotations?.[RESTART_REQUEST];
  const reading = text === undefined ? undefined : readRestartRequest(text);
  return reading?.ok === true ? reading.request.id : undefined;
}

async function answer(...restarts: readonly Omit<RestartOutcome, 'at'>[]): Promise<void> {
  const state = {
    restarts: restarts.map((outcome) => ({ ...outcome, at: new Date(cluster.clock.now().wall).toISOString() })),
  };
  const annotations = { [HEALING_STATE]: JSON.stringify(state) };
  await cluster.client.patch(PODS, 'team', 'web', 'merge', { metadata: { annotations } });
}

describe('a restart', () => {
  it('is asked of the pod, followed, told of, and goes', async () => {
    const id = await ask('once', { reason: 'stuck', ttlSecondsAfterFinished: 60 });
    await reaches('once', { phase: 'Running', reason: 'Requested' });
    expect(await asked()).toBe(id);
    await answer({ id, phase: 'Running', reason: 'Stopping' });
    await reaches('once', { phase: 'Running', reason: 'Stopping' });
    await answer({ id, phase: 'Succeeded', reason: 'Restarted', message: 'all containers run' });
    const status = await reaches('once', { phase: 'Succeeded', reason: 'Restarted' });
    expect(status).toMatchObject({
      message: 'all containers run',
      nodeName: 'n1',
      podUID: (await readPod()).metadata?.uid,
    });
    await until(async () => (await asked()) === undefined, 'the request is taken back');
    await until(async () => {
      const { items } = await cluster.client.list(EVENTS, { namespace: 'team' });
      return items.some(
        ({ reason, message }) =>
          reason === 'PodRestartRequested' && message === 'admin asked for a restart of the pod: stuck',
      );
    }, 'the event');
    expect(cluster.metrics.text()).toContain(
      'mendlet_pod_restarts_finished_total{phase="Succeeded",reason="Restarted"} 1',
    );
    await cluster.clock.advance(61_000);
    await until(async () => (await cluster.client.list(POD_RESTARTS)).items.length === 0, 'its end');
  });

  it('waits its turn; what is withdrawn is not asked any more', async () => {
    const first = await ask('first');
    await until(async () => (await asked()) === first, 'the first');
    await answer({ id: first, phase: 'Running' });
    const second = await ask('second', { scope: 'containers' });
    await reaches('second', { phase: 'Pending', reason: 'OneAtATime' });
    await answer({ id: first, phase: 'Failed', reason: 'TimedOut' });
    await reaches('first', { phase: 'Failed', reason: 'TimedOut' });
    await until(async () => (await asked()) === second, 'the second');
    await cluster.client.delete(POD_RESTARTS, 'team', 'second');
    await until(async () => (await asked()) === undefined, 'its end');
  });

  it('whose time comes', async () => {
    const { wall } = cluster.clock.now();
    const night = await ask('night', { notBefore: new Date(wall + 3_600_000).toISOString() });
    await reaches('night', { phase: 'Pending', reason: 'NotBefore' });
    expect(await asked()).toBe(night);
    await cluster.clock.advance(3_601_000);
    await reaches('night', { phase: 'Running', reason: 'Requested' });
  });

  it('ends with its pod', async () => {
    await ask('late');
    await reaches('late', { phase: 'Running', reason: 'Requested' });
    await cluster.client.delete(PODS, 'team', 'web', { gracePeriodSeconds: 0 });
    await reaches('late', { phase: 'Failed', reason: 'PodGone' });
    await ask('never');
    await reaches('never', { phase: 'Failed', reason: 'PodNotFound' });
  });
});
