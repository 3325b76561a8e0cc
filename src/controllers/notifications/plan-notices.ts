/**
 * From the troubles that there are and those that were told to what is to be told now. Pure.
 *
 *   seen ──groupWait──► noted ──► told ──repeatAfter──► told again
 *                         │         │ no trouble any more
 *                         ▼         ▼
 *                      over ──damping × 2^(times-1)──► recovered (told) ──an hour──► forgotten
 *                         ◄── trouble again: it never was over
 *
 * A notice is noted in the object's status before it is told, so that a process that ends in between neither forgets it nor takes
 * it for new.
 */
import { MAX_NOTICES, type NotificationNotice, type ResolvedNotification } from '../../api/index.ts';
import { formatTime, parseTime } from '../../lib/index.ts';
import { FLAP_WINDOW_MS, MAX_FLAP_DAMPING_MS, MAX_NAMED_PODS } from './limits.ts';
import { type SeenTrouble, troubleId } from './trouble.ts';

/** What is told of a notice: that it began, that it goes on, or that it is over. */
export type DueKind = 'firing' | 'again' | 'recovered';

export interface DueNotice {
  readonly kind: DueKind;
  readonly notice: NotificationNotice;
}

export interface NoticePlan {
  /** What is to stand in the status. */
  readonly notices: readonly NotificationNotice[];
  /** What is to be told once that stands there. */
  readonly due: readonly DueNotice[];
  /** Wall ms at which to plan again, if nothing changes before. */
  readonly wakeAt?: number;
  /** Ids of troubles for which there was no room. */
  readonly refused: readonly string[];
}

export interface NoticeInput {
  readonly notices: readonly NotificationNotice[];
  /** Troubles that the object is about. */
  readonly troubles: readonly SeenTrouble[];
  /** Ids of troubles that there are, but that the object is not about any more: their notices go without a word. */
  readonly unselected: ReadonlySet<string>;
  readonly settings: Pick<
    ResolvedNotification,
    'patienceMs' | 'groupWaitMs' | 'repeatAfterMs' | 'dampingMs' | 'triggers'
  >;
  /** Wall ms. */
  readonly now: number;
}

/** All troubles of one subject and trigger. */
interface Case {
  readonly id: string;
  readonly first: SeenTrouble;
  /** Wall ms from which it is told; absent: it only holds. */
  readonly opensAt?: number;
  readonly since: number;
  readonly seenAt: number;
  readonly cause: string;
}

export function planNotices(input: NoticeInput): NoticePlan {
  const { now, settings } = input;
  const wakes: number[] = [];
  const cases = casesOf(input, wakes);
  const kept = input.notices.filter(({ id = '', closedTime }) => {
    if (!cases.has(id) && input.unselected.has(id)) return false;
    const forgetAt = closedTime === undefined ? Number.POSITIVE_INFINITY : timeOf(closedTime, now) + FLAP_WINDOW_MS;
    if (Number.isFinite(forgetAt) && forgetAt > now) wakes.push(forgetAt);
    return forgetAt > now;
  });
  const followed = kept.map((notice) => follow(notice, cases.get(notice.id ?? ''), input, wakes));
  const opened = open(followed, cases, input, wakes);
  const due = opened.notices.flatMap((notice): readonly DueNotice[] => {
    const kind = dueKind(notice, settings, now, wakes);
    return kind === undefined ? [] : [{ kind, notice }];
  });
  const wakeAt = wakes.filter((at) => at > now).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return { notices: opened.notices, refused: opened.refused, due, ...(Number.isFinite(wakeAt) ? { wakeAt } : {}) };
}

function casesOf({ troubles, settings, now }: NoticeInput, wakes: number[]): ReadonlyMap<string, Case> {
  const groups = Map.groupBy(
    troubles.filter(({ until }) => until === undefined || until > now),
    ({ trigger, subject }) => troubleId(trigger, subject),
  );
  for (const { until } of troubles) if (until !== undefined && until > now) wakes.push(until);
  return new Map([...groups].map(([id, members]) => [id, caseOf(id, members, settings.patienceMs)]));
}

function caseOf(id: string, members: readonly SeenTrouble[], patienceMs: number): Case {
  const told = members.filter(({ weight }) => weight !== 'hold');
  const since = (each: SeenTrouble): number => Math.min(each.since ?? each.seenAt, each.seenAt);
  const opens = (each: SeenTrouble): number =>
    each.weight === 'now' ? each.seenAt : Math.max(each.seenAt, since(each) + patienceMs);
  const sorted = (told.length === 0 ? members : told).toSorted((a, b) => opens(a) - opens(b) || since(a) - since(b));
  const [first = members[0] as SeenTrouble] = sorted;
  return {
    id,
    first,
    ...(told.length === 0 ? {} : { opensAt: opens(first) }),
    since: Math.min(...sorted.map(since)),
    seenAt: Math.min(...sorted.map(({ seenAt }) => seenAt)),
    cause: causeOf(first, sorted),
  };
}

/** "pods a, b and 3 more: …" where the subject is a workload. */
function causeOf(first: SeenTrouble, members: readonly SeenTrouble[]): string {
  const pods = [...new Set(members.map(({ pod }) => pod).filter((pod) => pod !== undefined))];
  if (pods.length === 0) return first.cause;
  const named = pods.slice(0, MAX_NAMED_PODS).join(', ');
  const more = pods.length > MAX_NAMED_PODS ? ` and ${pods.length - MAX_NAMED_PODS} more` : '';
  return `${pods.length === 1 ? 'pod' : 'pods'} ${named}${more}: ${first.cause}`;
}

