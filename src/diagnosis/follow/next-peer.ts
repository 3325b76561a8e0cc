/**
 * Follows a trouble to where it begins: of a program that its peer answers with an error, that peer is to be diagnosed next, and what is
 * wrong with the last of them is told first. Pure; the callers gather the evidence of each.
 */
import { requestsFail, someRequestsFail } from '../../log-analysis/index.ts';
import { podFindings } from '../diagnose-pod.ts';
import type { PodEvidence, ServiceEvidence } from '../evidence/pod-evidence.ts';
import { allPeers, isItself, serviceBehind } from '../facts/peers/dependencies.ts';
import { type ContainerFacts, inPresentLife } from '../facts/pod/container-facts.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import { statusSaid } from '../facts/peers/told-of-answers.ts';
import { serverOf, serves } from '../facts/servers/server-peers.ts';
import { withTriesAsEnds } from '../facts/words/tries-as-ends.ts';
import type { Diagnosis, RankedFinding, Severity } from '../finding.ts';
import { DOES_NOT_SAY } from '../rules/runs/failing-again.ts';
import { MAX_FINDINGS } from '../limits.ts';
import { told } from '../order-findings.ts';
import { quotesOfOther } from '../quotes-of-other.ts';
import { isOfPooler } from '../rules/peers/poolers.ts';

/** Findings about a peer that takes requests and does not do what is asked, and those in whose words one may do that. */
const OF_PEER =
  /^(?:dependency-(?:fails|closes|times-out)|fails-again|exit-code|(?:readiness|startup|liveness)-\w[\w-]*|probe-[\w-]+)$/;
/** A peer lets nobody in: its own log may know why, where it is asked by HTTP or stands before another one. */
const LETS_NOT_IN = /^(?:authentication-refused|not-allowed)$/;
const TURNED_AWAY: ReadonlySet<number | undefined> = new Set([401, 403]);

/** Those of whom one may be what a pod suffers from. */
export interface NextPeers {
  readonly services: readonly ServiceEvidence[];
  /**
   * Absent: the finding names them. in-trouble: it names nobody, so only one that does not work is meant. complaining: it is a server that
   * answers with failures and does not say why, so one that complains again and again is meant, too.
   */
  readonly guess?: 'in-trouble' | 'complaining';
  /** No pod of them is ready, of which the finding tells a part. */
  readonly isAway?: true;
  /** How one that seems well serves those who ask it: "turns each request away"; absent: well, as far as is known. */
  readonly serves?: string;
  /** One of them with which nothing seems wrong may wait for others itself. */
  readonly mayPass?: true;
}

/** Whether what is wrong with one of them may be what the asker suffers from. */
export function isMeant({ guess }: NextPeers, { severity }: Pick<RankedFinding, 'severity'>): boolean {
  return guess !== 'in-trouble' || severity !== 'info';
}

const NOBODY: NextPeers = { services: [] };
/** Services that are asked where the finding names none. */
const MAX_GUESSED = 3;

/**
 * The service behind the first finding of a pod, else those that its container uses.
 *
 * @param id the finding that must be the first; absent: any
 */
export function nextPeers(evidence: PodEvidence, id?: string): NextPeers {
  const facts = podFacts(evidence);
  const [first] = podFindings(facts);
  if (first?.container === undefined || (id !== undefined && id !== first.id)) return NOBODY;
  const container = withTriesAsEnds(facts).containers.find(({ name }) => name === first.container);
  if (container === undefined) return NOBODY;
  const away = awayService(evidence, first);
  if (away !== undefined) return { services: [away], isAway: true };
  const isWordless = container.again?.isWordless === true;
  const fromBehind = isAnsweredWithFailure(first);
  const service = serverOf(evidence, isWordless ? withoutWords(container) : container);
  if (service !== undefined) {
    const asks = LETS_NOT_IN.test(first.id) && (TURNED_AWAY.has(statusSaid(container)) || isPooler(service));
    if (!asks && !OF_PEER.test(first.id)) return NOBODY;
    return { services: [service], ...((isWordless || fromBehind || IN_TIME.test(first.id)) && { mayPass: true }) };
  }
  if (!MAY_BE_ANY.test(first.id) && !fromBehind) return NOBODY;
  // Of a server that fails each request something is the reason, though it does not say what.
  const fails = isWordless || fromBehind || container.again?.answers !== undefined;
  return {
    services: allServers(evidence, container),
    guess: fails ? 'complaining' : 'in-trouble',
    ...(fromBehind && { mayPass: true }),
  };
}

/** Whether the trouble is a probe to which the program answered that it fails: it may only pass on what another one answers. */
function isAnsweredWithFailure({ id, says }: RankedFinding): boolean {
  return /^(?:readiness|startup|liveness)-failing$/.test(id) && /answers 5\d\d\b/.test(says);
}

/** The service that the finding blames, none of whose pods is ready. */
function awayService({ services }: PodEvidence, { blames }: RankedFinding): ServiceEvidence | undefined {
  return services.find(
    ({ namespace, name, missing, ready, notReady, selector }) =>
      blames?.service === `${namespace}/${name}` && !missing && ready === 0 && notReady > 0 && selector !== undefined,
  );
}

/** Letters of the end of a sentence by which another one has it. */
const TAIL = 60;

