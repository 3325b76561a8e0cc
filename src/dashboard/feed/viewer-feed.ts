/** What one identity sees of the cluster, live: watches, looks again when something changed, and keeps what changed since when. */
import { type EndpointSlice, ENDPOINT_SLICES } from '../../api/index.ts';
import { Bell, type ClusterFeed, clusterTime, watchOverview } from '../../cli/index.ts';
import type { Lister } from '../../client/index.ts';
import { BoundedMap, type Clock, errorMessage, type Logger } from '../../lib/index.ts';
import { maskSecrets } from '../../log-analysis/index.ts';
import { type Overview, type OverviewFacts, overviewOf } from '../../overview/index.ts';
import type { Delta, PageRow } from '../../page/index.ts';
import { DELTA_MS, FIRST_LISTS_MS, LOOK_MS, MAX_SHOWN_TEXTS, MAX_TEXT } from '../limits.ts';
import type { Viewer } from '../ports.ts';
import { Changes, type FeedPicture } from './changes.ts';
import { servingPods } from './endpoints.ts';
import { gapsOf, verdictWith } from './gaps.ts';
import { askDays } from './ask-days.ts';
import { KnownDays } from './known-days.ts';
import { KnownDeaths } from './known-deaths.ts';
import { pageNodes } from './page-nodes.ts';
import { pageRows } from './page-rows.ts';
import { DAY_MS, recoveryOf, WEEK_MS } from './recovery.ts';
import { rowNames } from './row-of-day.ts';
import { serverVersion } from './server-version.ts';

export interface FeedOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly viewer: Viewer;
  /** undefined: all */
  readonly namespace: string | undefined;
}

export class ViewerFeed {
  readonly #options: FeedOptions;
  readonly #end = new AbortController();
  readonly #bell = new Bell();
  readonly #changes: Changes;
  readonly #deaths: KnownDeaths;
  readonly #days: KnownDays;
  readonly #texts = new BoundedMap<string, string>(MAX_SHOWN_TEXTS);
  readonly #waiting = new Set<() => void>();
  #aheadMs = 0;
  #serverVersion: string | undefined;
  #first: Promise<void> | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    const { clock, viewer } = options;
    // Microseconds: no feed of an hour before has come so far, at four revisions a second.
    this.#changes = new Changes(clock.now().wall * 1000);
    const session = { client: viewer.client, connection: viewer.connection, clock, signal: this.#end.signal };
    this.#deaths = new KnownDeaths(session, () => this.#bell.ring());
    this.#days = new KnownDays(clock, () => this.#bell.ring());
  }

  /** Begins at the first call. Resolves when there is a first picture. */
  ready(): Promise<void> {
    this.#first ??= this.#begin();
    return this.#first;
  }

  get aheadMs(): number {
    return this.#aheadMs;
  }

  picture(): FeedPicture & { readonly revision: number } {
    return this.#changes.picture();
  }

  row(id: string): PageRow | undefined {
    return this.#changes.row(id);
  }

  get revision(): number {
    return this.#changes.revision;
  }

  since(revision: number): Delta | undefined {
    return this.#changes.since(revision);
  }

  /** Resolves when there is a later revision, after `ms`, or when the signal is aborted. */
  async later(revision: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#changes.revision !== revision || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        timer.cancel();
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.#options.clock.setTimer(ms, done);
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  close(): void {
    this.#end.abort(new Error('nobody looks any more'));
    this.#bell.ring();
    for (const done of this.#waiting) done();
  }

  async #begin(): Promise<void> {
    const { clock, viewer, namespace, logger } = this.#options;
    const { signal } = this.#end;
    const { client } = viewer;
    const feed = watchOverview({ client, clock }, namespace, this.#bell, signal);
    const slices = feed.listen(ENDPOINT_SLICES, namespace);
    const skew = clusterTime(viewer.connection, clock).then(
      (wall) => {
        this.#aheadMs = wall - clock.now().wall;
      },
      () => {},
    );
    void serverVersion(viewer.connection, signal).then((version) => {
      this.#serverVersion = version;
      this.#bell.ring();
    });
    // Whatever is not there by then is said to be missing.
    const first = Promise.all([feed.settled, skew]).catch(() => {});
    await Promise.race([first, clock.sleep(FIRST_LISTS_MS, signal).catch(() => {})]);
    if (signal.aborted) return;
    this.#look(feed, slices);
    void this.#run(feed, slices).catch((error: unknown) => logger.error('feed ended', { error: errorMessage(error) }));
  }

  async #run(feed: ClusterFeed, slices: Lister<EndpointSlice>): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#end;
    while (!signal.aborted) {
      await this.#bell.wait(clock, LOOK_MS);
      if (signal.aborted) return;
      try {
        this.#look(feed, slices);
      } catch (error) {
        logger.error('look failed', { error });
      }
      await clock.sleep(DELTA_MS, signal).catch(() => {});
    }
  }

  #look(feed: ClusterFeed, slices: Lister<EndpointSlice>): void {
    const { clock, namespace } = this.#options;
    const facts = feed.facts((id) => this.#deaths.said(id));
    this.#deaths.look(facts.pods);
    const now = clock.now().wall + this.#aheadMs;
    const overview = overviewOf(facts, now);
    this.#lookAtDays(overview, facts);
    const gaps = gapsOf(feed.failures(), this.#aheadMs);
    const known = facts.pods.map(({ metadata }) => this.#deaths.of(metadata?.uid ?? '')?.deaths ?? []);
    const differs = this.#changes.take({
      at: now,
      verdict: verdictWith(overview.verdict, gaps, namespace),
      day: this.#days.recovery('day', now) ?? recoveryOf(known, now - DAY_MS),
      week: this.#days.recovery('week', now) ?? recoveryOf(known, now - WEEK_MS),
      rows: pageRows(overview, {
        facts,
        deathsOf: (uid) => this.#deaths.of(uid),
        shown: (text) => this.#shown(text),
        serving: servingPods(slices.list()),
        dayOf: (id) => this.#days.of(id, now),
        stepOf: (uid) => this.#days.next(uid),
      }),
      nodes: pageNodes(overview.nodes, {
        nodes: facts.nodes,
        slices: slices.list(),
        diskUsedPercent: (name) => this.#days.diskUsedPercent(name),
        serverVersion: this.#serverVersion,
      }),
      ...(gaps.stale === undefined ? {} : { stale: gaps.stale }),
    });
    if (differs) for (const done of this.#waiting) done();
  }

  /** The same texts come again at each look, and masking is most of its work. */
  #shown(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const shown = maskSecrets(text).slice(0, MAX_TEXT);
    this.#texts.set(text, shown);
    return shown;
  }

  #lookAtDays(overview: Overview, facts: OverviewFacts): void {
    const { clock, viewer, namespace } = this.#options;
    const nodes = overview.nodes.map(({ name }) => name);
    this.#days.look({
      ask: () => askDays(viewer, { namespace, nodes }, { clock, signal: this.#end.signal }),
      names: () => rowNames(overview, facts),
      mark: overview.rows
        .map(({ restarts, ready, mood, why }) => `${restarts} ${ready} ${mood} ${why ?? ''}`)
        .join('\n'),
    });
  }
}
