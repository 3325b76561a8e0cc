/**
 * Notices whether something got better since the last pass, by comparing circumstances with those in the note, and by the
 * signal of the healing controller. The result is the pod's recovery, which ends waits that began before it. Pure.
 */
import { DEPENDS_ON, RECOVERY, readRecoverySignal } from '../../../api/index.ts';
import { resetLadder } from '../healing/ladder-note.ts';
import type { Draft } from '../draft.ts';
import { MAX_CAUSES_TOLD, RECOVERY_AFTERMATH_MS, TROUBLE_REFRESH_MS } from '../limits.ts';
import type { PodNote, Recovery, SeenCircumstance } from '../pod-memory.ts';
import { type Circumstances, isTrouble, type News, newsOf } from './circumstances.ts';
import { dependsOn, hasLateRecovery } from './late-recovery.ts';
import { fnv1a32 } from '../../../lib/index.ts';

/** Before anything is planned. A pod that has not asked for it keeps nothing of it. */
export function noticeRecovery(draft: Draft): void {
  tellProblems(draft);
  if (!hasLateRecovery(draft.input.pod)) {
    forget(draft);
    return;
  }
  const news = [...newsOfCircumstances(draft), ...newsOfSignal(draft)];
  if (news.length === 0) return;
  draft.note = { ...draft.note, recovery: recoveryOf(draft, news) };
  // A person did something about it: a ladder that stopped for a person continues when a person has acted.
  if (draft.note.healing?.stopped !== undefined && news.some(({ byHand }) => byHand)) {
    draft.note = resetLadder(draft.note);
    tell(draft, 'Normal', 'HealingResumed', `${causeOf(news)}: the healing ladder begins anew`);
  }
}

interface FoundNews extends News {
  /** A person (or what acts for one) changed what the containers are made from. */
  readonly byHand: boolean;
  readonly signal?: string;
}

function newsOfCircumstances(draft: Draft): readonly FoundNews[] {
  const seen = draft.note.circumstances ?? {};
  const found = Object.entries(draft.input.facts.circumstances ?? {}).flatMap(([name, value]) => {
    const before = seen[name];
    const news = before === undefined ? undefined : newsOf(name, before.value, value);
    if (before === undefined || news === undefined) return [];
    if (!news.lasting && before.at < newestDeath(draft.note) - RECOVERY_AFTERMATH_MS) return [];
    return [{ ...news, byHand: /^(configmap|secret)\//.test(name) }];
  });
  const now = seenNow(seen, draft.input.facts.circumstances ?? {}, draft.input.now.wall);
  if (now !== seen) draft.note = { ...draft.note, circumstances: now };
  return found;
}

type Seen = Readonly<Record<string, SeenCircumstance>>;

/** The same object when there is nothing to write down. A circumstance that is unknown now is kept: it may be known again. */
function seenNow(seen: Seen, facts: Circumstances, wall: number): Seen {
  const changed = Object.entries(facts).filter(([name, value]) => {
    const before = seen[name];
    return before?.value !== value || (isTrouble(name, value) && Math.abs(wall - before.at) > TROUBLE_REFRESH_MS);
  });
  if (changed.length === 0) return seen;
  return { ...seen, ...Object.fromEntries(changed.map(([name, value]) => [name, { value, at: wall }])) };
}

function newsOfSignal(draft: Draft): readonly FoundNews[] {
  const text = draft.input.pod.metadata?.annotations?.[RECOVERY];
  if (text === undefined) return [];
  const reading = readRecoverySignal(text);
  if (!reading.ok) {
    tellOnce(draft, `recovery/${fnv1a32(text)}`, 'InvalidRecovery', `annotation ${RECOVERY}: ${reading.problem}`);
    return [];
  }
  const { id, cause } = reading.signal;
  return id === draft.note.recovery?.signal ? [] : [{ cause, lasting: false, byHand: false, signal: id }];
}

function recoveryOf({ note, input }: Draft, news: readonly FoundNews[]): Recovery {
  const { wall } = input.now;
  const signal = news.find((each) => each.signal !== undefined)?.signal ?? note.recovery?.signal;
  const cause = causeOf(news);
  return {
    id: `${wall}/${fnv1a32(`${note.recovery?.id ?? ''} ${cause} ${signal ?? ''}`)}`,
    at: wall,
    cause,
    lasting: news.some(({ lasting }) => lasting),
    ...(signal === undefined ? {} : { signal }),
  };
}

function causeOf(news: readonly News[]): string {
  const causes = [...new Set(news.map(({ cause }) => cause))];
  const more = causes.length - MAX_CAUSES_TOLD;
  const told = causes.slice(0, MAX_CAUSES_TOLD).join(', ');
  return more > 0 ? `${told} and ${more} more` : told;
}

/** Wall ms. */
function newestDeath({ containers }: PodNote): number {
  return Math.max(0, ...Object.values(containers).map(({ deaths }) => deaths[0]?.finishedAt ?? 0));
}

function forget(draft: Draft): void {
  const { recovery, circumstances, earlyEnds, ...rest } = draft.note;
  if (recovery === undefined && circumstances === undefined && earlyEnds === undefined) return;
  draft.note = rest;
}

/** The problem of the annotation: reported once for each text, and again by a new agent. */
function tellProblems(draft: Draft): void {
  const { problems } = dependsOn(draft.input.pod);
  if (problems.length === 0) return;
  const message = `annotation ${DEPENDS_ON}: ${problems.join('; ')}`;
  tellOnce(draft, `depends-on/${fnv1a32(message)}`, 'InvalidDependency', message);
}

function tellOnce(draft: Draft, key: string, reason: string, message: string): void {
  if (draft.backOffReported[key] !== undefined) return;
  draft.backOffReported = { ...draft.backOffReported, [key]: true };
  tell(draft, 'Warning', reason, message);
}

function tell(draft: Draft, type: 'Normal' | 'Warning', reason: string, message: string): void {
  draft.events.push({ type, reason, message: message.slice(0, MAX_MESSAGE_LENGTH) });
}

/** Bytes of an event's message: upstream's NoteLengthLimit. */
const MAX_MESSAGE_LENGTH = 1024;
