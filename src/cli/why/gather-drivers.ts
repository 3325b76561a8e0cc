/** Gathers what serves volumes in the cluster: CSI drivers, the workloads and pods that look like parts of them, and where they are registered. */
import {
  controllerOf,
  CSI_DRIVERS,
  CSI_NODES,
  DAEMON_SETS,
  DEPLOYMENTS,
  formatLabelSelector,
  isControlledBy,
  type KubeObject,
  labelSelectorOf,
  type Pod,
  PODS,
  type Resource,
  STATEFUL_SETS,
} from '../../api/index.ts';
import {
  type Candidate,
  type DriverEvidence,
  type DriverPart,
  driverCandidates,
  type NodeDriversEvidence,
  type WorkloadObject,
} from '../../diagnosis/index.ts';
import { type Asker, found } from './ask.ts';
import { MAX_DRIVER_PARTS, MAX_LISTED } from './limits.ts';

const WORKLOADS = [DAEMON_SETS, DEPLOYMENTS, STATEFUL_SETS] as const;

/** One answer for all volumes of a driver in one question. */
const known = new WeakMap<Asker, Map<string, Promise<DriverEvidence>>>();

/** @param nodeNames nodes whose pods of the driver matter most */
export function gatherDriver(asker: Asker, name: string, nodeNames: readonly string[]): Promise<DriverEvidence> {
  const own = known.get(asker) ?? new Map<string, Promise<DriverEvidence>>();
  known.set(asker, own);
  const key = [name, ...nodeNames.toSorted()].join(' ');
  const answer = own.get(key) ?? readDriver(asker, name, nodeNames);
  own.set(key, answer);
  return answer;
}

async function readDriver(asker: Asker, name: string, nodeNames: readonly string[]): Promise<DriverEvidence> {
  const [object, parts] = await Promise.all([
    asker.get(`csidriver/${name}`, CSI_DRIVERS, undefined, name),
    gatherParts(asker, name, nodeNames),
  ]);
  return {
    name,
    ...(object.kind === 'found' && { object: object.value }),
    missing: object.kind === 'missing',
    ...(parts && { parts }),
  };
}

/** `undefined`: not everything that may be a part could be read. */
async function gatherParts(
  asker: Asker,
  name: string,
  nodeNames: readonly string[],
): Promise<readonly DriverPart[] | undefined> {
  const [lists, drivers, nodePods] = await Promise.all([
    Promise.all(
      WORKLOADS.map((resource) =>
        asker.listAll(`${resource.resource} in all namespaces`, resource as Resource<KubeObject>, {
          limit: MAX_LISTED,
        }),
      ),
    ),
    asker.list('csidrivers', CSI_DRIVERS, { limit: MAX_LISTED }),
    Promise.all(nodeNames.map((node) => podsOfNode(asker, node))).then((all) => all.flat()),
  ]);
  if (lists.includes(undefined)) return undefined;
  const workloads = lists.flatMap((list, place) =>
    (list ?? []).map((object) => ({ ...object, kind: WORKLOADS[place]?.kind ?? '' }) as WorkloadObject),
  );
  const bare = nodePods.filter((pod) => controllerOf(pod) === undefined);
  const candidates: readonly Candidate[] = [
    ...workloads.map((workload) => ({ workload })),
    ...bare.map((pod) => ({ pod })),
  ];
  const object = drivers.find(({ metadata }) => metadata?.name === name);
  const others = drivers.map(({ metadata }) => metadata?.name ?? '');
  const own = driverCandidates({ name, ...(object && { object }) }, candidates, others);
  if (own.length > MAX_DRIVER_PARTS) asker.note(`parts of driver ${name} after the first ${MAX_DRIVER_PARTS}`);
  return await Promise.all(
    own.slice(0, MAX_DRIVER_PARTS).map(async (each): Promise<DriverPart> => {
      if ('pod' in each) return { roles: each.roles, pods: [each.pod] };
      return { roles: each.roles, workload: each.workload, pods: await podsOf(asker, each.workload, nodePods) };
    }),
  );
}

async function podsOf(asker: Asker, workload: WorkloadObject, nodePods: readonly Pod[]): Promise<readonly Pod[]> {
  const { namespace = '', name = '' } = workload.metadata ?? {};
  const selector = workload.kind === 'ReplicationController' ? undefined : labelSelectorOf(workload.spec?.selector);
  if (selector === undefined) return [];
  const labelSelector = formatLabelSelector(selector);
  const listed = await asker.list(`pods of ${(workload.kind ?? '').toLowerCase()}/${name}`, PODS, {
    namespace,
    labelSelector,
    limit: MAX_LISTED,
  });
  const seen = new Set(listed.map(({ metadata }) => metadata?.uid));
  const more = nodePods.filter((pod) => !seen.has(pod.metadata?.uid) && isControlledBy(pod, workload));
  return [...listed, ...more];
}

export function podsOfNode(asker: Asker, nodeName: string): Promise<readonly Pod[]> {
  return asker.list(`pods of node/${nodeName}`, PODS, {
    fieldSelector: `spec.nodeName=${nodeName}`,
    limit: MAX_LISTED,
  });
}

export async function gatherNodeDrivers(asker: Asker, nodeName: string): Promise<NodeDriversEvidence> {
  const answer = await asker.get(`csinode/${nodeName}`, CSI_NODES, undefined, nodeName);
  const csiNode = found(answer);
  return { nodeName, ...(csiNode && { csiNode }), missing: answer.kind === 'missing' };
}

/** All drivers of the cluster and of the node; none: nothing else is asked. */
export async function gatherDriversOfNode(
  asker: Asker,
  nodeName: string,
): Promise<{ readonly nodeDrivers: NodeDriversEvidence; readonly drivers: readonly DriverEvidence[] }> {
  const [nodeDrivers, objects] = await Promise.all([
    gatherNodeDrivers(asker, nodeName),
    asker.list('csidrivers', CSI_DRIVERS, { limit: MAX_LISTED }),
  ]);
  const names = new Set([
    ...(nodeDrivers.csiNode?.spec.drivers ?? []).map(({ name }) => name),
    ...objects.map(({ metadata }) => metadata?.name ?? ''),
  ]);
  if (names.size > MAX_DRIVER_PARTS) asker.note(`drivers after the first ${MAX_DRIVER_PARTS}`);
  const drivers = await Promise.all(
    [...names].slice(0, MAX_DRIVER_PARTS).map((name) => gatherDriver(asker, name, [nodeName])),
  );
  return { nodeDrivers, drivers };
}