/** A notice with what is known now of its trouble. */
function follow(
  notice: NotificationNotice,
  present: Case | undefined,
  { settings, now }: NoticeInput,
  wakes: number[],
): NotificationNotice {
  if (notice.closedTime !== undefined) return notice;
  const { endTime, ...open } = notice;
  if (present !== undefined) return present.opensAt === undefined ? open : { ...open, cause: present.cause };
  const ended = endTime === undefined ? now : timeOf(endTime, now);
  const overAt = ended + dampingOf(notice, settings.dampingMs);
  if (overAt > now) wakes.push(overAt);
  return { ...open, endTime: endTime ?? formatTime(now) };
}

/** Twice as long each time that it came back. */
export function dampingOf({ times = 1 }: NotificationNotice, dampingMs: number): number {
  return Math.min(dampingMs * 2 ** Math.min(times - 1, 30), Math.max(dampingMs, MAX_FLAP_DAMPING_MS));
}

/** Notes new troubles, all together, when the first of them has waited long enough. */
function open(
  notices: readonly NotificationNotice[],
  cases: ReadonlyMap<string, Case>,
  { settings: { groupWaitMs }, now }: NoticeInput,
  wakes: number[],
): { readonly notices: readonly NotificationNotice[]; readonly refused: readonly string[] } {
  const known = new Map(notices.map((notice) => [notice.id ?? '', notice]));
  const waiting = [...cases.values()].filter(({ id, opensAt }) => {
    const isOpen = known.has(id) && known.get(id)?.closedTime === undefined;
    if (isOpen || opensAt === undefined) return false;
    if (opensAt > now) wakes.push(opensAt);
    return opensAt <= now;
  });
  const sendAt = Math.min(...waiting.map(({ opensAt = now }) => opensAt + groupWaitMs));
  if (waiting.length === 0) return { notices, refused: [] };
  if (sendAt > now) {
    wakes.push(sendAt);
    return { notices, refused: [] };
  }
  const refused: string[] = [];
  for (const each of waiting) {
    if (!known.has(each.id) && !makeRoom(known)) refused.push(each.id);
    else known.set(each.id, noticeOf(each, known.get(each.id)));
  }
  return { notices: [...known.values()], refused };
}

/** The oldest one that is over goes first. */
function makeRoom(known: Map<string, NotificationNotice>): boolean {
  if (known.size < MAX_NOTICES) return true;
  const [oldest] = [...known.values()]
    .filter(({ closedTime }) => closedTime !== undefined)
    .toSorted((a, b) => ((a.closedTime ?? '') < (b.closedTime ?? '') ? -1 : 1));
  return oldest !== undefined && known.delete(oldest.id ?? '');
}

function noticeOf({ id, first, since, cause }: Case, before: NotificationNotice | undefined): NotificationNotice {
  const { kind, namespace, name } = first.subject;
  return {
    id,
    trigger: first.trigger,
    objectKind: kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    cause,
    since: formatTime(since),
    times: (before?.times ?? 0) + 1,
    told: 0,
  };
}

function dueKind(
  notice: NotificationNotice,
  { triggers, dampingMs, repeatAfterMs }: NoticeInput['settings'],
  now: number,
  wakes: number[],
): DueKind | undefined {
  const { closedTime, endTime, told = 0, toldTime } = notice;
  if (closedTime !== undefined) return undefined;
  if (endTime !== undefined) {
    const isOver = timeOf(endTime, now) + dampingOf(notice, dampingMs) <= now;
    return isOver ? 'recovered' : undefined;
  }
  if (told === 0) return 'firing';
  if (repeatAfterMs === undefined || !triggers.has(notice.trigger ?? 'GaveUp')) return undefined;
  const againAt = timeOf(toldTime, now) + repeatAfterMs;
  if (againAt > now) wakes.push(againAt);
  return againAt <= now ? 'again' : undefined;
}

/** Ends without a word what nobody wants to hear of: a recovery of what was told, where `triggers` lack Recovered. */
export function needsNoWord(
  { kind, notice: { told = 0 } }: DueNotice,
  triggers: ResolvedNotification['triggers'],
): boolean {
  return kind === 'recovered' && told > 0 && !triggers.has('Recovered');
}

/** The notices after these have been told. */
export function acknowledge(
  notices: readonly NotificationNotice[],
  told: readonly DueNotice[],
  now: number,
): readonly NotificationNotice[] {
  const kinds = new Map(told.map(({ kind, notice }) => [notice.id, kind]));
  const at = formatTime(now);
  return notices.map((notice) => {
    const kind = kinds.get(notice.id);
    if (kind === undefined) return notice;
    return kind === 'recovered'
      ? { ...notice, closedTime: at }
      : { ...notice, told: (notice.told ?? 0) + 1, toldTime: at };
  });
}

/** The same for the same word about the same trouble, on every machine and after a restart. */
export function wordId({ kind, notice }: DueNotice): string {
  const { id = '', since = '', told = 0 } = notice;
  const begin = Math.floor((parseTime(since) ?? 0) / 1000).toString(36);
  return `${id}-${begin}-${kind === 'again' ? `again${told}` : kind}`;
}

/** A time from somebody else's hand counts as now when it is none, or lies in the future. */
function timeOf(text: string | undefined, now: number): number {
  return Math.min(parseTime(text) ?? now, now);
}
