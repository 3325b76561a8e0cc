/** Decides what else is worth reading once the pod is known; few reads spare the server, and its secrets. */
import { parseTime } from '../lib/index.ts';
import {
  controllerOf,
  driverVolumeOf,
  isConditionTrue,
  labelSelectorOf,
  matchesLabels,
  type Service,
} from '../api/index.ts';
import type { Event, Pod } from './evidence/kinds.ts';
import type { PodEvidence } from './evidence/pod-evidence.ts';
import {
  configMapsOf,
  type ConfigReference,
  configReferences,
  optionalVariables,
  optionalWholes,
  secretsWithPeers,
  usedBy,
} from './facts/configs/config-references.ts';
import { aboutPeers } from './facts/peers/about-peers.ts';
import { asksForSecretNames } from './facts/peers/answering-peer.ts';
import { asksForValues } from './facts/variables/blamed-variables.ts';
import { type ContainerFacts, containerFacts, isDone } from './facts/pod/container-facts.ts';
import { fillersOf } from './facts/configs/copied-configs.ts';
import {
  allPeers,
  dependencyTrouble,
  isItself,
  namedAddresses,
  namedPods,
  namedServices,
  type ServiceName,
} from './facts/peers/dependencies.ts';
import { clusterDnsWanted } from './facts/peers/dns-settings.ts';
import type { PodName } from './facts/peers/pod-names.ts';
import { eventsWith } from './facts/pod/events.ts';
import { secretsOfPeers } from './facts/variables/stale-values.ts';
import { aliasedServices } from './facts/peers/host-aliases.ts';
import { type PodFacts, podFacts } from './facts/pod/pod-facts.ts';
import { isLeftBehind, lastSaid } from './facts/pod/left-behind.ts';
import { LOCKED } from './facts/pod/lock-holders.ts';
import { linesAround } from './facts/words/last-words.ts';
import { withTriesAsEnds } from './facts/words/tries-as-ends.ts';
import { asksItsPod } from './facts/peers/told-of-sidecars.ts';
import { isMute, printersFor } from './facts/words/said-beside.ts';
import { saidLast } from './facts/words/said-last.ts';
import { linePeers } from './facts/peers/wrong-peers.ts';
import { NORMAL_START_MS } from './limits.ts';
import { namedConfigs } from './facts/files/named-files.ts';
import { isDefaulted } from './facts/pod/limit-defaults.ts';
import { awaitsVolumes } from './rules/starts/missing-config.ts';
import { refusesSignature } from './facts/variables/signing-keys.ts';
import { namesVariable } from './facts/variables/blamed-variables.ts';
import { socketLookedFor } from './rules/peers/local-socket.ts';
import { portInUseWord } from './rules/ends/port-in-use.ts';
import { isRefusedImage, pullSecrets } from './rules/starts/pull-secrets.ts';
import type { RefusedRight } from './facts/pod/refused-right.ts';
import { refusedRightIn } from './facts/pod/refused-rights.ts';
import { accountOf, credentialsOfFailure, refusedCredentials } from './rules/peers/authentication.ts';
import { isLateForReady, isSlowInit } from './rules/probes/readiness.ts';
import { isLongerThanWork } from './rules/starts/serving-init.ts';
import { isQuoted, textsOf } from './follow/quiet-peers.ts';
import { ACCOUNT_REFUSAL, LIMIT_RANGE_REFUSAL, QUOTA_REFUSAL } from './workload/create-failed.ts';

export type { ConfigReference } from './facts/configs/config-references.ts';

export interface LogWanted {
  readonly container: string;
  readonly previous: boolean;
}

/** The facts once the logs are known, which tell what a container that runs fails at: of that all is asked for that an end would ask for. */
function factsHeard(evidence: PodEvidence): PodFacts {
  return withTriesAsEnds(podFacts(evidence));
}

