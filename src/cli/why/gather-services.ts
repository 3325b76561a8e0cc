/** Gathers the services that a failing pod names, with the number of their endpoints. */
import {
  type Deployment,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  type EndpointSlice,
  NAMESPACES,
  PODS,
  type Service,
  SERVICES,
  STATEFUL_SETS,
  type StatefulSet,
} from '../../api/index.ts';
import {
  isNodeDns,
  nearestNamespaces,
  nearestPod,
  type NobodyBehind,
  ownLabelsText,
  type ServiceEvidence,
  type ServiceName,
  type WaitingInit,
  waitingInits,
} from '../../diagnosis/index.ts';
import { nearNames } from '../../lib/index.ts';
import { type Asker } from './ask.ts';
import { causeOfUnmade } from './gather-creation.ts';
import { gatherStrays } from './gather-strays.ts';
import { MAX_LISTED, MAX_SERVICES } from './limits.ts';

/** @param own the namespace of the pod that names them */
export async function gatherServices(
  asker: Asker,
  names: readonly ServiceName[],
  own: string,
): Promise<readonly ServiceEvidence[]> {
  const found: ServiceEvidence[] = [];
  const asked = new Set<string>();
  let next = names;
  // A service may wait for another one, and that for the first.
  for (let round = 0; round < MAX_ROUNDS && next.length > 0; round++) {
    const wanted = next.filter((name) => !asked.has(keyOf(name))).slice(0, MAX_SERVICES - asked.size);
    for (const name of wanted) asked.add(keyOf(name));
    const all = await Promise.all(wanted.map((name) => gatherService(asker, name, own)));
    const services = all.flatMap((one) => one ?? []);
    found.push(...services);
    next = services.flatMap(({ waiting = [] }) => waiting.flatMap((one) => one.services));
  }
  return found;
}

const MAX_ROUNDS = 3;

function keyOf({ namespace, name }: ServiceName): string {
  return `${namespace}/${name}`;
}

async function gatherService(
  asker: Asker,
  { namespace, name }: ServiceName,
  own: string,
): Promise<ServiceEvidence | undefined> {
  const [service, slices] = await Promise.all([
    asker.get(`service/${name}`, SERVICES, namespace, name),
    asker.list(`endpointslices of service/${name}`, ENDPOINT_SLICES, {
      namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
      limit: MAX_LISTED,
    }),
  ]);
  const empty = { namespace, name, clusterIPs: [], ports: [], ready: 0, notReady: 0 };
  if (service.kind === 'missing') {
    const [like, where, workload] = await Promise.all([
      likeServices(asker, { namespace, name }, own),
      namespace === own ? {} : namespaceOf(asker, namespace),
      namespace === own ? workloadNamed(asker, namespace, name) : undefined,
    ]);
    return { ...empty, missing: true, ...like, ...where, ...(workload !== undefined && { workload }) };
  }
  if (service.kind !== 'found') return undefined;
  const { spec } = service.value;
  if (spec?.type === 'ExternalName')
    return { ...empty, missing: false, ready: 1, externalName: spec.externalName ?? '' };
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
  const isAnswered = isNodeDns(service.value);
  // Each node answers for the cluster's DNS.
  const ready = isAnswered ? 1 : endpoints.filter(({ conditions }) => conditions?.ready !== false).length;
  const selector = Object.entries(spec?.selector ?? {});
  const isAway = ready === 0 && selector.length > 0;
  const isUnwritten = selector.length === 0 && endpoints.length === 0 && !isAnswered;
  const waiting = isAway ? await initsBehind(asker, namespace, selector) : [];
  const nobody =
    isAway && endpoints.length === 0
      ? await nobodyBehind(asker, namespace, Object.fromEntries(selector), name)
      : undefined;
  return {
    namespace,
    name,
    missing: false,
    ...(selector.length > 0 && { selector: Object.fromEntries(selector) }),
    ...(selector.length === 0 && endpoints.length > 0 && { written: writtenIn(slices) }),
    ...(isUnwritten && { strays: await gatherStrays(asker, namespace, name) }),
    ...(waiting.length > 0 && { waiting }),
    ...(nobody && { nobody }),
    clusterIPs: (spec?.clusterIPs ?? []).filter((address) => address !== 'None'),
    ports: (spec?.ports ?? []).map(({ port }) => port),
    ...(isAnswered ? {} : unledPorts(service.value, slices)),
    served: (spec?.ports ?? []).map(({ port, protocol = 'TCP' }) => `${port}/${protocol}`),
    ...targetsOf(service.value, slices),
    ready,
    notReady: Math.max(0, endpoints.length - ready),
  };
}

