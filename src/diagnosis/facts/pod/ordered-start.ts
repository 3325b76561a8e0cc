/** Tells of a pod that waits for later pods of its StatefulSet, which are made only when it is ready. Pure. */
import type { StatefulSet } from '../../../api/index.ts';
import type { RankedFinding } from '../../finding.ts';
import { configTexts } from '../configs/config-texts.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';
import { hasWord, listed } from '../words/text.ts';

/** What members of a cluster say that are too few. */
const TOO_FEW =
  /\bquorum\b|no (?:elected |known )?(?:leader|master)\b|(?:leader|master) (?:not (?:found|elected|discovered|known))|not enough (?:master|member|node|peer|replica|voter|server)s?\b|waiting for (?:\d+ )?(?:more |other |all |remaining )?(?:peers?|members?|nodes?|replicas?|servers?)\b|cluster (?:is |has )?not (?:been )?(?:ready|formed|healthy|complete)|starting a new election|expect(?:s|ing|ed)? \d+ (?:members|nodes|servers|peers)/i;
/** Lines at the end of a log that tell at what a program stands. */
const LINES = 40;
const TIMES_OF_NOTE = 2;

interface Waiting {
  readonly set: StatefulSet;
  /** Those that are not there. */
  readonly later: readonly string[];
}

/** The findings; the first of each container that waits for pods which its own readiness holds back says so. */
export function withOrder(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const waiting = waitingFor(facts);
  if (waiting === undefined) return found;
  const done = new Set<string>();
  return found.map((finding) => {
    const container = facts.containers.find(({ name }) => name === finding.container);
    const isTopic = [`end/${container?.name}`, `ready/${container?.name}`].includes(finding.topic);
    if (container === undefined || !isTopic || done.has(container.name)) return finding;
    if (!isHeldBack(facts, container, finding, waiting)) return finding;
    done.add(container.name);
    return told(facts, finding, waiting);
  });
}

function told({ name: pod, commands }: PodFacts, finding: RankedFinding, { set, later }: Waiting): RankedFinding {
  const name = set.metadata?.name ?? '';
  return {
    ...finding,
    severity: 'critical',
    rank: Math.max(finding.rank, MIN_RANK),
    says: `${finding.says}: ${listed(later)} ${later.length === 1 ? 'is' : 'are'} made only when ${pod} is ready, as statefulset/${name} has podManagementPolicy OrderedReady; with Parallel they start together`,
    evidence: [
      ...finding.evidence,
      { source: 'field', of: `statefulset/${name}`, path: 'spec.podManagementPolicy', value: 'OrderedReady' },
    ],
    // The field cannot be changed in place.
    try: [commands.kubectl('delete', `statefulset/${name}`, '--cascade=orphan'), ...finding.try],
  };
}

/** It is the cause of what else is seen of the pod. */
const MIN_RANK = 90;

function waitingFor({ evidence, name, condition }: PodFacts): Waiting | undefined {
  const owner = evidence.owners[0];
  if (owner?.kind !== 'StatefulSet' || condition('Ready')?.status === 'True') return undefined;
  const set = owner as StatefulSet;
  const prefix = `${set.metadata?.name ?? ''}-`;
  const ordinal = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
  if (set.spec?.podManagementPolicy === 'Parallel' || !Number.isInteger(ordinal)) return undefined;
  const end = (set.spec?.ordinals?.start ?? 0) + (set.spec?.replicas ?? 1);
  const there = new Set(evidence.siblings.map(({ metadata }) => metadata?.name));
  const later = Array.from({ length: Math.max(0, Math.min(end - ordinal - 1, MAX_LATER)) }, (_, at) => {
    return `${prefix}${ordinal + 1 + at}`;
  }).filter((each) => !there.has(each));
  return later.length === 0 ? undefined : { set, later };
}

const MAX_LATER = 50;

/** A name that was not found, which the error need not tell. */
const NOT_RESOLVED =
  /name or service not known|no such host|EAI_AGAIN|ENOTFOUND|UnknownHost|could not resolve|not be resolved/i;

/** Whether its own files, variables or command name one of them. */
function namesLater(facts: PodFacts, container: ContainerFacts, later: readonly string[]): boolean {
  const { spec, environment } = container;
  const texts = [
    commandText(spec, environment),
    ...environment.map(({ value }) => value),
    ...configTexts(facts, container).map(({ text }) => text),
  ];
  const set = later[0]?.replace(/-\d+$/, '') ?? '';
  return texts.some((text) => hasNumbered(text, set) || later.some((each) => hasHost(text, each)));
}

/** What stands for a number: "%d", "{i}", "$i", the end of a text that is added to. */
const NUMBER = /^(?:%[0-9]*[dsiv]|\$?\{|\$\(?\w|["'`]\s*(?:\+|\.\s*(?:\$|str))|#\{|<)/;

/** "kv-%d" is a text with the names of all pods of the set kv. */
function hasNumbered(text: string, set: string): boolean {
  const start = `${set}-`;
  for (let at = text.indexOf(start); at !== -1; at = text.indexOf(start, at + 1)) {
    const before = text[at - 1];
    if (
      (before === undefined || !/[\w-]/.test(before)) &&
      NUMBER.test(text.slice(at + start.length, at + start.length + SEEN))
    )
      return true;
  }
  return false;
}

const SEEN = 20;

/** Whether it asks for one of them, or says that its cluster has too few members. */
function isHeldBack(
  facts: PodFacts,
  container: ContainerFacts,
  { topic, says, blames, severity }: RankedFinding,
  { later }: Waiting,
): boolean {
  const { pod } = facts;
  const { reading, failing, lines, name } = container;
  const told = [says, reading.decisive?.line ?? '', failing?.line ?? ''];
  if (told.some((line) => NOT_RESOLVED.test(line)) && namesLater(facts, container, later)) return true;
  if (told.some((line) => later.some((each) => hasHost(line, each)))) return true;
  // Another service that is away may be what it lacks.
  const isOwn = blames === undefined || pod.spec?.subdomain === blames.service.split('/')[1];
  const times = lines.slice(-LINES).filter((line) => TOO_FEW.test(line)).length;
  // A note is of a start that may still succeed.
  return topic === `ready/${name}` && isOwn && times >= (severity === 'info' ? TIMES_OF_NOTE : 1);
}

/** "etcd-1.etcd" has the host etcd-1, and "etcd-1" of "etcd-10" has not. */
function hasHost(line: string, pod: string): boolean {
  return hasWord(line, pod) && !line.includes(`-${pod}`);
}
