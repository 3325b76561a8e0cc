/** The node API's answers about deaths: all lives of one name, newest first; and for living pods, the probes that they refuse. */
import type { PodHistory, PodHistoryIndex, PodHistoryList } from '../../api/index.ts';
import type { BookHead } from './book-file.ts';
import type { PodBook, PodNames } from './death-book.ts';
import type { DeathRecorder } from './death-recorder.ts';
import type { DeathStore } from './death-store.ts';
import { MAX_HISTORIES } from './limits.ts';
import { type Refusing, withRefused } from './refusing-containers.ts';

export interface HistoryQuery {
  readonly namespace: string;
  readonly pod: string;
  readonly uid?: string;
  readonly container?: string;
  /** One death by its number; negative: counted from the last. */
  readonly death?: number;
}

export interface DeathHistory {
  /** Rejects with file errors. */
  find(query: HistoryQuery): Promise<PodHistoryList>;
  index(namespace: string | undefined): Promise<PodHistoryIndex>;
}

export function createDeathHistory(options: {
  readonly nodeName: string;
  readonly store: Pick<DeathStore, 'list' | 'read'>;
  readonly recorder: Pick<DeathRecorder, 'settled'>;
  /** Of all pods on this node. */
  readonly refusing: () => Refusing;
}): DeathHistory {
  const { nodeName, store, recorder, refusing } = options;
  return {
    find: async (query) => {
      await recorder.settled();
      const heads = (await store.list()).filter((head) => isMeant(head, query));
      // A request for one death gets nothing about living containers.
      const living: Refusing = query.death === undefined ? refusing() : new Map();
      const undead = [...living.values()].filter(
        (book) => isMeant(book, query) && heads.every(({ uid }) => uid !== book.uid),
      );
      const items: PodHistory[] = undead.map((book) => historyOf(book, nodeName, query));
      for (const { uid } of heads.toSorted(newerFirst).slice(0, MAX_HISTORIES)) {
        const book = await store.read(uid);
        if (book !== undefined) items.push(historyOf(withRefused(book, living.get(uid)), nodeName, query));
      }
      return { apiVersion: 'mendlet.dev/v1alpha1', kind: 'PodHistoryList', items };
    },
    index: async (namespace) => {
      await recorder.settled();
      const heads = (await store.list()).filter((head) => namespace === undefined || head.namespace === namespace);
      const items = heads
        .toSorted((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name) || newerFirst(a, b))
        .map(({ goneAt, total, owner, ...metadata }) => ({
          metadata,
          ...(owner === undefined ? {} : { owner }),
          total,
          ...(goneAt === undefined ? {} : { goneAt }),
        }));
      return { apiVersion: 'mendlet.dev/v1alpha1', kind: 'PodHistoryIndex', nodeName, items };
    },
  };
}

function isMeant({ namespace, name, uid }: PodNames, query: HistoryQuery): boolean {
  return namespace === query.namespace && name === query.pod && (query.uid === undefined || uid === query.uid);
}

function historyOf(book: PodBook, nodeName: string, query: HistoryQuery): PodHistory {
  const { namespace, name, uid, owner, goneAt } = book;
  const containers = book.containers
    .filter((each) => query.container === undefined || each.name === query.container)
    .map((each) => {
      const { death } = query;
      if (death === undefined) return each;
      const number = death < 0 ? each.total + 1 + death : death;
      return { ...each, deaths: each.deaths.filter((record) => record.number === number) };
    });
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'PodHistory',
    metadata: { namespace, name, uid },
    nodeName,
    ...(owner === undefined ? {} : { owner }),
    ...(goneAt === undefined ? {} : { goneAt }),
    containers,
  };
}

/** The pod that is here, then those gone last. */
function newerFirst(a: BookHead, b: BookHead): number {
  return compare(b.goneAt ?? '~', a.goneAt ?? '~');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
