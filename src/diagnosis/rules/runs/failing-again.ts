/** Tells of a container that runs and looks well, and fails at its work with each try, as only its log tells. Not a rule by itself. */
import { isRefusal } from '../../../log-analysis/index.ts';
import { ownLimit } from '../../facts/servers/server-settings.ts';
import { holderSaid, holderWanted } from '../../facts/servers/lock-sessions.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { quoteLine } from '../../facts/words/last-words.ts';
import { isAuxiliary } from '../../facts/peers/optional-peers.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { quotable } from '../../facts/words/text.ts';
import { wrongPeer } from '../../facts/peers/wrong-peers.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { title } from '../ends/exit-code.ts';

/** What ends or is not ready comes first. */
const MAX_RANK = 50;
/** The finding of which nothing but the line is known. */
const PLAIN_RANK = 20;

/** Findings that only quote what was said. */
const PLAIN: ReadonlySet<string> = new Set(['exit-code', 'signal']);

/** A peer has answered, and refuses what this container shows or asks. */
const REFUSES = /^(?:authentication-refused|not-allowed|certificate-.*)$/;

/** The cluster knows whether there is such a name. */
const UNRESOLVED = /^dependency-not-resolved$/;

/** A known kind of failure that has come so often, and that no other program has to mend. */
const LASTING = 5;

function isLasting({ times, isBesideWork }: NonNullable<ContainerFacts['again']>, id: string): boolean {
  return times >= LASTING && isBesideWork !== true && !id.startsWith('dependency-');
}

/** Nothing else was said for so many tries. */
const TOTAL = 10;

/** What the system or a peer has refused so often, whatever else succeeds; peers that are away are judged by what the cluster knows of them. */
function isRefused({ times, said, isMinor }: NonNullable<ContainerFacts['again']>, id: string): boolean {
  return times >= TOTAL && isMinor !== true && isRefusal(said.line) && !id.startsWith('dependency-');
}

function isTotal({ times, isBesideWork, isMinor }: NonNullable<ContainerFacts['again']>): boolean {
  return times >= TOTAL && isBesideWork !== true && isMinor !== true;
}

/**
 * A note, because a program may well do without what it fails at; a warning where a peer refuses it, or the cluster shows that nobody can
 * answer it, and its log tells of nothing else.
 *
 * @param end what would be said if the failure had ended the container
 */
export function failingAgain(
  facts: PodFacts,
  container: ContainerFacts,
  end: RankedFinding | undefined,
): readonly RankedFinding[] {
  const { again } = container;
  if (again === undefined) return [];
  const { line } = again.said;
  const isPlain = end === undefined || PLAIN.has(end.id);
  const isOfLock = holderSaid(facts, container) !== undefined;
  const isProven =
    end?.blames !== undefined ||
    ((isPlain || UNRESOLVED.test(end.id)) && wrongPeer(facts, container, line) !== undefined) ||
    (isOfLock && again.times >= LASTING) ||
    (isPlain ? isTotal(again) : REFUSES.test(end.id) || isLasting(again, end.id)) ||
    (end !== undefined && isRefused(again, end.id));
  const log = facts.commands.kubectl('logs', facts.name, '-c', container.name);
  const previous = facts.commands.previousLog(container.name);
  return [
    {
      id: isPlain ? 'fails-again' : end.id,
      severity:
        isAuxiliary(line) ||
        (isOfLock && again.times < LASTING) ||
        again.isMinor === true ||
        again.isWordless === true ||
        again.isDone === true ||
        !(isProven || again.isStanding === true || again.answers !== undefined)
          ? 'info'
          : 'warning',
      rank: isPlain ? PLAIN_RANK : Math.min(end.rank, MAX_RANK),
      topic: `runs/${container.name}`,
      container: container.name,
      says: waitsForHolder(facts, container) ?? ownSetting(facts, container) ?? wordsOf(container, end?.says),
      fallback: true,
      ...(end?.blames !== undefined && { blames: end.blames }),
      evidence: [
        ...(isPlain || isOfLock ? [quoteLine(container, line)] : []),
        ...(end?.evidence ?? []).filter((quote) => quote.source !== 'death' && !(isPlain && quote.source === 'log')),
        ...(container.spec.readinessProbe === undefined && again.isDone !== true ? [noProbe(container)] : []),
      ],
      try: [
        ...new Set([
          ...holderWanted(facts, container),
          ...(end?.try ?? []).filter((command) => command !== previous),
          log,
        ]),
      ],
    },
  ];
}

/** Why nothing else tells of it. */
function noProbe({ path }: ContainerFacts): Quote {
  return { source: 'field', path: `${path}.readinessProbe`, value: 'not set, so that it counts as ready' };
}

/** "… statements wait for a lock again and again (5 times): process 60 (…) holds it"; undefined: it is not about a lock. */
function waitsForHolder(facts: PodFacts, container: ContainerFacts): string | undefined {
  const holder = holderSaid(facts, container);
  if (holder === undefined) return undefined;
  const { times = 1 } = container.again ?? {};
  const waits =
    times > 1 ? `statements wait for a lock again and again (${times} times)` : 'a statement waits for a lock';
  return `${title(container)} runs, and ${waits}: ${holder}`;
}

/** "… answers some requests with 504 (9 of the last 30): its record says sH--; it has timeout server 30 (…)"; undefined: its records tell of no setting. */
function ownSetting({ pod, evidence }: PodFacts, container: ContainerFacts): string | undefined {
  const { again } = container;
  if (again?.isWordless !== true) return undefined;
  const has = ownLimit(pod, container.spec, evidence.configs, [again.said.line]);
  return has === undefined ? undefined : `${title(container)} runs, and ${howOf(again)}: ${again.said.line}; it ${has}`;
}

/** The end of what is told of a server that only records what it answers. */
export const DOES_NOT_SAY = ', and does not say why';

/** "container web ends: no such vhost (exit code 1)" → "container web runs, and fails with each try (4 times …): no such vhost" */
function wordsOf(container: ContainerFacts, says: string | undefined): string {
  const { again } = container;
  const whose = `${title(container)} `;
  const isDone = again?.isDone === true;
  const runs = isDone ? `${whose}${DONE}` : `${whose}runs, and ${howOf(again)}: `;
  if (again?.isWordless === true) return `${whose}runs, ${howOf(again)}${DOES_NOT_SAY}`;
  if (says === undefined || !says.startsWith(whose))
    return `${runs}${quotable(again?.said.line ?? '').replace(/\.+$/, '')}`;
  if (says.includes(TRIES)) return says;
  const rest = says.slice(whose.length);
  const [, said, more = ''] = /^ends: (.*) \(exit code 1\)(.*)$/s.exec(rest) ?? [];
  return said === undefined ? `${runs}it ${rest}` : `${runs}${said}${more}`;
}

function howOf(again: ContainerFacts['again']): string {
  const times = `(${again?.times ?? 0} times)`;
  if (again?.some !== undefined)
    return `answers some requests with ${again.answers ?? ''} (${again.times} of the last ${again.some})`;
  if (again?.answers !== undefined) {
    const which = again.path === undefined ? 'each request' : `each request for ${again.path}`;
    return `answers ${which} with ${again.answers} ${times}`;
  }
  if (again?.isStanding === true) return 'does not do all of its work';
  if (again?.isWaiting === true) return `waits ${times}`;
  return again?.isBesideWork === true ? `complains again and again ${times}` : `fails with each try ${times}`;
}

/** What it says of itself is not believed. */
const DONE = 'has ended with exit code 0, as if all were well, but failed: ';

/** What a finding about a peer says already. */
const TRIES = ' and tries again and again (';
