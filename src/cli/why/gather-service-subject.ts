/** Gathers all evidence about a service: its object, the pods that it selects, where they listen, and policies about them. */
import {
  ENDPOINT_SLICES,
  EVENTS,
  isConditionTrue,
  NETWORK_POLICIES,
  NODES,
  type Pod,
  PODS,
  type Service,
  SERVICES,
} from '../../api/index.ts';
import {
  isNodeDns,
  type NamedService,
  type PodEvidence,
  type ServiceBackends,
  type ServiceSubjectEvidence,
} from '../../diagnosis/index.ts';
import { nearNames } from '../../lib/index.ts';
import { type Asker, found } from './ask.ts';
import { gatherListening } from './gather-listening.ts';
import { gatherPod } from './gather-pod.ts';
import { gatherStrays } from './gather-strays.ts';
import { isUnwell, urgency } from './urgency.ts';
import { MAX_CLIENTS_ASKED, MAX_EVENTS, MAX_LISTED, MAX_LISTENERS_ASKED, MAX_PODS } from './limits.ts';
import { nobodyBehind } from './gather-services.ts';

export async function gatherServiceSubject(
  asker: Asker,
  name: string,
  namespaceFlag: string,
): Promise<ServiceSubjectEvidence> {
  const { namespace } = asker.session;
  const service = await readService(asker, namespace, name);
  const base = { now: asker.now, name, namespace, namespaceFlag, elsewhere: [], events: [] };
  if (service === undefined) {
    const all = await asker.list('services in all namespaces', SERVICES, { limit: MAX_LISTED });
    return { ...base, elsewhere: elsewhere(all, namespace, name), notLookedAt: asker.notLookedAt };
  }
  const [events, behind, named] = await Promise.all([
    asker.list(`events of service/${name}`, EVENTS, {
      namespace,
      fieldSelector: `involvedObject.kind=Service,involvedObject.name=${name}`,
      limit: MAX_EVENTS,
    }),
    service.spec?.type === 'ExternalName' ? undefined : gatherBehind(asker, service, namespaceFlag),
    gatherNamedService(asker, service),
  ]);
  // Whether somebody asks for one that was scaled to 0 decides how much that matters.
  const isAtRest =
    behind?.nobody === undefined || behind.nobody.scaledToZero.length > 0 || behind.nobody.unmade !== undefined;
  const isWell = behind === undefined || (behind.looked.length === 0 && isAtRest);
  const clients = isWell ? await gatherClients(asker, service, namespaceFlag) : undefined;
  return {
    ...base,
    service,
    events,
    ...(behind && { behind }),
    ...(named && { named }),
    ...(clients && { clients }),
    notLookedAt: asker.notLookedAt,
  };
}