/** Names of containers that need an explanation. */
export function containersInTrouble(evidence: PodEvidence): readonly string[] {
  const facts = podFacts(evidence);
  return facts.containers.filter((container) => isInTrouble(facts, container)).map(({ name }) => name);
}

/** Logs whose last lines may name a cause, except where the record of a death already contains them. */
export function logsWanted(evidence: PodEvidence): readonly LogWanted[] {
  const facts = podFacts(evidence);
  return containerFacts(evidence).flatMap((container): readonly LogWanted[] => {
    const { name, death, trouble, status } = container;
    if (death?.log !== undefined) return [];
    if (trouble !== 'none' && death !== undefined && death.reason !== 'StartError') {
      return [{ container: name, previous: status?.state?.terminated === undefined }];
    }
    return isWaitedFor(facts, container) ? [{ container: name, previous: false }] : [];
  });
}

/** Logs of containers that run and look well: they may fail with each try, which no probe and no event tells. */
export function wellLogsWanted(evidence: PodEvidence): readonly LogWanted[] {
  const { deleting, containers, now } = podFacts(evidence);
  if (deleting) return [];
  return containers.flatMap(({ name, kind, status, trouble }): readonly LogWanted[] => {
    const startedAt = parseTime(status?.state?.running?.startedAt ?? undefined);
    if (trouble === 'none' && isDone(kind, status)) return [{ container: name, previous: false }];
    const runs = trouble === 'none' || trouble === 'died-lately';
    const isWell = kind !== 'init' && status?.ready === true && runs && startedAt !== undefined;
    return isWell && now - startedAt >= WELL_LOG_AFTER_MS ? [{ container: name, previous: false }] : [];
  });
}

/** Once the logs are known: those of containers that may print what a mute one beside them writes, or that should have answered one. */
export function besideLogsWanted(evidence: PodEvidence): readonly LogWanted[] {
  const { deleting, containers } = podFacts(evidence);
  if (deleting) return [];
  const facts = podFacts(evidence);
  const printers = [
    ...containers
      .filter((container) => isMute(container))
      .flatMap((container) => printersFor(evidence, container, containers))
      .map(({ printer }) => printer.name),
    // Which of the others should answer, their configurations tell later.
    ...othersAsked(facts).map(({ name }) => name),
  ];
  return [...new Set(printers)]
    .filter((name) => evidence.logs[name] === undefined)
    .map((name) => ({ container: name, previous: false }));
}

/** The containers beside those in trouble that speak of a peer at an address of their own pod. */
function othersAsked(facts: PodFacts): readonly ContainerFacts[] {
  const asking = facts.containers.filter(
    (container) => isInTrouble(facts, container) && asksItsPod(container) && facts.containers.length > 1,
  );
  return asking.flatMap((container) => facts.containers.filter((each) => each !== container && each.kind !== 'init'));
}

/** A program that fails with each try has tried more than once by then, ms. */
const WELL_LOG_AFTER_MS = 10_000;

/** Whether the container needs an explanation. */
export function isInTrouble(facts: PodFacts, container: ContainerFacts): boolean {
  return container.trouble !== 'none' || container.again?.isWordless === true || isWaitedFor(facts, container);
}

function isWaitedFor(facts: PodFacts, container: ContainerFacts): boolean {
  return isLateForReady(facts, container) || isSlowInit(facts, container);
}

/** ConfigMaps and Secrets are read only where something waits for them, or may tell more of a container in trouble. */
export function configsWanted(evidence: PodEvidence): readonly ConfigReference[] {
  const waits = containerFacts(evidence).some(
    ({ status }) => status?.state?.waiting?.reason === 'CreateContainerConfigError',
  );
  const mounts = eventsWith(evidence.events, 'FailedMount').some(({ message = '' }) =>
    /configmap|secret|config key/i.test(message),
  );
  return unique([
    ...(waits || mounts ? configReferences(evidence.pod) : []),
    ...(isRefusedImage(evidence) ? pullSecrets(evidence.pod) : []),
    ...optionalsOfEnded(evidence),
    ...mapsOfTroubled(evidence),
  ]);
}

