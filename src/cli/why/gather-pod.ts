/** Gathers all evidence about one pod, in two rounds: the second reads what the first found worth reading. */
import {
  controllerOf,
  type Deployment,
  EVENTS,
  isControlledBy,
  labelSelectorOf,
  LIMIT_RANGES,
  matchesLabels,
  type Pod,
  PODS,
  SERVICES,
  uidsOf,
} from '../../api/index.ts';
import {
  type ContainerLogs,
  configsWanted,
  peerSecretsWanted,
  credentialsWanted,
  firstAttemptWanted,
  type LogWanted,
  besideLogsWanted,
  logsWanted,
  mapsOfTries,
  namedAddressesOf,
  namedPodsOf,
  namedServicesOf,
  complaintWanted,
  wantedJob,
  type PodEvidence,
  type ServiceName,
  TEMPLATE_HASH,
  type Throttling,
  rightWanted,
  serversWanted,
  wantsDefaults,
  wantsListening,
  quotedServices,
  wantsRollout,
  wantsServiceNames,
  wantsThrottling,
  wellLogsWanted,
  type WorkloadObject,
} from '../../diagnosis/index.ts';
import { type Asker, found } from './ask.ts';
import { type CauseOptions, withCauses } from './gather-causes.ts';
import { gatherComplaint } from './gather-complaint.ts';
import { gatherConfigs } from './gather-configs.ts';
import { gatherFailedJob } from './gather-failed-job.ts';
import { gatherHeld } from './gather-held.ts';
import { gatherHistory } from './gather-history.ts';
import { gatherAddresses } from './gather-addresses.ts';
import { gatherBindings } from './gather-bindings.ts';
import { gatherNamedPods } from './gather-named-pods.ts';
import { gatherListening } from './gather-listening.ts';
import { gatherNode } from './gather-node.ts';
import { gatherPlacement } from './gather-placement.ts';
import { gatherRollout } from './gather-rollout.ts';
import { gatherServer } from './gather-server.ts';
import { beginOf, gatherServices, servicesAt } from './gather-services.ts';
import { withHeard } from './gather-heard.ts';
import { gatherPodStorage } from './gather-storage.ts';
import { gatherClaims } from './gather-volumes.ts';
import {
  LOG_TAIL_LINES,
  MAX_BEGINNING_BYTES,
  MAX_EVENTS,
  MAX_LISTED,
  MAX_LOG_BYTES,
  MAX_METRICS_BYTES,
  MAX_WELL_LOGS,
} from './limits.ts';
import { ownersOf } from './owners.ts';
import { urgency } from './urgency.ts';
import { throttlingOf } from './throttling-metrics.ts';

/** Evidence that a caller with several pods of one owner has read already. */
export interface Known {
  readonly owners?: readonly WorkloadObject[];
  readonly siblings?: readonly Pod[];
  readonly killings?: PodEvidence['siblingEvents'];
  readonly namespaceFlag: string;
  /** Its node is not asked what it remembers, and no log is read. */
  readonly quiet?: boolean;
  /** It stands behind a service of the pod that is asked about: services behind it are not looked into. */
  readonly isBehind?: boolean;
}

export async function gatherPod(asker: Asker, pod: Pod, known: Known): Promise<PodEvidence> {
  const uid = pod.metadata?.uid;
  const nodeName = pod.spec?.nodeName ?? '';
  const makers = known.owners ?? ownersOf(asker, pod);
  const [events, node, owners, history, claims, siblings, siblingEvents] = await Promise.all([
    eventsOf(asker, pod),
    nodeName === '' ? undefined : gatherNode(asker, nodeName),
    makers,
    known.quiet === true ? undefined : gatherHistory(asker, pod),
    gatherClaims(asker, pod),
    known.siblings ?? siblingsOf(asker, pod, makers),
    known.killings ?? killingsIn(asker, pod),
  ]);
  const first: PodEvidence = {
    now: asker.now,
    pod,
    events,
    node,
    owners,
    history,
    logs: {},
    claims,
    configs: [],
    services: [],
    throttling: {},
    siblings: siblings.filter((other) => other.metadata?.uid !== uid),
    siblingEvents,
    notLookedAt: [],
    namespaceFlag: known.namespaceFlag,
  };
  return known.quiet === true ? { ...first, notLookedAt: asker.notLookedAt } : await gatherRest(asker, first, known);
}