/** "db.shop.svc.cluster.local" */
const OF_CLUSTER = /^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\.([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\.svc(?:\.|$)/;

/** The service of the cluster that an external name means. */
async function gatherNamedService(asker: Asker, { spec }: Service): Promise<ServiceSubjectEvidence['named']> {
  const [, name, namespace] = OF_CLUSTER.exec(spec?.externalName ?? '') ?? [];
  if (spec?.type !== 'ExternalName' || name === undefined || namespace === undefined) return undefined;
  const answer = await asker.get(`service/${name} in namespace ${namespace}`, SERVICES, namespace, name);
  if (answer.kind === 'found') return { namespace, name, missing: false, elsewhere: [] };
  if (answer.kind !== 'missing') return undefined;
  const all = await asker.list('services in all namespaces', SERVICES, { limit: MAX_LISTED });
  return { namespace, name, missing: true, elsewhere: elsewhere(all, namespace, name) };
}

/** What is known of pods that are not ready and may need the service, those that look worst. */
async function gatherClients(asker: Asker, service: Service, namespaceFlag: string): Promise<readonly PodEvidence[]> {
  const { namespace = 'default' } = service.metadata ?? {};
  const pods = await asker.list(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED });
  const worst = pods
    .filter((pod) => isUnwell(pod) && !isSelectedBy(service, pod))
    .toSorted((a, b) => urgency(b) - urgency(a))
    .slice(0, MAX_CLIENTS_ASKED);
  return await Promise.all(worst.map((pod) => gatherPod(asker, pod, { namespaceFlag, killings: [], siblings: [] })));
}

/** Undefined: there is none. Throws what else keeps it from being read. */
async function readService(asker: Asker, namespace: string, name: string): Promise<Service | undefined> {
  const answer = await asker.get(`service/${name}`, SERVICES, namespace, name);
  if (answer.kind === 'missing') return undefined;
  // The refusal of the server itself is the answer.
  return found(answer) ?? (await asker.session.client.get(SERVICES, namespace, name, asker.session.signal));
}

function elsewhere(all: readonly Service[], namespace: string, name: string): readonly NamedService[] {
  const named = all.map(({ metadata }) => ({ namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' }));
  const here = nearNames(
    name,
    named.filter((each) => each.namespace === namespace).map((each) => each.name),
  );
  return [...named.filter((each) => each.name === name), ...here.map((each) => ({ namespace, name: each }))];
}

async function gatherBehind(asker: Asker, service: Service, namespaceFlag: string): Promise<ServiceBackends> {
  const { namespace = 'default', name = '' } = service.metadata ?? {};
  const [pods, slices, policies, nodes] = await Promise.all([
    asker.list(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED }),
    asker.list(`endpointslices of service/${name}`, ENDPOINT_SLICES, {
      namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
      limit: MAX_LISTED,
    }),
    asker.list('networkpolicies', NETWORK_POLICIES, { namespace, limit: MAX_LISTED }),
    isLocal(service) ? asker.list('nodes', NODES, { limit: MAX_LISTED }) : [],
  ]);
  const selected = pods.filter((pod) => isSelectedBy(service, pod));
  const unready = selected.filter((pod) => !isReady(pod)).toSorted((a, b) => urgency(b) - urgency(a));
  const running = selected.filter(({ status }) => status?.phase === 'Running').slice(0, MAX_LISTENERS_ASKED);
  const { selector = {} } = service.spec ?? {};
  const isEmpty = Object.keys(selector).length > 0 && selected.length === 0;
  const isUnwritten = Object.keys(selector).length === 0 && !isNodeDns(service);
  const hasEndpoints = slices.some(({ endpoints }) => (endpoints ?? []).length > 0);
  const [looked, listening, nobody, strays] = await Promise.all([
    Promise.all(unready.slice(0, MAX_PODS).map((pod) => gatherPod(asker, pod, { namespaceFlag, killings: [] }))),
    Promise.all(running.map(async (pod) => [pod.metadata?.name ?? '', await gatherListening(asker, pod)] as const)),
    isEmpty ? nobodyBehind(asker, namespace, selector, name) : undefined,
    isUnwritten && !hasEndpoints ? gatherStrays(asker, namespace, name) : undefined,
  ]);
  const all =
    nobody !== undefined && nobody.scaledToZero.length > 0
      ? await asker.list('pods in all namespaces', PODS, { limit: MAX_LISTED })
      : undefined;
  // Why nothing listens in a pod that looks well, its log may tell.
  const deaf = listening.flatMap(([name, heard]) => {
    const pod = running.find(({ metadata }) => metadata?.name === name);
    const isDeaf = heard !== undefined && heard.ports.every(({ loopback }) => loopback !== undefined);
    return pod !== undefined && isDeaf && isReady(pod) ? [pod] : [];
  });
  const silent = await Promise.all(
    deaf.slice(0, 1).map((pod) => gatherPod(asker, pod, { namespaceFlag, killings: [], siblings: [] })),
  );
  const outside = all?.filter(({ metadata }) => metadata?.namespace !== namespace);
  return {
    pods,
    ...(outside && { outside }),
    slices,
    policies,
    looked,
    ...(silent.length > 0 && { deaf: silent }),
    ...(nobody && { nobody }),
    ...(strays && { strays }),
    listening: Object.fromEntries(
      listening.flatMap(([pod, ports]) => (ports === undefined ? [] : [[pod, ports.ports]])),
    ),
    readyNodes: nodes
      .filter(({ status }) => isConditionTrue(status?.conditions, 'Ready'))
      .map(({ metadata }) => metadata?.name ?? ''),
  };
}

/** The evidence that lists have, as one among many objects: no node is asked anything. */
export async function gatherServiceQuietly(
  asker: Asker,
  service: Service,
  namespaceFlag: string,
): Promise<ServiceSubjectEvidence> {
  const { namespace = 'default', name = '' } = service.metadata ?? {};
  const [pods, slices] = await Promise.all([
    asker.list(`pods in namespace ${namespace}`, PODS, { namespace }),
    asker.list(`endpointslices of service/${name}`, ENDPOINT_SLICES, {
      namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
    }),
  ]);
  const isWritten = slices.some(({ endpoints }) => (endpoints ?? []).length > 0);
  const isAlone = Object.keys(service.spec?.selector ?? {}).length === 0 && !isWritten && !isNodeDns(service);
  const strays = isAlone ? { strays: await gatherStrays(asker, namespace, name) } : {};
  const behind = { pods, slices, ...strays, policies: [], looked: [], listening: {}, readyNodes: [] };
  return {
    now: asker.now,
    name,
    namespace,
    service,
    elsewhere: [],
    behind,
    events: [],
    notLookedAt: [],
    namespaceFlag,
  };
}

function isLocal({ spec }: Service): boolean {
  return spec?.externalTrafficPolicy === 'Local' || spec?.internalTrafficPolicy === 'Local';
}

export function isSelectedBy({ spec }: Service, { metadata, status }: Pod): boolean {
  const selector = Object.entries(spec?.selector ?? {});
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return selector.length > 0 && !isOver && selector.every(([key, value]) => metadata?.labels?.[key] === value);
}

function isReady({ status }: Pod): boolean {
  return isConditionTrue(status?.conditions, 'Ready');
}