/**
 * The ConfigMaps that a container in trouble uses, or that an init container may copy for it: they may name a peer, or hold what its log quotes.
 */
function mapsOfTroubled(evidence: PodEvidence): readonly ConfigReference[] {
  const facts = podFacts(evidence);
  return mapsOf(
    facts,
    facts.containers.filter((container) => isInTrouble(facts, container)),
  );
}

/** Once the logs are known: likewise, of those that run and fail with each try. */
export function mapsOfTries(evidence: PodEvidence): readonly ConfigReference[] {
  const facts = podFacts(evidence);
  const known = new Set(evidence.configs.map(({ kind, name }) => `${kind}/${name}`));
  const wanted = mapsOf(
    facts,
    facts.containers.filter(({ again }) => again !== undefined),
  );
  return unique(wanted).filter(({ kind, name }) => !known.has(`${kind}/${name}`));
}

function mapsOf({ pod }: PodFacts, containers: readonly ContainerFacts[]): readonly ConfigReference[] {
  return configMapsOf(
    pod,
    containers.flatMap(({ spec }) => [spec, ...fillersOf(pod, spec)]),
  );
}

/**
 * Once the logs are known: the Secrets of containers in trouble that may name the peer which their logs do not name. Of their values only
 * where they lead is kept.
 */
export function peerSecretsWanted(evidence: PodEvidence): readonly ConfigReference[] {
  const facts = factsHeard(evidence);
  const known = new Set(evidence.configs.map(({ kind, name }) => `${kind}/${name}`));
  const wanted = facts.containers.flatMap((container) =>
    isInTrouble(facts, container) && lacksPeer(container) ? secretsWithPeers(evidence.pod, container.spec) : [],
  );
  return unique(wanted).filter(({ kind, name }) => !known.has(`${kind}/${name}`));
}

/** Whether what it says may be about a peer, and names none. */
function lacksPeer(container: ContainerFacts): boolean {
  const line = saidLast(container);
  if (linePeers(line).length > 0 || dependencyTrouble(container)?.host !== undefined) return false;
  const about = aboutPeers(line);
  return about === 'peer' || about === 'nothing';
}

function unique(all: readonly ConfigReference[]): readonly ConfigReference[] {
  return [...new Map(all.map((one) => [`${one.kind}/${one.name}`, one])).values()];
}

/** What a container that ends may lack without a word of its node. */
function optionalsOfEnded(evidence: PodEvidence): readonly ConfigReference[] {
  const ended = containerFacts(evidence).filter(({ death }) => death !== undefined && death.exitCode !== 0);
  return ended.flatMap(({ spec }) =>
    [...optionalVariables(spec), ...optionalWholes(spec)].map(({ kind, name }) => ({ kind, name })),
  );
}

/**
 * Once the logs are known: what a container uses whose credentials are refused, because they may have changed lately, and where the
 * file comes from that it names at its end.
 */
export function credentialsWanted(evidence: PodEvidence): readonly ConfigReference[] {
  const facts = factsHeard(evidence);
  const known = new Set(evidence.configs.map(({ kind, name }) => `${kind}/${name}`));
  const ofEach = facts.containers.flatMap((container): readonly ConfigReference[] => [
    ...(credentialsOfFailure(facts, container) === undefined ? [] : usedBy(evidence.pod, container.spec)),
    ...((container.death !== undefined && asksForValues(container)) || mayBeEmpty(facts, container)
      ? usedBy(evidence.pod, container.spec).filter(({ asVariable }) => asVariable)
      : []),
    ...(isInTrouble(facts, container) &&
    (asksForSecretNames(container, saidLast(container)) || refusesSignature(saidLast(container)))
      ? usedBy(evidence.pod, container.spec).filter(({ kind, asVariable }) => kind === 'Secret' && asVariable)
      : []),
    ...namedConfigs(facts, container),
    ...perhapsStale(facts, container),
  ]);
  const ofOthers = configMapsOf(
    evidence.pod,
    othersAsked(facts).map(({ spec }) => spec),
  );
  const used = [...ofEach, ...ofOthers];
  const wanted = new Map(used.map((one) => [`${one.kind}/${one.name}`, one]));
  return [...wanted].flatMap(([key, one]) => (known.has(key) ? [] : [one]));
}

