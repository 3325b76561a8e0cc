/**
 * What of a feed changed since which revision. Nothing is queued for anybody: a slow client, and one that comes back, get one delta
 * with all that changed since the revision that they have.
 */
import type { Delta, PageNode, PageRow, PageVerdict, Recovery, Staleness } from '../../page/index.ts';
import { MAX_GONE } from '../limits.ts';

/** What a feed shows now. */
export interface FeedPicture {
  readonly at: number;
  readonly verdict: PageVerdict;
  readonly day: Recovery;
  readonly week: Recovery;
  readonly rows: readonly PageRow[];
  readonly nodes: readonly PageNode[];
  readonly stale?: Staleness;
}

interface Kept<T> {
  readonly value: T;
  readonly text: string;
  readonly revision: number;
}

/** A feed that has not looked yet knows nothing, and calls nothing well. */
const NOTHING_YET: FeedPicture = {
  at: 0,
  verdict: { mood: 'troubled', text: 'The cluster has not answered yet' },
  day: { healed: 0, healedAlone: 0 },
  week: { healed: 0, healedAlone: 0 },
  rows: [],
  nodes: [],
};

const PARTS = ['verdict', 'day', 'week', 'nodes', 'stale'] as const;
type Part = (typeof PARTS)[number];

export class Changes {
  /** The first revision that this feed can tell changes from. */
  #oldest: number;
  #revision: number;
  #at = 0;
  readonly #rows = new Map<string, Kept<PageRow>>();
  readonly #parts = new Map<Part, Kept<unknown>>();
  /** Rows that are no more, and since which revision; the oldest first. */
  readonly #gone = new Map<string, number>();

  /** @param start greater than any revision of a feed before it, so that theirs are not taken for this one's */
  constructor(start: number) {
    this.#oldest = start;
    this.#revision = start;
  }

  get revision(): number {
    return this.#revision;
  }

  row(id: string): PageRow | undefined {
    return this.#rows.get(id)?.value;
  }

  /** Takes in what is shown now. @returns whether anything but the time differs */
  take(picture: FeedPicture): boolean {
    const next = this.#revision + 1;
    this.#at = picture.at;
    let differs = false;
    for (const part of PARTS) {
      const value = picture[part];
      const text = JSON.stringify(value ?? null);
      if (this.#parts.get(part)?.text === text) continue;
      this.#parts.set(part, { value, text, revision: next });
      differs = true;
    }
    const there = new Set<string>();
    for (const row of picture.rows) {
      there.add(row.id);
      const text = JSON.stringify(row);
      if (this.#rows.get(row.id)?.text === text) continue;
      this.#rows.set(row.id, { value: row, text, revision: next });
      this.#gone.delete(row.id);
      differs = true;
    }
    for (const id of this.#rows.keys()) {
      if (there.has(id)) continue;
      this.#rows.delete(id);
      this.#gone.set(id, next);
      differs = true;
    }
    this.#forget();
    if (differs) this.#revision = next;
    return differs;
  }

  /** All of it. */
  picture(): FeedPicture & { readonly revision: number } {
    const parts = [...this.#parts].flatMap(([name, { value }]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    return {
      ...NOTHING_YET,
      ...(Object.fromEntries(parts) as Partial<FeedPicture>),
      revision: this.#revision,
      at: this.#at,
      rows: [...this.#rows.values()].map(({ value }) => value),
    };
  }

  /** undefined: that revision is of another feed, or too old to tell what changed since. */
  since(revision: number): Delta | undefined {
    if (revision < this.#oldest || revision > this.#revision) return undefined;
    const rows = [...this.#rows.values()].flatMap((kept) => (kept.revision > revision ? [kept.value] : []));
    const gone = [...this.#gone].flatMap(([id, at]) => (at > revision ? [id] : []));
    const parts = PARTS.flatMap((name) => {
      const kept = this.#parts.get(name);
      return kept !== undefined && kept.revision > revision ? [[name, kept.value ?? null] as const] : [];
    });
    return {
      type: 'delta',
      revision: this.#revision,
      at: this.#at,
      ...(Object.fromEntries(parts) as Partial<Delta>),
      ...(rows.length === 0 ? {} : { rows }),
      ...(gone.length === 0 ? {} : { gone }),
    };
  }

  #forget(): void {
    for (const [id, revision] of this.#gone) {
      if (this.#gone.size <= MAX_GONE) return;
      this.#gone.delete(id);
      // Whoever has not heard of it needs the whole.
      this.#oldest = revision;
    }
  }
}
