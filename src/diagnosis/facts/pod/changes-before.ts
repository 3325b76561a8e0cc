/** What changed shortly before a container's trouble began, as its node recorded it, and as rollouts are known. */
import { findCondition } from '../../../api/index.ts';
import { parseTime } from '../../../lib/index.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { CHANGED_BEFORE_MS, MAX_CHANGES_QUOTED, SAME_ROW_MS } from '../../limits.ts';
import { rolloutText } from '../../rollout/rollouts.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { Death } from './deaths.ts';
import type { PodFacts } from './pod-facts.ts';
import { changedVariableText } from '../variables/changed-variable.ts';
import { quotable } from '../words/text.ts';

type ChangeQuote = Extract<Quote, { readonly source: 'change' }>;

/** Watches take time: a change that is noticed so long after a death may have been before it. */
const NOTICED_LATE_MS = 1000;
/** A pod that became unready so long after its creation was never ready. */
const NEVER_READY_MS = 60_000;
/** Changes that follow from a death or from the making of a namespace, or that other findings are about. */
const CONSEQUENCES =
  /^the pod got a new sandbox$|^the pod's spec changed \(generation|^ConfigMap kube-root-ca\.crt (?:changed|was (?:made|deleted))/;

/** The beginning of a trouble. */
interface Beginning {
  /** Wall ms. */
  readonly at: number;
  /** "the first death of web" */
  readonly before: string;
  readonly death?: Death;
  /** Nothing of the pod went well before. */
  readonly fromBirth: boolean;
}

/** The findings, of each container the most significant one with what changed before; without such changes they are as they were. */
export function withChanges(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  if (facts.deleting) return found;
  const done = new Set<string>();
  return found.map((finding) => {
    const { severity, container: name, topic } = finding;
    if (severity === 'info' || (name === undefined && topic !== 'schedule')) return finding;
    if (done.has(name ?? '')) return finding;
    done.add(name ?? '');
    const container = facts.containers.find((each) => each.name === name);
    const changes = changesBefore(facts, container);
    if (changes.length === 0) return finding;
    const [first, ...others] = finding.evidence;
    const { rollout } = facts.evidence;
    const isRollout = rollout !== undefined && changes.some(({ says }) => says === quotable(rolloutText(rollout)));
    const variable = isRollout && container !== undefined ? changedVariableText(container, finding.says, rollout) : '';
    return {
      ...finding,
      says: `${finding.says}${variable}`,
      evidence: [...(first === undefined ? [] : [first]), ...changes, ...others],
    };
  });
}

/** The latest changes before the trouble of the container began, the newest first. @param container absent: of the whole pod */
export function changesBefore(facts: PodFacts, container: ContainerFacts | undefined): readonly ChangeQuote[] {
  const begin = beginningOf(facts, container);
  if (begin === undefined) return [];
  const recorded = (begin.death?.changes ?? []).filter(({ what }) => !CONSEQUENCES.test(what));
  const quotes = recorded.flatMap(({ at, what }) => quoteChange(begin, at, what));
  return [...quotes, ...rolloutBefore(facts, begin)]
    .toSorted((a, b) => a.secondsBefore - b.secondsBefore)
    .slice(0, MAX_CHANGES_QUOTED);
}

function rolloutBefore({ evidence }: PodFacts, begin: Beginning): readonly ChangeQuote[] {
  const { rollout } = evidence;
  if (!begin.fromBirth || rollout?.at === undefined || rollout.changes.length === 0) return [];
  return quoteChange(begin, rollout.at, rolloutText(rollout));
}

function quoteChange(begin: Beginning, at: string, what: string): readonly ChangeQuote[] {
  const ms = parseTime(at);
  if (ms === undefined || ms > begin.at + NOTICED_LATE_MS || ms < begin.at - CHANGED_BEFORE_MS) return [];
  const secondsBefore = Math.max(0, Math.round((begin.at - ms) / 1000));
  return [{ source: 'change', at, secondsBefore, before: begin.before, says: quotable(what) }];
}

function beginningOf(facts: PodFacts, container: ContainerFacts | undefined): Beginning | undefined {
  const created = parseTime(facts.pod.metadata?.creationTimestamp ?? undefined);
  if (container !== undefined && container.death !== undefined) return ofDeaths(container, container.death, created);
  // It has never run well: it cannot start, does not become ready, or finds no node.
  const hasLived = facts.containers.some(({ deaths }) => deaths.length > 0);
  const ready = findCondition(facts.pod.status?.conditions, 'Ready');
  const since = parseTime(ready?.lastTransitionTime ?? undefined);
  if (created === undefined || hasLived || ready?.status === 'True') return undefined;
  if (since !== undefined && since - created > NEVER_READY_MS) return undefined;
  return { at: created, before: `pod ${facts.name} was made`, fromBirth: true };
}

/** The oldest of the deaths that follow each other without a long life between them. Undefined: it is forgotten. */
function ofDeaths(
  { name, deaths }: ContainerFacts,
  newest: Death,
  created = Number.NEGATIVE_INFINITY,
): Beginning | undefined {
  const row = deaths.filter(({ requested }) => requested === undefined);
  let begin = newest;
  for (const older of row.slice(row.indexOf(newest) + 1)) {
    if ((begin.livedMs ?? Number.POSITIVE_INFINITY) > SAME_ROW_MS) break;
    // Between the first death and the last ones some are forgotten, and with them the beginning.
    if (begin.number !== undefined && older.number !== undefined && older.number < begin.number - row.length)
      return undefined;
    begin = older;
  }
  if (begin.number === undefined) return undefined;
  const which = begin.number === 1 ? 'the first death' : `death ${begin.number}`;
  // A start that failed counts as an attempt: the first death of a young pod may have another number than 1.
  const fromBirth = begin.number === 1 || begin.finishedMs - created <= NEVER_READY_MS;
  return { at: begin.finishedMs, before: `${which} of ${name}`, death: begin, fromBirth };
}
