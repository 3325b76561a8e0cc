/** A control plane in memory with some controllers, and a stand-in for nodes, for tests of workloads. */
import { createInMemoryApi, type InMemoryApi } from './in-memory-api.ts';
import {
  isDeleting,
  nameOf,
  NAMESPACES,
  namespaceOf,
  NODES,
  type Pod,
  PODS,
  SERVICE_ACCOUNTS,
} from '../../src/api/index.ts';
import {
  type Clock,
  createMetrics,
  formatTime,
  type MetricsRegistry,
  seededRandom,
  silentLogger,
} from '../../src/lib/index.ts';
import { settle } from '../../src/lib/manual-clock.node.ts';
import { createEventRecorder, type EventRecorder, Informers, type KubeClient } from '../../src/client/index.ts';
import { type Controller, CONTROLLER_INDEXES, runController } from '../../src/controllers/index.ts';

export interface WorkloadCluster extends InMemoryApi {
  readonly metrics: MetricsRegistry;
  /** Pods of the namespace "team" that match, in order of creation. */
  pods(labelSelector?: string): Promise<readonly Pod[]>;
  /** One step of the nodes: new pods run, and become ready if `isWell`; deleted ones are removed. */
  runPods(isWell?: (pod: Pod) => boolean): Promise<void>;
  /** Nodes and controllers take turns, a second each, until the condition holds. */
  runUntil(condition: () => boolean | Promise<boolean>, what: string, isWell?: (pod: Pod) => boolean): Promise<void>;
  /** Lets the controllers settle without moving the clock. */
  rest(): Promise<void>;
  stop(): Promise<void>;
}

/** The ports of the controllers under test. */
export interface WorkloadSetup {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly informers: Informers;
  readonly metrics: MetricsRegistry;
  readonly events: (component: string) => EventRecorder;
}

export async function startWorkloads(make: (setup: WorkloadSetup) => readonly Controller[]): Promise<WorkloadCluster> {
  const api = await createInMemoryApi();
  const { client, clock } = api;
  const stop = new AbortController();
  const metrics = createMetrics();
  const shared = { client, clock, logger: silentLogger, metrics };
  const informers = new Informers({ ...shared, random: seededRandom('informers'), indexes: CONTROLLER_INDEXES });
  const recorders: EventRecorder[] = [];
  const events = (component: string): EventRecorder => {
    const recorder = createEventRecorder({ ...shared, random: seededRandom(component), component });
    recorders.push(recorder);
    return recorder;
  };
  const controllers = make({ client, clock, informers, metrics, events });
  const running = Promise.all([
    informers.run(stop.signal),
    ...recorders.map((recorder) => recorder.run(stop.signal)),
    ...controllers.map((controller) => runController(controller, { ...shared, informers }, stop.signal)),
  ]);
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'team', name: 'default' } };
  await client.create(SERVICE_ACCOUNTS, account);
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
  const rest = async (): Promise<void> => {
    // Enough turns for a chain of controllers that wake each other.
    for (let turn = 0; turn < 60; turn += 1) await settle();
  };
  const pods = async (labelSelector?: string): Promise<readonly Pod[]> => {
    const query = { namespace: 'team', ...(labelSelector === undefined ? {} : { labelSelector }) };
    return (await client.list(PODS, query)).items;
  };
  const runPods = async (isWell: (pod: Pod) => boolean = () => true): Promise<void> => {
    for (const pod of await pods()) await runPod(pod, isWell(pod));
  };
  const runPod = async (pod: Pod, well: boolean): Promise<void> => {
    const [namespace, name] = [namespaceOf(pod), nameOf(pod)];
    if (isDeleting(pod)) {
      await client.delete(PODS, namespace, name, { gracePeriodSeconds: 0 });
      return;
    }
    if (!pod.spec?.nodeName) {
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name },
        target: { kind: 'Node', name: wantedNodeOf(pod) ?? 'node1' },
      };
      await client.createSubresource(PODS, namespace, name, 'binding', binding);
    }
    const status = well ? 'True' : 'False';
    const known = pod.status?.conditions?.find(({ type }) => type === 'Ready');
    if (known?.status === status || pod.status?.phase === 'Failed') return;
    const ready = { type: 'Ready', status, lastTransitionTime: formatTime(clock.now().wall) };
    await client.patch(
      PODS,
      namespace,
      name,
      'strategic',
      { status: { phase: 'Running', conditions: [ready] } },
      'status',
    );
  };
  const runUntil: WorkloadCluster['runUntil'] = async (condition, what, isWell) => {
    for (let turn = 0; turn < 200; turn += 1) {
      await rest();
      if (await condition()) return;
      await runPods(isWell);
      await clock.advance(1000);
    }
    throw new Error(`never came: ${what}`);
  };
  return {
    ...api,
    metrics,
    pods,
    runPods,
    runUntil,
    rest,
    stop: async () => {
      stop.abort(new Error('enough'));
      await running;
    },
  };
}

/** The node that the pod requires by name, as pods of a DaemonSet do. */
function wantedNodeOf({ spec }: Pod): string | undefined {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0];
}
