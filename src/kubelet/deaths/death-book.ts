/**
 * All that is remembered of one pod's deaths, and how it changes: each death once, by its container's id; the first one and the
 * last `MAX_LAST_DEATHS` of each container. Pure.
 */
import type { ContainerHistory, DeathRecord, OomProof, PodHistoryOwner } from '../../api/index.ts';
import { MAX_LAST_DEATHS, MAX_OOM_PROCESSES } from './limits.ts';

export interface PodBook {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Its controller; absent: none, or the record is of an earlier mendlet. */
  readonly owner?: PodHistoryOwner;
  /** RFC 3339; absent: the node still has the pod. */
  readonly goneAt?: string;
  readonly containers: readonly ContainerHistory[];
}

export type PodNames = Pick<PodBook, 'namespace' | 'name' | 'uid' | 'owner'>;

/** A death without its number, which the book gives. */
export type NewDeath = Omit<DeathRecord, 'number'>;

/** Facts about a death that become known after it was written down. */
export interface DeathAmendment {
  readonly message?: string;
  readonly rung?: string;
  readonly backOffSeconds?: number;
  /** The container is started again; if no delay was reported before, there was none. */
  readonly startedAgain?: true;
  readonly sandboxLost?: string;
}

export function emptyBook({ namespace, name, uid, owner }: PodNames): PodBook {
  return { namespace, name, uid, ...(owner === undefined ? {} : { owner }), containers: [] };
}

/** All deaths ever of all containers. */
export function totalOf({ containers }: PodBook): number {
  return containers.reduce((sum, { total }) => sum + total, 0);
}

export function findDeath(book: PodBook, container: string, containerId: string): DeathRecord | undefined {
  return historyOf(book, container).deaths.find((death) => isDeathOf(death, containerId));
}

/** The book with one more death; the same one when it has it already. */
export function withDeath(book: PodBook, container: string, death: NewDeath): PodBook {
  if (findDeath(book, container, death.containerId) !== undefined) return book;
  return withRecord(book, container, death);
}

/** The survivals that are recorded for a container's life. */
export function findSurvival(book: PodBook, container: string, containerId: string): DeathRecord | undefined {
  return historyOf(book, container).deaths.findLast((each) => isSurvivalOf(each, containerId));
}

/**
 * The book with a death in place of the survival that it was taken for. Earlier survivals of that life are put back; if there
 * were none, the death takes the number of the wrong record.
 */
export function withDeathForSurvival(
  book: PodBook,
  container: string,
  death: NewDeath,
  before: DeathRecord | undefined,
): PodBook {
  const wrong = findSurvival(book, container, death.containerId);
  if (wrong === undefined || findDeath(book, container, death.containerId) !== undefined) {
    return withDeath(book, container, death);
  }
  const history = historyOf(book, container);
  const replaced: DeathRecord = before ?? { number: wrong.number, ...death };
  const next = withDeaths(book, {
    ...history,
    deaths: history.deaths.map((each) => (each === wrong ? replaced : each)),
  });
  return withDeath(next, container, death);
}

/** The book with a loss that a container survived: one record for each life, with a count. */
export function withSurvival(book: PodBook, container: string, loss: NewDeath): PodBook {
  const history = historyOf(book, container);
  const before = findSurvival(book, container, loss.containerId);
  if (before === undefined) return withRecord(book, container, loss);
  const merged: DeathRecord = { ...before, ...loss, number: before.number, oom: mergedProof(before.oom, loss.oom) };
  return withDeaths(book, {
    ...history,
    deaths: history.deaths.map((each) => (each === before ? merged : each)),
  });
}

/** The book with what is known by now; the same one when that is nothing new, or the death is forgotten. */
export function withAmendment(
  book: PodBook,
  container: string,
  containerId: string,
  { message, rung, backOffSeconds, startedAgain, sandboxLost }: DeathAmendment,
): PodBook {
  const death = findDeath(book, container, containerId);
  if (death === undefined) return book;
  const delay = backOffSeconds ?? (startedAgain === true ? (death.backOffSeconds ?? 0) : death.backOffSeconds);
  const next: DeathRecord = {
    ...death,
    ...(message === undefined || message === '' ? {} : { message }),
    ...(rung === undefined ? {} : { rung }),
    ...(delay === undefined ? {} : { backOffSeconds: delay }),
    ...(sandboxLost === undefined || death.requested !== undefined ? {} : { sandboxLost }),
  };
  const fields = ['message', 'rung', 'backOffSeconds', 'sandboxLost'] as const;
  if (fields.every((field) => next[field] === death[field])) {
    return book;
  }
  const history = historyOf(book, container);
  return withDeaths(book, { ...history, deaths: history.deaths.map((each) => (each === death ? next : each)) });
}

