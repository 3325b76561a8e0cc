/**
 * Pods on the real API server in memory, with a stand-in for healing controller and agent that performs restarts, for tests of
 * clients that request restarts. The test controls time.
 */
import {
  controllerReference,
  DEPLOYMENTS,
  isNotFound,
  type KubeObject,
  nameOf,
  type OwnerReference,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  POD_RESTARTS,
  type PodDisruptionBudget,
  type PodRestart,
  PODS,
  REPLICA_SETS,
  type Resource,
} from '../../src/api/index.ts';
import type { ClusterSession } from '../../src/cli/index.ts';
import { createKubeClient } from '../../src/client/index.ts';
import { type Connection, formatTime } from '../../src/lib/index.ts';
import { createInMemoryApi, type InMemoryApi } from './in-memory-api.ts';

const NAMESPACE = 'default';
const IMAGE = 'docker.io/library/busybox:latest';

export interface TestPod {
  readonly owner?: OwnerReference;
  readonly ready?: boolean;
  readonly node?: string;
  readonly labels?: Record<string, string>;
  readonly containers?: readonly string[];
}

export interface RestartCluster {
  readonly api: InMemoryApi;
  /** Output on standard output and standard error. */
  readonly said: { out: string; err: string };
  /** Restarted pods in order. */
  readonly restarted: string[];
  /** The maximum number of pods that were not ready at one time. */
  mostAway: number;
  /** @param connection used instead of an administrator's */
  session(signal?: AbortSignal, connection?: Connection): ClusterSession;
  pod(name: string, options?: TestPod): Promise<Pod>;
  setReady(name: string, ready: boolean): Promise<void>;
  /** Makes a Deployment with one ReplicaSet. @returns the owner reference for its pods */
  deployment(name: string, replicas: number, spec?: object): Promise<OwnerReference>;
  create<T extends KubeObject>(resource: Resource<T>, object: object): Promise<T>;
  budget(name: string, status: object): Promise<void>;
  /** Begins to perform restarts, each in `tookMs`; `fails` names pods that do not come back. */
  serve(options?: { readonly tookMs?: number; readonly fails?: readonly string[] }): void;
  /** Lets time pass until the work is settled. */
  finish<T>(work: Promise<T>): Promise<T>;
}

export async function createRestartCluster(): Promise<RestartCluster> {
  const api = await createInMemoryApi();
  const { client, clock } = api;
  const said = { out: '', err: '' };
  const cluster: RestartCluster = {
    api,
    said,
    restarted: [],
    mostAway: 0,
    session: (signal = new AbortController().signal, connection = api.connection) => ({
      client: createKubeClient(connection, { clock }),
      connection,
      namespace: NAMESPACE,
      clock,
      signal,
      out: (text) => {
        said.out += text;
      },
      err: (text) => {
        said.err += text;
      },
      outRaw: () => {},
      isTerminal: false,
      columns: undefined,
    }),
    pod: async (name, options = {}) => {
      const { owner, ready = true, node = 'node', labels = {}, containers = ['main'] } = options;
      const made = await client.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: NAMESPACE, labels, ...(owner === undefined ? {} : { ownerReferences: [owner] }) },
        spec: { nodeName: node, containers: containers.map((each) => ({ name: each, image: IMAGE })) },
      });
      await setStatus(api, name, { ready, podIP: '10.0.0.1', restarts: 0 });
      // The pods get different ages.
      await clock.advance(1000);
      return made;
    },
    setReady: async (name, ready) => await setStatus(api, name, { ready }),
    deployment: async (name, replicas, spec = {}) => {
      const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: IMAGE }] } };
      const common = { replicas, selector: { matchLabels: { app: name } }, template };
      const deployment = await cluster.create(DEPLOYMENTS, { metadata: { name }, spec: { ...common, ...spec } });
      const replicaSet = await cluster.create(REPLICA_SETS, {
        metadata: { name: `${name}-1`, ownerReferences: [controllerReference(DEPLOYMENTS, deployment)] },
        spec: common,
      });
      return controllerReference(REPLICA_SETS, replicaSet);
    },
    create: async <T extends KubeObject>(resource: Resource<T>, object: object) => {
      const { metadata, ...rest } = object as KubeObject;
      return await client.create(resource, { ...rest, metadata: { ...metadata, namespace: NAMESPACE } } as T);
    },
    budget: async (name, status) => {
      const patch = { status: { observedGeneration: 1, currentHealthy: 0, expectedPods: 0, ...status } };
      await client.patch<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, NAMESPACE, name, 'merge', patch, 'status');
    },
    serve: ({ tookMs = 500, fails = [] } = {}) => void serve(cluster, tookMs, fails),
    finish: async (work) => {
      const state = { isDone: false };
      const end = (): void => {
        state.isDone = true;
      };
      work.then(end, end);
      for (let turn = 0; turn < 20_000 && !state.isDone; turn += 1) await clock.advance(100);
      if (!state.isDone) throw new Error(`never ended; said: ${said.out}${said.err}`);
      return await work;
    },
  };
  return cluster;
}