/** The kubelet's events of a static pod carry the UID of the static pod, not that of its mirror. */
async function eventsOf(asker: Asker, pod: Pod): Promise<PodEvidence['events']> {
  const { namespace, name = '' } = pod.metadata ?? {};
  const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${name}`;
  const all = await asker.list(`events of pod/${name}`, EVENTS, { namespace, fieldSelector, limit: MAX_EVENTS });
  const uids = uidsOf(pod);
  return all.filter(({ involvedObject }) => uids.includes(involvedObject.uid ?? ''));
}

async function gatherRest(asker: Asker, first: PodEvidence, known: Known): Promise<PodEvidence> {
  const { pod } = first;
  const [logs, mapsAndNamed, throttling, held, rollout, storage, placement, limitRanges] = await Promise.all([
    gatherLogs(asker, pod, [...logsWanted(first), ...wellLogs(asker, first, known)]),
    gatherConfigs(asker, pod.metadata?.namespace, configsWanted(first)),
    wantsThrottling(first) ? gatherThrottling(asker, pod) : {},
    gatherHeld(asker, pod),
    wantsRollout(first) ? gatherRollout(asker, pod, first.owners, [pod, ...first.siblings]) : undefined,
    gatherPodStorage(asker, first),
    gatherPlacement(asker, first),
    wantsDefaults(first) ? limitRangesOf(asker, pod) : undefined,
  ]);
  const heard: PodEvidence = { ...first, logs, configs: mapsAndNamed };
  const beside = await gatherLogs(asker, pod, besideLogsWanted(heard));
  const said: PodEvidence = { ...heard, logs: { ...logs, ...beside } };
  const hidden = await gatherConfigs(asker, pod.metadata?.namespace, [
    ...peerSecretsWanted(said),
    ...mapsOfTries(said),
  ]);
  const configs = [...mapsAndNamed, ...hidden];
  const second: PodEvidence = {
    ...said,
    configs,
    throttling,
    ...held,
    ...(rollout && { rollout }),
    ...(storage && { storage }),
    ...(placement && { placement }),
    ...(limitRanges && { limitRanges }),
  };
  const earlier = known.siblings === undefined ? firstAttemptWanted(second) : undefined;
  const right = rightWanted(second);
  const [named, addresses, credentials, listening, sharers, rights, firstAttempt, namedPods] = await Promise.all([
    gatherNamed(asker, second),
    gatherAddresses(asker, pod, first.node?.node, namedAddressesOf(second)),
    gatherConfigs(asker, pod.metadata?.namespace, credentialsWanted(second)),
    wantsListening(second) ? gatherListening(asker, pod) : undefined,
    // Now that the logs are known, one may name a lock.
    placement === undefined ? gatherPlacement(asker, second) : undefined,
    right && gatherBindings(asker, right),
    earlier &&
      gatherPod(asker, earlier, {
        owners: first.owners,
        siblings: [],
        killings: [],
        namespaceFlag: known.namespaceFlag,
      }),
    gatherNamedPods(asker, namedPodsOf(second)),
  ]);
  const services = await withHeard(asker, { ...second, ...named });
  const third: PodEvidence = {
    ...second,
    ...named,
    services: known.isBehind === true ? services : await withCauses(asker, services, behind(asker, pod, known)),
    configs: [...configs, ...credentials],
    ...(listening && { listening: listening.ports, listeningUdp: listening.udp ?? [] }),
    ...(sharers && { placement: sharers }),
    ...(addresses.length > 0 && { addresses }),
    ...(namedPods.length > 0 && { namedPods }),
    ...rights,
    ...(firstAttempt && { firstAttempt }),
    notLookedAt: asker.notLookedAt,
  };
  const fourth = known.isBehind === true ? third : await withJob(asker, await withServers(asker, third), known);
  return await withComplaint(asker, fourth);
}

function limitRangesOf(asker: Asker, { metadata }: Pod): Promise<PodEvidence['limitRanges']> {
  const { namespace = 'default' } = metadata ?? {};
  return asker.list(`limitranges in namespace ${namespace}`, LIMIT_RANGES, { namespace, limit: MAX_LISTED });
}

/** The evidence, with what is known of the pods behind services that are ready and refuse this pod. */
async function withServers(asker: Asker, evidence: PodEvidence): Promise<PodEvidence> {
  const wanted = serversWanted(evidence);
  if (wanted.length === 0) return evidence;
  const linesOf = (pod: Pod, container: string): Promise<readonly string[] | undefined> =>
    gatherLog(asker, pod, container, false);
  const servers = await Promise.all(
    wanted.map(async (each) => [each.service, await gatherServer(asker, each, linesOf)] as const),
  );
  const known = new Map(servers);
  const services = evidence.services.map((each) => (known.has(each) ? { ...each, server: known.get(each) } : each));
  return { ...evidence, services, notLookedAt: asker.notLookedAt };
}

/** The evidence, with the Job that may have been meant to make the data that a container lacks, or what it waits for. */
async function withJob(asker: Asker, evidence: PodEvidence, known: Known): Promise<PodEvidence> {
  const wanted = wantedJob(evidence);
  if (wanted === undefined) return evidence;
  const failedJob = await gatherFailedJob(asker, evidence, wanted, behind(asker, evidence.pod, known).gather);
  return failedJob === undefined ? evidence : { ...evidence, failedJob, notLookedAt: asker.notLookedAt };
}

/** The logs of those that look well, as many as a question may read. */
function wellLogs(asker: Asker, evidence: PodEvidence, { isBehind }: Known): readonly LogWanted[] {
  return isBehind === true
    ? []
    : wellLogsWanted(evidence).filter(() => asker.mayTake('logs of well containers', MAX_WELL_LOGS));
}

/** The evidence, with what a pod says that is ready, and from whose service this pod gets no answer. */
async function withComplaint(asker: Asker, evidence: PodEvidence): Promise<PodEvidence> {
  const service = complaintWanted(evidence);
  if (service === undefined) return evidence;
  const complaint = await gatherComplaint(asker, service, (pod, container) => gatherLog(asker, pod, container, false));
  if (complaint === undefined) return evidence;
  const services = evidence.services.map((each) => (each === service ? { ...each, complaint } : each));
  return { ...evidence, services, notLookedAt: asker.notLookedAt };
}

/** The services that it names, or whose addresses it names. */
async function gatherNamed(
  asker: Asker,
  evidence: PodEvidence,
): Promise<Pick<PodEvidence, 'services' | 'unservedAddresses'>> {
  const { namespace = 'default' } = evidence.pod.metadata ?? {};
  const named = namedServicesOf(evidence);
  const { names, unserved } = await servicesAt(asker, namespace, namedAddressesOf(evidence));
  const isNew = (one: ServiceName): boolean =>
    !named.some((other) => other.name === one.name && other.namespace === one.namespace);
  const quoted = names.length === 0 && wantsServiceNames(evidence) ? await quotedIn(asker, evidence, namespace) : [];
  const services = await gatherServices(asker, [...names.filter(isNew), ...named, ...quoted], namespace);
  // Pods of its node have addresses of another network, which may begin alike.
  const ofPods = beginOf(evidence.node?.node?.spec?.podCIDR ?? '');
  const alone = unserved.filter((address) => beginOf(address) !== ofPods);
  return { services, ...(alone.length > 0 && { unservedAddresses: alone }) };
}

/** The services of its namespace that its code names. */
async function quotedIn(asker: Asker, evidence: PodEvidence, namespace: string): Promise<readonly ServiceName[]> {
  const all = await asker.list(`services in namespace ${namespace}`, SERVICES, { namespace, limit: MAX_LISTED });
  return quotedServices(evidence, all);
}

function behind(asker: Asker, asked: Pod, { namespaceFlag }: Known): CauseOptions {
  return {
    gather: (pod) => gatherPod(asker, pod, { namespaceFlag, isBehind: true, siblings: [], killings: [] }),
    urgency,
    asked,
  };
}

/** The pods of its controller, and those that the same Deployment makes through other ReplicaSets. */
async function siblingsOf(
  asker: Asker,
  pod: Pod,
  makers: readonly WorkloadObject[] | Promise<readonly WorkloadObject[]>,
): Promise<readonly Pod[]> {
  const owner = controllerOf(pod);
  if (owner === undefined || owner.kind === 'Node') return [];
  const { namespace = 'default' } = pod.metadata ?? {};
  const all = await asker.list(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED });
  const reference = { metadata: { uid: owner.uid } };
  const deployment = (await makers).find(({ kind }) => kind === 'Deployment');
  return all.filter(
    (other) =>
      isControlledBy(other, reference) || (deployment !== undefined && isMadeBy(other, deployment as Deployment)),
  );
}

/** Whether a ReplicaSet of the Deployment made it, as far as its labels and the name of its maker say. */
function isMadeBy(pod: Pod, { metadata, spec }: Deployment): boolean {
  const maker = controllerOf(pod);
  const hash = pod.metadata?.labels?.[TEMPLATE_HASH] ?? '';
  const selector = labelSelectorOf(spec?.selector);
  return (
    maker?.kind === 'ReplicaSet' &&
    maker.name === `${metadata?.name ?? ''}-${hash}` &&
    selector !== undefined &&
    matchesLabels(selector, pod.metadata?.labels)
  );
}

/** Killing events of pods, which only the rule about cascades needs. */
export function killingsIn(asker: Asker, pod: Pod): Promise<PodEvidence['siblingEvents']> | [] {
  if (controllerOf(pod) === undefined) return [];
  const { namespace = 'default' } = pod.metadata ?? {};
  const fieldSelector = 'reason=Killing,involvedObject.kind=Pod';
  return asker.list(`kills in namespace ${namespace}`, EVENTS, { namespace, fieldSelector, limit: MAX_EVENTS });
}

async function gatherLogs(
  asker: Asker,
  pod: Pod,
  wanted: readonly LogWanted[],
): Promise<Readonly<Record<string, ContainerLogs>>> {
  const entries = await Promise.all(
    wanted.map(async ({ container, previous }): Promise<[string, ContainerLogs]> => {
      const lines = await gatherLog(asker, pod, container, previous);
      if (previous) return [container, { previous: lines }];
      const isCutShort = (lines?.length ?? 0) >= LOG_TAIL_LINES;
      // What a program has given up, or a thread of its own that has ended, it says once, and early.
      const beginning = isCutShort ? await gatherBeginning(asker, pod, container) : undefined;
      return [container, { current: lines, ...(beginning && { beginning }) }];
    }),
  );
  const logs: Record<string, ContainerLogs> = {};
  for (const [container, each] of entries) logs[container] = { ...logs[container], ...each };
  return logs;
}

/** The first lines of its present life. */
async function gatherBeginning(asker: Asker, pod: Pod, container: string): Promise<readonly string[] | undefined> {
  const query = new URLSearchParams({ container, limitBytes: String(MAX_BEGINNING_BYTES) });
  return await logLines(asker, pod, container, query);
}

/** The last lines of a container; undefined: they cannot be read. */
export async function gatherLog(
  asker: Asker,
  pod: Pod,
  container: string,
  previous: boolean,
): Promise<readonly string[] | undefined> {
  const query = new URLSearchParams({
    container,
    tailLines: String(LOG_TAIL_LINES),
    ...(previous ? { previous: 'true' } : {}),
  });
  return await logLines(asker, pod, container, query);
}

async function logLines(
  asker: Asker,
  pod: Pod,
  container: string,
  query: URLSearchParams,
): Promise<readonly string[] | undefined> {
  const { namespace = 'default', name = '' } = pod.metadata ?? {};
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log`;
  const what = `log of container ${container} of pod/${name}`;
  const text = found(await asker.text(what, `${path}?${query.toString()}`, MAX_LOG_BYTES));
  return text?.split('\n');
}

async function gatherThrottling(asker: Asker, pod: Pod): Promise<Readonly<Record<string, Throttling>>> {
  const { namespace = 'default', name = '' } = pod.metadata ?? {};
  const node = pod.spec?.nodeName ?? '';
  const url = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/metrics/cadvisor`;
  const text = found(await asker.text(`figures of node/${node}`, url, MAX_METRICS_BYTES));
  return text === undefined ? {} : throttlingOf(text, namespace, name);
}