/** The workload of this name, which somebody may have forgotten to give a service. */
async function workloadNamed(asker: Asker, namespace: string, name: string): Promise<string | undefined> {
  const query = { namespace, limit: MAX_LISTED };
  const [deployments, sets] = await Promise.all([
    asker.list(`deployments in namespace ${namespace}`, DEPLOYMENTS, query),
    asker.list(`statefulsets in namespace ${namespace}`, STATEFUL_SETS, query),
  ]);
  if (deployments.some(({ metadata }) => metadata?.name === name)) return `deployment/${name}`;
  return sets.some(({ metadata }) => metadata?.name === name) ? `statefulset/${name}` : undefined;
}

/** Whether a namespace exists, which decides whether "db.data" is a name of the cluster, and those with similar names. */
async function namespaceOf(
  asker: Asker,
  namespace: string,
): Promise<Pick<ServiceEvidence, 'noNamespace' | 'similarNamespaces'>> {
  const answer = await asker.get(`namespace/${namespace}`, NAMESPACES, undefined, namespace);
  if (answer.kind === 'found') return { noNamespace: false };
  if (answer.kind !== 'missing') return {};
  const all = await asker.list('namespaces', NAMESPACES, { limit: MAX_LISTED });
  const similar = nearNames(
    namespace,
    all.flatMap(({ metadata }) => metadata?.name ?? []),
  );
  return { noNamespace: true, ...(similar.length > 0 && { similarNamespaces: similar }) };
}

/** Ports that lead to a named port of its pods which no slice with endpoints has, because none of them has it. */
function unledPorts({ spec }: Service, slices: readonly EndpointSlice[]): Pick<ServiceEvidence, 'unled'> {
  const filled = slices.filter(({ endpoints }) => (endpoints ?? []).length > 0);
  if (filled.length === 0 || Object.keys(spec?.selector ?? {}).length === 0) return {};
  const unled = (spec?.ports ?? []).flatMap(({ name = '', port, targetPort }) => {
    const isLed = filled.some(({ ports }) => (ports ?? []).some((each) => (each?.name ?? '') === name));
    return typeof targetPort === 'string' && !isLed ? [{ port, target: targetPort }] : [];
  });
  return unled.length === 0 ? {} : { unled };
}

/** Where its ports lead; endpoints that were made in rollouts of a named port may have several. */
function targetsOf({ spec }: Service, slices: readonly EndpointSlice[]): Pick<ServiceEvidence, 'targets'> {
  const all = (spec?.ports ?? []).flatMap(({ name = '', port }) =>
    slices.flatMap((slice) =>
      (slice.ports ?? []).flatMap((each) =>
        each.port !== undefined && (each.name ?? '') === name ? [{ port, target: each.port }] : [],
      ),
    ),
  );
  const targets = [...new Map(all.map((each) => [`${each.port} ${each.target}`, each])).values()];
  return targets.length === 0 ? {} : { targets };
}

