/**
 * Where a pod fails and does not say why, or seems well: which pods beside it that use the same server are in trouble, such as a worker that
 * empties the queue which it fills, or a Job that was to make its tables. Those that look well by their status may fail at their work. Pure.
 */
import { isConditionTrue } from '../../api/index.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import { allPeers, isItself, serviceOfHost } from '../facts/peers/dependencies.ts';
import { isOptionalPeer } from '../facts/peers/optional-peers.ts';
import { workloadUid } from '../facts/pod/owner-of.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import { listed } from '../facts/words/text.ts';
import type { Diagnosis, Finding, RankedFinding } from '../finding.ts';
import { MAX_FINDINGS } from '../limits.ts';
import { nextPeers } from '../follow/next-peer.ts';
import { isQuoted, textsOf } from '../follow/quiet-peers.ts';
import { told } from '../order-findings.ts';
import { quotesOfOther } from '../quotes-of-other.ts';
import { DOES_NOT_SAY } from '../rules/runs/failing-again.ts';

/** Pods that are looked at. */
const MAX_LOOKED = 4;
/** Services that are named. */
const MAX_SHARED = 2;

/** Whether they are worth a look: nothing is wrong, or the first finding tells no cause. */
export function sickBesideWanted({ findings: [first] }: Pick<Diagnosis, 'findings'>): boolean {
  return first === undefined || saysNoCause(first.says) || isSymptom(first);
}

/** What fails, and nothing of why: then what others fail at who use the same server may be why, however small it looks. */
export function isSymptom({ id, severity, says }: Pick<Finding, 'id' | 'severity' | 'says'>): boolean {
  return id === 'fails-again' && severity === 'info' && IS_STALE.test(says);
}

/** What comes from others does not come any more. */
const IS_STALE =
  /\bstale\b|\bno (?:new |change |fresh )?(?:\w+ )?(?:events?|messages?|updates?|data|records?|rows?|samples?)\b|\b(?:\d+ ?(?:s|sec(?:onds)?|m(?:in(?:utes)?)?|h(?:ours)?) old)\b|\bolder than\b|\boutdated\b|\bbehind by\b|\blag(?:s|ging)?\b|\bnot (?:been )?(?:updated|refreshed)\b/i;

function saysNoCause(says: string): boolean {
  return says.endsWith(DOES_NOT_SAY);
}

/**
 * Those that look worst by their status alone, one of each workload.
 *
 * @param passed the pods that are known already, by their UIDs
 * @param urgency a sort key: more of it needs a look sooner
 */
export function othersBeside(
  pods: readonly Pod[],
  passed: ReadonlySet<string | undefined>,
  urgency: (pod: Pod) => number,
): readonly Pod[] {
  const known = new Set(pods.filter(({ metadata }) => passed.has(metadata?.uid)).map((pod) => workloadUid(pod)));
  const done = new Set(pods.filter(({ status }) => status?.phase === 'Succeeded').map((pod) => workloadUid(pod)));
  // A try of a Job that failed before another one was done is over.
  const isOver = (pod: Pod): boolean => pod.status?.phase === 'Failed' && done.has(workloadUid(pod));
  const others = pods.filter((pod) => isThere(pod) && !isOver(pod) && !known.has(workloadUid(pod)));
  const key = (pod: Pod): number => urgency(pod) + (isSick(pod) ? 1 : 0);
  const byWorkload = new Map(others.toSorted((a, b) => key(a) - key(b)).map((pod) => [workloadUid(pod), pod] as const));
  return [...byWorkload.values()].toSorted((a, b) => key(b) - key(a)).slice(0, MAX_LOOKED);
}

function isThere({ metadata, status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && metadata?.deletionTimestamp === undefined;
}

/** It is not ready, or a container of it has failed. */
function isSick({ status }: Pod): boolean {
  const hasFailed = (status?.containerStatuses ?? []).some(
    ({ lastState }) => (lastState?.terminated?.exitCode ?? 0) !== 0,
  );
  return hasFailed || !isConditionTrue(status?.conditions, 'Ready');
}

/** A pod beside that is in trouble. */
export interface SickBeside {
  /** "deployment/worker" */
  readonly object: string;
  readonly evidence: PodEvidence;
  readonly trouble: RankedFinding;
  /** What it names and nobody else (`unmetName`). */
  readonly names?: string | undefined;
}

export interface Relations {
  /** Services that the pod uses by what its code says, beside those of its specification. */
  readonly used?: readonly string[];
  /** Services that lead to the pod itself: whose trouble is with one of these asks the pod. */
  readonly own?: readonly string[];
}

/**
 * The diagnosis, with the first of them that uses a server which the pod uses, too, or whose trouble is with the pod itself.
 *
 * @param evidence the pod that the first finding is about
 */
export function withSickBeside(
  diagnosis: Diagnosis,
  evidence: PodEvidence,
  sick: readonly SickBeside[],
  { used = [], own: leading = [] }: Relations = {},
): Diagnosis {
  const own = [...new Set([...serversOf(evidence), ...used])];
  const found = sick
    .map((each) => ({ ...each, shared: sharedBy(each.evidence, own), asks: asksFor(each.evidence, leading) }))
    .find(({ shared, asks }) => shared.length > 0 || asks);
  if (found === undefined) return diagnosis;
  const [first, ...more] = diagnosis.findings;
  const { object, trouble, shared, names, asks } = found;
  const what = asks ? 'it' : `${listed(shared.slice(0, MAX_SHARED))} as well`;
  const which = `${object}, which uses ${what}, has a trouble: ${trouble.says}${names === undefined ? '' : `; ${names}`}`;
  const whose = first === undefined ? `${diagnosis.subject.name} seems well, but ` : `${first.says}; `;
  const [finding] = told([
    {
      ...trouble,
      severity: first === undefined ? 'info' : first.severity === 'critical' ? 'critical' : 'warning',
      says: `${whose}${which}`,
      container: undefined,
      evidence: [...(first?.evidence ?? []).slice(0, 1), ...quotesOfOther(trouble.evidence, object)],
    },
  ]);
  return finding === undefined ? diagnosis : { ...diagnosis, findings: [finding, ...more].slice(0, MAX_FINDINGS) };
}

/** Whether what is wrong with the pod is with one of these services. */
function asksFor(evidence: PodEvidence, own: readonly string[]): boolean {
  const { services, guess } = nextPeers(evidence);
  return guess === undefined && services.some(({ name }) => own.includes(name));
}

/** Those of the services that the pod uses as well, by its specification or its code. */
function sharedBy(evidence: PodEvidence, own: readonly string[]): readonly string[] {
  const named = serversOf(evidence);
  const texts = textsOf(evidence);
  return own.filter((name) => named.includes(name) || texts.some((text) => isQuoted(text, name)));
}

/** The services that its containers name, "redis". */
function serversOf(evidence: PodEvidence): readonly string[] {
  const { containers, pod } = podFacts(evidence);
  const namespace = pod.metadata?.namespace ?? 'default';
  const names = containers
    .flatMap((container) => allPeers(container))
    .filter((peer) => !isItself(peer) && !isOptionalPeer(peer))
    .flatMap(({ host }) => serviceOfHost(host, namespace)?.name ?? []);
  return [...new Set(names)];
}