/** What may have been written since a container started whose log names a peer that nothing of its specification has. */
function perhapsStale(facts: PodFacts, container: ContainerFacts): readonly ConfigReference[] {
  const { again, trouble } = container;
  const maps = again === undefined ? [] : usedBy(facts.pod, container.spec).filter(({ kind }) => kind === 'ConfigMap');
  const isTroubled = trouble !== 'none' || again !== undefined || isWaitedFor(facts, container);
  return [...maps, ...(isTroubled ? secretsOfPeers(facts, container, dependencyTrouble(container)?.host) : [])];
}

/** Whether a variable may be set and empty: it names one itself, or looks for a server where nobody meant it to. */
function mayBeEmpty(facts: PodFacts, container: ContainerFacts): boolean {
  if (container.death === undefined || container.death.exitCode === 0) return false;
  return namesVariable(container) || socketLookedFor(facts, container) !== undefined;
}

/** Once the logs are known: the right that a container's service account lacks; undefined: none. */
export function rightWanted(evidence: PodEvidence): RefusedRight | undefined {
  const facts = factsHeard(evidence);
  return facts.containers.flatMap((one) => {
    const refused = refusedCredentials(facts, one);
    return refused?.isForbidden === true
      ? (refusedRightIn(linesAround(one, refused.word), accountOf(evidence.pod)) ?? [])
      : [];
  })[0];
}

/** Once the logs are known: whether the node can tell who has the port that a container wants, or where an init container serves. */
export function wantsListening(evidence: PodEvidence): boolean {
  const facts = factsHeard(evidence);
  const { containers } = facts;
  if (containers.some((container) => isLongerThanWork(facts, container))) return true;
  const shares = containers.length > 1 && evidence.pod.spec?.hostNetwork !== true;
  return shares && containers.some((container) => portInUseWord(container) !== undefined || isRefusedInside(container));
}

/** Whether nothing listens where a container asks its own pod. */
function isRefusedInside(container: ContainerFacts): boolean {
  const trouble = dependencyTrouble(container);
  return trouble?.kind === 'refused' && isItself(trouble);
}

/** Claims of the pod, by name. */
export function claimNames({ spec, metadata }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim !== undefined) return [volume.persistentVolumeClaim.claimName];
    // The claim of a generic ephemeral volume is named after pod and volume.
    return volume.ephemeral === undefined ? [] : [`${metadata?.name ?? ''}-${volume.name}`];
  });
}

export interface StorageWanted {
  /** Names of drivers of its volumes. */
  readonly drivers: readonly string[];
  /** Names of its PersistentVolumes that drivers serve. */
  readonly volumes: readonly string[];
  readonly nodeName: string;
  /** The pod is being deleted, and a volume of it cannot be unmounted. */
  readonly isEnding: boolean;
}

/** Drivers and attachments are read only for a pod that waits for volumes, or cannot end because of one; undefined: it does not. */
export function storageWanted(evidence: PodEvidence): StorageWanted | undefined {
  const facts = podFacts(evidence);
  const isEnding = facts.deleting && eventsWith(facts.events, 'FailedUnMount').length > 0;
  const isWaiting =
    awaitsVolumes(facts) && eventsWith(facts.events, 'FailedMount', 'FailedMapVolume', 'FailedAttachVolume').length > 0;
  const isLate = awaitsVolumes(facts) && facts.ageMs >= NORMAL_START_MS;
  if (!isEnding && !isWaiting && !isLate) return undefined;
  const served = evidence.claims.flatMap(({ volume }) => {
    const source = driverVolumeOf(volume?.spec);
    return source === undefined ? [] : [{ driver: source.driver, volume: volume?.metadata?.name ?? '' }];
  });
  const inline = (evidence.pod.spec?.volumes ?? []).flatMap(({ csi }) => csi?.driver ?? []);
  const drivers = [...new Set([...served.map(({ driver }) => driver), ...inline])];
  if (drivers.length === 0) return undefined;
  const nodeName = evidence.pod.spec?.nodeName ?? '';
  return { drivers, volumes: served.map(({ volume }) => volume), nodeName, isEnding };
}