/** Whether the first finding has all that was found behind a service without a ready pod. */
export function isToldAlready(says: string, { isAway }: NextPeers, steps: readonly Step[]): boolean {
  const [only, ...more] = steps;
  return isAway === true && more.length === 0 && says.includes(only?.trouble?.says.slice(-TAIL) ?? '');
}

/** It answers, and too late. */
const IN_TIME = /^dependency-times-out$/;
/** Findings that quote what a program says of its work, whoever is behind it. */
const MAY_BE_ANY = /^(?:dependency-(?:fails|closes|times-out)|fails-again)$/;

/** The record of an answer names who asked, and nobody who was asked. */
function withoutWords(container: ContainerFacts): ContainerFacts {
  return {
    ...container,
    failing: undefined,
    reading: { ...container.reading, decisive: undefined, lastLine: undefined },
  };
}

/** Those whom a pod uses that seems well, which may turn away each request because one of them does. */
export function peersOfWell(evidence: PodEvidence, services: readonly ServiceEvidence[]): NextPeers {
  const all = podFacts(evidence).containers.map((container) => inPresentLife(container).lines);
  const turnsAway = all.some((lines) => requestsFail(lines)?.isWordless === true);
  const [some] = all.flatMap((lines) => someRequestsFail(lines) ?? []);
  const how = turnsAway
    ? 'turns each request away'
    : some && `fails some of its requests (${some.failed} of the last ${some.of})`;
  return {
    services: services.filter(({ missing }) => !missing),
    guess: how === undefined ? 'in-trouble' : 'complaining',
    ...(how !== undefined && { serves: how }),
  };
}

function allServers({ services, pod }: PodEvidence, container: ContainerFacts): readonly ServiceEvidence[] {
  const namespace = pod.metadata?.namespace ?? 'default';
  const peers = allPeers(container).filter((peer) => !isItself(peer));
  // Where nothing names a peer, the services are those that its code quotes.
  const found =
    peers.length === 0 ? services : peers.flatMap(({ host }) => serviceBehind(services, host, namespace) ?? []);
  return [...new Set(found.filter((service) => serves(service)))].slice(0, MAX_GUESSED);
}

/** Whether the peer says itself that it is not let in by the one behind it. */
function isPooler({ server }: ServiceEvidence): boolean {
  return server?.lines?.some((line) => isOfPooler(line)) === true;
}

/** What is wrong with a pod that others need: a trouble, or what its log tells again and again; undefined: nothing. */
export function troubleOf(evidence: PodEvidence): RankedFinding | undefined {
  return podFindings(podFacts(evidence)).find(
    ({ severity, topic }) => severity !== 'info' || topic.startsWith('runs/'),
  );
}

/** Words of this length are compared. */
const MIN_WORD = 4;

/** Whether the trouble of one who is needed is only that of the asker in other words, as a broker logs whom it refuses. */
export function isSameTrouble(asker: string, { severity, says }: RankedFinding): boolean {
  if (severity !== 'info' || says.endsWith(DOES_NOT_SAY)) return false;
  const words = (text: string): ReadonlySet<string> =>
    new Set((text.toLowerCase().match(/[a-z][\w.-]+/g) ?? []).filter((word) => word.length >= MIN_WORD));
  const own = words(asker.slice(asker.indexOf(': ') + 1));
  const other = words(says.slice(says.indexOf(': ') + 1));
  const both = [...own].filter((word) => other.has(word)).length;
  return both * 2 > Math.min(own.size, other.size);
}

/** One who is needed: its object, and what is wrong with it; absent: it seems well, and needs the next one. */
export interface Step {
  /** "deployment/api" */
  readonly object: string;
  readonly trouble?: RankedFinding;
}

const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info'];

/**
 * The diagnosis, whose first finding is what is wrong with the last of those who are needed.
 *
 * @param steps the nearest first
 * @param serves how the subject, which seems well, answers those who ask it
 */
export function withRoot(diagnosis: Diagnosis, steps: readonly Step[], serves?: string): Diagnosis {
  const root = steps.at(-1);
  const [first] = diagnosis.findings;
  if (root?.trouble === undefined) return diagnosis;
  const way = steps.map(({ object }) => nameOf(object)).join(', that needs ');
  const { trouble, object } = root;
  const isFailing = serves !== undefined || first?.says.endsWith(DOES_NOT_SAY) === true;
  const severity =
    SEVERITIES.find(
      (each) => each === first?.severity || each === trouble.severity || (isFailing && each === 'warning'),
    ) ?? 'info';
  const whose = first !== undefined ? 'needs' : serves === undefined ? 'seems well, but uses' : `${serves}, and uses`;
  const [finding] = told([
    {
      ...trouble,
      // One that seems well may do without it.
      severity: first === undefined && serves === undefined ? 'info' : severity,
      says: `${diagnosis.subject.name} ${whose} ${way}, and there ${trouble.says}`,
      container: undefined,
      evidence: [...(first?.evidence ?? []).slice(0, 1), ...quotesOfOther(trouble.evidence, object)],
    },
  ]);
  return finding === undefined
    ? diagnosis
    : { ...diagnosis, findings: [finding, ...diagnosis.findings].slice(0, MAX_FINDINGS) };
}

/** "deployment/api" → "api" */
function nameOf(object: string): string {
  return object.slice(object.indexOf('/') + 1);
}