/** "10.2.3.4:3306", of each endpoint and port. */
function writtenIn(slices: readonly EndpointSlice[]): readonly string[] {
  const all = slices.flatMap(({ endpoints, ports }) => {
    const numbers = (ports ?? []).flatMap((port) => port?.port ?? []);
    const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses);
    return addresses.flatMap((address) =>
      numbers.length === 0
        ? [address]
        : numbers.map((port) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`)),
    );
  });
  return [...new Set(all)].slice(0, MAX_SERVICES);
}

export interface ServicesAt {
  readonly names: readonly ServiceName[];
  /** Those of the addresses that are among those of services, and that no service has. */
  readonly unserved: readonly string[];
}

/** The services that have these addresses: those of the pod's own namespace, else of any. */
export async function servicesAt(asker: Asker, namespace: string, addresses: readonly string[]): Promise<ServicesAt> {
  if (addresses.length === 0) return { names: [], unserved: [] };
  const isWanted = ({ spec }: Service): boolean => (spec?.clusterIPs ?? []).some((each) => addresses.includes(each));
  const own = await asker.list(`services of namespace ${namespace}`, SERVICES, { namespace, limit: MAX_LISTED });
  const near = own.filter(isWanted);
  const isAll = near.length === 0 || near.length < addresses.length;
  const all = isAll ? await asker.listAll('services', SERVICES, { limit: MAX_LISTED }) : near;
  const found = near.length > 0 ? near : (all ?? []).filter(isWanted);
  return {
    names: found.map(({ metadata }) => ({
      namespace: metadata?.namespace ?? namespace,
      name: metadata?.name ?? '',
    })),
    // A list that is cut short proves nothing.
    unserved: isAll && all !== undefined && all.length < MAX_LISTED ? unservedAddresses(addresses, all) : [],
  };
}

/** Networks that are nobody's outside. */
const PRIVATE = /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./;

/** Services have addresses of one network: one that begins as theirs do, and that none of them has, was of one that is gone. */
function unservedAddresses(addresses: readonly string[], services: readonly Service[]): readonly string[] {
  const served = services.flatMap(({ spec }) => spec?.clusterIPs ?? []);
  const begins = new Set(served.map((address) => beginOf(address)));
  return addresses.filter(
    (address) => PRIVATE.test(address) && !served.includes(address) && begins.has(beginOf(address)),
  );
}

/** "10.96", of "10.96.3.4" */
export function beginOf(address: string): string {
  return address.split('.').slice(0, 2).join('.');
}

/** Services that may be meant: those of the namespace with similar names, else one of the name in another namespace, which may be a stranger's. */
async function likeServices(
  asker: Asker,
  { namespace, name }: ServiceName,
  ofPod: string,
): Promise<Pick<ServiceEvidence, 'elsewhere' | 'similar' | 'isInOwn'>> {
  const own = await asker.list(`services of namespace ${namespace}`, SERVICES, { namespace, limit: MAX_LISTED });
  const similar = nearNames(
    name,
    own.flatMap(({ metadata }) => metadata?.name ?? []),
  );
  if (similar.length > 0) return { similar };
  const alike = own.flatMap((each) =>
    isAlsoCalled(name, each.metadata?.name ?? '') ? (each.metadata?.name ?? []) : [],
  );
  if (alike.length === 1) return { similar: alike };
  const fieldSelector = `metadata.name=${name}`;
  const same = await asker.list(`services ${name} of all namespaces`, SERVICES, { fieldSelector, limit: MAX_SERVICES });
  const all = same.flatMap(({ metadata }) => metadata?.namespace ?? []);
  if (all.includes(ofPod)) return { elsewhere: [ofPod], isInOwn: true };
  const [nearest] = nearestNamespaces(all, [namespace, ofPod]);
  return nearest === undefined ? {} : { elsewhere: [nearest] };
}

/** Names that people give to servers of one kind. */
const ALSO_CALLED: readonly (readonly string[])[] = [
  ['db', 'database', 'postgres', 'postgresql', 'pg', 'mysql', 'mariadb', 'sql', 'mongo', 'mongodb'],
  ['cache', 'redis', 'valkey', 'memcached'],
  ['mq', 'rabbitmq', 'rabbit', 'broker', 'queue', 'amqp', 'kafka', 'nats'],
  ['es', 'elasticsearch', 'elastic', 'search', 'opensearch'],
];

/** "db" and "database", "mq" and "shop-rabbitmq". */
function isAlsoCalled(name: string, other: string): boolean {
  const parts = other.split('-');
  return ALSO_CALLED.some(
    (all) => name.split('-').some((part) => all.includes(part)) && parts.some((part) => all.includes(part)),
  );
}

/** Why a service has no endpoint at all; undefined: it may still get one, or that could not be read. */
export async function nobodyBehind(
  asker: Asker,
  namespace: string,
  selector: Readonly<Record<string, string>>,
  name: string,
): Promise<NobodyBehind | undefined> {
  const query = { namespace, limit: MAX_LISTED };
  const labelSelector = labelsText(Object.entries(selector));
  const [deployments, sets, pods] = await Promise.all([
    asker.listAll(`deployments in namespace ${namespace}`, DEPLOYMENTS, query),
    asker.listAll(`statefulsets in namespace ${namespace}`, STATEFUL_SETS, query),
    asker.listAll(`pods with ${labelSelector}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES }),
  ]);
  if (deployments === undefined || sets === undefined || pods === undefined) return undefined;
  const all = [
    ...deployments.map((one) => ({ ...one, kind: 'deployment' })),
    ...sets.map((one) => ({ ...one, kind: 'statefulset' })),
  ];
  const behind = all.filter(({ spec }) => {
    const labels = spec?.template.metadata?.labels ?? {};
    return Object.entries(selector).every(([key, value]) => labels[key] === value);
  });
  if (behind.length === 0) {
    if (pods.length > 0) return undefined;
    const nearest = await nearestText(asker, namespace, { selector, name }, all);
    return { scaledToZero: [], unlabelled: true, ...(nearest !== undefined && { nearest }) };
  }
  const wanting = behind.filter(({ spec }) => (spec?.replicas ?? 1) > 0);
  if (wanting.length > 0) {
    const [only, ...more] = wanting;
    if (only === undefined || more.length > 0 || pods.length > 0) return undefined;
    const kind = only.kind === 'deployment' ? 'Deployment' : 'StatefulSet';
    const unmade = await causeOfUnmade(asker, { ...only, kind });
    return unmade === undefined ? undefined : { scaledToZero: [], unmade };
  }
  return { scaledToZero: behind.map(({ kind, metadata }) => `${kind}/${metadata?.name ?? ''}`) };
}

