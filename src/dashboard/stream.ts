/** The one stream of a tab: the state or what changed since the tab's revision, then deltas, and beats between them. */
import { type Clock, encodeText } from '../lib/index.ts';
import { BEAT_MS, type PageState, type StreamMessage } from '../page/index.ts';
import type { ViewerFeed } from './feed/viewer-feed.ts';

export interface StreamOptions {
  readonly feed: ViewerFeed;
  readonly clock: Clock;
  /** The revision that the tab has; absent: none. */
  readonly from: number | undefined;
  readonly state: () => PageState;
  readonly signal: AbortSignal;
  /** The session goes on: asked at each beat. */
  readonly mayGoOn: () => Promise<boolean>;
}

/** Messages, a line each. The next is made only when the one before was taken. */
export async function* streamOf(options: StreamOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { feed, clock, state, signal } = options;
  const since = (revision: number): StreamMessage => feed.since(revision) ?? { type: 'full', state: state() };
  yield line(options.from === undefined ? { type: 'full', state: state() } : since(options.from));
  let revision = feed.revision;
  let beatAt = clock.now().mono + BEAT_MS;
  while (!signal.aborted) {
    await feed.later(revision, Math.max(0, beatAt - clock.now().mono), signal);
    if (signal.aborted) return;
    if (feed.revision !== revision) {
      const message = since(revision);
      revision = feed.revision;
      yield line(message);
    }
    if (clock.now().mono < beatAt) continue;
    if (!(await options.mayGoOn())) return;
    beatAt = clock.now().mono + BEAT_MS;
    yield line({ type: 'beat', at: clock.now().wall + feed.aheadMs });
  }
}

function line(message: StreamMessage): Uint8Array {
  return encodeText(`${JSON.stringify(message)}\n`);
}