async function serve(cluster: RestartCluster, tookMs: number, fails: readonly string[]): Promise<void> {
  const { client, clock } = cluster.api;
  for (;;) {
    const { items } = await client.list(POD_RESTARTS);
    for (const restart of items) {
      if (restart.status?.phase !== undefined) continue;
      await tell(cluster.api, restart, { phase: 'Running' });
      void restartOne(cluster, restart, tookMs, fails);
    }
    await clock.sleep(50);
  }
}

async function restartOne(cluster: RestartCluster, restart: PodRestart, tookMs: number, fails: readonly string[]) {
  const { api, restarted } = cluster;
  const { client, clock } = api;
  const name = restart.spec?.podName ?? '';
  let pod: Pod;
  try {
    pod = await client.get(PODS, NAMESPACE, name);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await tell(api, restart, { phase: 'Failed', reason: 'PodNotFound', message: `pod ${name} not found` });
    return;
  }
  const created = Date.parse(pod.metadata?.creationTimestamp ?? '');
  if (created >= Date.parse(restart.spec?.notBefore ?? '9999-01-01T00:00:00Z')) {
    await tell(api, restart, { phase: 'Succeeded', reason: 'NotNeeded', message: 'it began later' });
    return;
  }
  restarted.push(name);
  await setStatus(api, name, { ready: false });
  const { items } = await client.list(PODS, { namespace: NAMESPACE });
  const away = items.filter((each) =>
    each.status?.conditions?.some(({ type, status }) => type === 'Ready' && status !== 'True'),
  );
  cluster.mostAway = Math.max(cluster.mostAway, away.length);
  await clock.sleep(tookMs);
  try {
    await setStatus(api, name, { ready: !fails.includes(name), podIP: '10.0.0.2', restarts: 1 });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await tell(api, restart, { phase: 'Failed', reason: 'PodNotFound', message: `pod ${name} not found` });
    return;
  }
  await tell(api, restart, { phase: 'Succeeded', reason: 'Restarted', message: 'restarted' });
}

async function tell({ client }: InMemoryApi, restart: PodRestart, status: object): Promise<void> {
  await client.patch(POD_RESTARTS, NAMESPACE, nameOf(restart), 'merge', { status }, 'status');
}

async function setStatus(
  { client, clock }: InMemoryApi,
  name: string,
  { ready, podIP, restarts }: { readonly ready: boolean; readonly podIP?: string; readonly restarts?: number },
): Promise<void> {
  const pod = await client.get(PODS, NAMESPACE, name);
  const time = formatTime(clock.now().wall);
  const old = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  const status = ready ? 'True' : 'False';
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : time;
  await client.patch(
    PODS,
    NAMESPACE,
    name,
    'merge',
    {
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status, lastTransitionTime, reason: ready ? '' : 'ContainersNotReady' }],
        ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
        ...(restarts === undefined
          ? {}
          : {
              containerStatuses: pod.spec?.containers.map((container) => ({
                name: container.name,
                image: IMAGE,
                imageID: '',
                ready,
                restartCount: restarts,
                containerID: `containerd://${name}-${container.name}-${restarts}`,
                state: { running: { startedAt: time } },
              })),
            }),
      },
    },
    'status',
  );
}