/** `goneAt` undefined: it is (again) on the node. */
export function withGoneAt(book: PodBook, goneAt: string | undefined): PodBook {
  if (book.goneAt === goneAt) return book;
  const { goneAt: _before, ...rest } = book;
  return goneAt === undefined ? rest : { ...rest, goneAt };
}

/**
 * The book cut to `maxBytes` of JSON: the oldest records that are neither a container's first nor its last are removed first;
 * if only those are left, the logs of the last ones, then of the first ones.
 */
export function trimBook(book: PodBook, maxBytes: number): PodBook {
  let next = book;
  let bytes = sizeOf(next);
  for (const pick of [oldestBetween, lastWithLog, anyWithLog]) {
    while (bytes > maxBytes) {
      const found = pick(next);
      if (found === undefined) break;
      bytes -= found.frees;
      next = found.book;
    }
  }
  return next;
}

interface Cut {
  readonly book: PodBook;
  /** Bytes of JSON, about. */
  readonly frees: number;
}

function oldestBetween(book: PodBook): Cut | undefined {
  const between = book.containers.flatMap((history) =>
    history.deaths.slice(1, -1).map((death) => ({ history, death })),
  );
  const [oldest] = between.toSorted((a, b) => (a.death.finishedAt < b.death.finishedAt ? -1 : 1));
  if (oldest === undefined) return undefined;
  const deaths = oldest.history.deaths.filter((each) => each !== oldest.death);
  return { book: withDeaths(book, { ...oldest.history, deaths }), frees: sizeOf(oldest.death) + 1 };
}

function lastWithLog(book: PodBook): Cut | undefined {
  return withoutLog(book, (death) => death.number > 1);
}

function anyWithLog(book: PodBook): Cut | undefined {
  return withoutLog(book, () => true);
}

function withoutLog(book: PodBook, wanted: (death: DeathRecord) => boolean): Cut | undefined {
  for (const history of book.containers) {
    const found = history.deaths.find((death) => death.log !== undefined && wanted(death));
    if (found === undefined) continue;
    const { log, ...bare } = found;
    const deaths = history.deaths.map((each) => (each === found ? bare : each));
    return { book: withDeaths(book, { ...history, deaths }), frees: sizeOf(log) + '"log":,'.length };
  }
  return undefined;
}

function withRecord(book: PodBook, container: string, record: NewDeath): PodBook {
  const history = historyOf(book, container);
  const total = history.total + 1;
  const deaths = [...history.deaths, { number: total, ...record }];
  const kept =
    deaths.length > MAX_LAST_DEATHS + 1 ? [...deaths.slice(0, 1), ...deaths.slice(-MAX_LAST_DEATHS)] : deaths;
  return withDeaths(book, { name: container, total, deaths: kept });
}

function withDeaths(book: PodBook, history: ContainerHistory): PodBook {
  const known = book.containers.some(({ name }) => name === history.name);
  const containers = known
    ? book.containers.map((each) => (each.name === history.name ? history : each))
    : [...book.containers, history];
  return { ...book, containers };
}

function historyOf(book: PodBook, container: string): ContainerHistory {
  return book.containers.find(({ name }) => name === container) ?? { name: container, total: 0, deaths: [] };
}

function isDeathOf(death: DeathRecord, containerId: string): boolean {
  return death.containerId === containerId && death.survived !== true;
}

function isSurvivalOf(death: DeathRecord, containerId: string): boolean {
  return death.containerId === containerId && death.survived === true;
}

function mergedProof(before: OomProof | undefined, now: OomProof | undefined): OomProof {
  const processes = [...(before?.processes ?? []), ...(now?.processes ?? [])].slice(-MAX_OOM_PROCESSES);
  const peak = Math.max(before?.peakBytes ?? 0, now?.peakBytes ?? 0);
  return {
    ...before,
    ...now,
    ...(peak > 0 ? { peakBytes: peak } : {}),
    ...(processes.length > 0 ? { processes } : {}),
    sources: [...new Set([...(before?.sources ?? []), ...(now?.sources ?? [])])],
  };
}

const encoder = new TextEncoder();

function sizeOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