export interface PlacementWanted {
  /** Pods that may have its claim, its lock or its host port: those of its namespace, of its node, or all. */
  readonly pods: 'none' | 'namespace' | 'node' | 'all';
  readonly nodes: boolean;
}

/** Whether a container with a claim says that another process has a lock. */
function namesLock(evidence: PodEvidence): boolean {
  return (
    evidence.claims.length > 0 &&
    containerFacts(evidence).some(({ lines, trouble, status }) => {
      const isIll = trouble !== 'none' || status?.ready === false;
      return isIll && lines.slice(-LOCK_LINES).some((line) => LOCKED.test(line));
    })
  );
}

/** Whether a container in the network of its node says that a port is taken, perhaps by another such pod. */
function namesPortOfNode(evidence: PodEvidence): boolean {
  return (
    evidence.pod.spec?.hostNetwork === true &&
    containerFacts(evidence).some((container) => portInUseWord(container) !== undefined)
  );
}

/** Lines at the end of a log in which a lock is looked for. */
const LOCK_LINES = 40;

/** What the refusals of a pod that no node takes ask for, and once the logs are known, a lock that one of them names. */
export function placementWanted(evidence: PodEvidence): PlacementWanted {
  const { status, message = '' } = podFacts(evidence).condition('PodScheduled') ?? {};
  const text = status === 'False' ? message : '';
  const pods = /free ports/.test(text)
    ? 'all'
    : /ReadWriteOncePod|didn't match pod affinity rules/.test(text) || namesLock(evidence)
      ? 'namespace'
      : namesPortOfNode(evidence)
        ? 'node'
        : 'none';
  return { pods, nodes: /enough free storage|Insufficient |node affinity\/selector/.test(text) };
}

/** The first pod of its Job, where a container says that it finds something already there; undefined: nothing asks for it. */
export function firstAttemptWanted({ pod, siblings, ...evidence }: PodEvidence): Pod | undefined {
  if (controllerOf(pod)?.kind !== 'Job') return undefined;
  const createdOf = ({ metadata }: Pod): string => metadata?.creationTimestamp ?? '';
  const [first] = siblings
    .filter((other) => other.status?.phase === 'Failed' && createdOf(other) < createdOf(pod))
    .toSorted((a, b) => (createdOf(a) < createdOf(b) ? -1 : 1));
  if (first === undefined) return undefined;
  const meets = containerFacts({ ...evidence, pod, siblings }).some(
    (container) => container.death !== undefined && isLeftBehind(lastSaid(container)),
  );
  return meets ? first : undefined;
}

/** Whether throttling figures are needed: they explain failed probes of running containers with a CPU limit. */
export function wantsThrottling(evidence: PodEvidence): boolean {
  return containerFacts(evidence).some(({ spec, events, status }) => {
    const unhealthy = eventsWith(events, 'Unhealthy').length > 0;
    return unhealthy && status?.state?.running !== undefined && spec.resources?.limits?.['cpu'] !== undefined;
  });
}

/** Whether the rollout that made the pod may explain something: it is not ready, or a container of it dies. */
export function wantsRollout(evidence: PodEvidence): boolean {
  return !isConditionTrue(evidence.pod.status?.conditions, 'Ready') || containersInTrouble(evidence).length > 0;
}