type Made = (Deployment | StatefulSet) & { readonly kind: string };

/** "the pods of deployment/api have app=api", of the workload, else the pod, with most of the labels that a selector asks for. */
async function nearestText(
  asker: Asker,
  namespace: string,
  { selector, name }: { readonly selector: Readonly<Record<string, string>>; readonly name: string },
  workloads: readonly Made[],
): Promise<string | undefined> {
  const wanted = Object.entries(selector);
  const templates = workloads.map(({ kind, metadata, spec }) => ({
    metadata: { name: `${kind}/${metadata?.name ?? ''}`, labels: spec?.template.metadata?.labels ?? {} },
  }));
  const made = nearestPod(templates, wanted, name);
  if (made !== undefined) return `the pods of ${made.pod.metadata?.name ?? ''} have ${ownLabelsText(made)}`;
  const pods = await asker.list(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED });
  const nearest = nearestPod(pods, wanted, name);
  // One that has all of them has ended.
  return nearest === undefined || nearest.wrong.length === 0
    ? undefined
    : `pod ${nearest.pod.metadata?.name ?? ''} has ${ownLabelsText(nearest)}`;
}

/** "app=web,tier=front", as a list of pods takes it. */
export function labelsText(selector: readonly (readonly [string, string])[]): string {
  return selector.map(([key, value]) => `${key}=${value}`).join(',');
}

/** What the init containers of its pods wait for. */
async function initsBehind(
  asker: Asker,
  namespace: string,
  selector: readonly (readonly [string, string])[],
): Promise<readonly WaitingInit[]> {
  const labelSelector = labelsText(selector);
  const pods = await asker.list(`pods with ${labelSelector}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  return pods.slice(0, MAX_SERVICES).flatMap((pod) => waitingInits(pod));
}