/** Whether a LimitRange refuses pods, so that the LimitRanges of the namespace are worth reading. */
export function wantsLimitRanges(events: readonly Event[]): boolean {
  return eventsWith(events, 'FailedCreate').some(({ message = '' }) => LIMIT_RANGE_REFUSAL.test(message));
}

/** Whether a container was killed for memory at a limit that a LimitRange gave it, so that the LimitRanges are worth reading. */
export function wantsDefaults(evidence: PodEvidence): boolean {
  const facts = podFacts(evidence);
  return facts.containers.some((one) => one.death?.reason === 'OOMKilled' && isDefaulted(facts, one));
}

/** Whether a quota refuses pods, so that the quotas of the namespace are worth reading. */
export function wantsQuotas(events: readonly Event[]): boolean {
  return eventsWith(events, 'FailedCreate').some(({ message = '' }) => QUOTA_REFUSAL.test(message));
}

/** Whether a service account is missing that may be one of its namespace with another name. */
export function wantsAccounts(events: readonly Event[]): boolean {
  return eventsWith(events, 'FailedCreate').some(({ message = '' }) => ACCOUNT_REFUSAL.test(message));
}

/** Addresses in the log of a failing container, which may be those of services. */
export function namedAddressesOf(evidence: PodEvidence): readonly string[] {
  return needsPeers(evidence) ? namedAddresses(factsHeard(evidence).containers) : [];
}

/** Services that the pod or its log names, only for a pod with a failing container. */
export function namedServicesOf(evidence: PodEvidence): readonly ServiceName[] {
  if (!needsPeers(evidence)) return [];
  return uniqueServices([
    ...namedServices(evidence, factsHeard(evidence).containers),
    ...aliasedServices(evidence.pod),
    ...clusterDnsWanted(evidence.pod),
  ]);
}

/** Whether nothing names a peer of a failing container but perhaps its code, so that the names of all services are worth reading. */
export function wantsServiceNames(evidence: PodEvidence): boolean {
  if (!needsPeers(evidence) || namedServicesOf(evidence).length > 0) return false;
  const { containers } = factsHeard(evidence);
  return containers.every((container) => allPeers(container).every((peer) => isItself(peer)));
}

/** The services that its scripts and configurations quote, without its own. @param all the services of its namespace */
export function quotedServices(evidence: PodEvidence, all: readonly Service[]): readonly ServiceName[] {
  const { namespace = 'default', labels } = evidence.pod.metadata ?? {};
  const texts = textsOf(evidence);
  return all
    .filter((service) => !selects(service, labels))
    .flatMap(({ metadata }) => metadata?.name ?? [])
    .filter((name) => texts.some((text) => isQuoted(text, name)))
    .map((name) => ({ namespace, name }))
    .slice(0, MAX_QUOTED);
}

/** Whether the selector of a service has a pod with these labels; one without a selector has none. */
export function selects({ spec }: Service, labels: Readonly<Record<string, string>> | undefined): boolean {
  const parsed = Object.keys(spec?.selector ?? {}).length > 0 && labelSelectorOf({ matchLabels: spec?.selector ?? {} });
  return parsed !== undefined && parsed !== false && matchesLabels(parsed, labels);
}

/** Services that are looked at because the code of a pod names them. */
const MAX_QUOTED = 3;

function uniqueServices(all: readonly ServiceName[]): readonly ServiceName[] {
  return [...new Map(all.map((one) => [`${one.namespace}/${one.name}`, one])).values()];
}

/** Pods of StatefulSets that a failing container looks for in vain. */
export function namedPodsOf(evidence: PodEvidence): readonly PodName[] {
  return needsPeers(evidence) ? namedPods(evidence, factsHeard(evidence).containers) : [];
}

/** Whether a container fails, be it that it only fails at its work. */
function needsPeers(evidence: PodEvidence): boolean {
  const facts = factsHeard(evidence);
  return facts.containers.some((container) => isInTrouble(facts, container));
}
