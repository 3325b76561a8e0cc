/**
 * WATCH: a stream of changes out of the watch cache, from a given revision or from the state of now.
 *
 *   [ADDED of what is there] → [BOOKMARK initial-events-end] → changes … → [BOOKMARK] → end (time, slow reader, shutdown)
 */
import { expired } from '../../api/index.ts';
import { concatBytes, encodeText, type HttpResponse, type Timer } from '../../lib/index.ts';
import type { SeenEvent, WatchFilter } from '../cache/cache-event.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import { SharedPieces } from '../cache/shared-pieces.ts';
import type { Watcher } from '../cache/watcher.ts';
import { readWatchOptions, type WatchOptions } from '../http/list-options.ts';
import { formatOf, negotiateObject } from '../http/negotiate.ts';
import { bookmarkLine, type Rendering, watchLine } from '../http/render.ts';
import { JSON_TYPE } from '../http/respond.ts';
import {
  BOOKMARK_INTERVAL_MS,
  MIN_WATCH_TIMEOUT_SECONDS,
  WATCH_OWN_PIECE_BYTES,
  WATCH_PIECE_BYTES,
} from '../limits.ts';
import { type ApiObject, recordOf, textOf } from '../registry/object.ts';
import { keyOf } from '../registry/registration.ts';
import { type Call, renderingOf } from '../call.ts';
import { toServed } from './write.ts';

/** Above this a line is sent by itself. */
const LONG_LINE_BYTES = 8 * 1024;

export async function watch(call: Call): Promise<HttpResponse> {
  const { registration, info, storage } = call;
  const form = negotiateObject(call.request.headers['accept']);
  const options = readWatchOptions(info.query, registration, info.name);
  const rendering = renderingOf(call, form);
  await storage.fresh(options.sendInitialEvents === true ? options.revision : 0);
  const filter = filterOf(call, options);
  const { cache } = storage;
  const initial = wantsInitialEvents(options) ? cache.list(filter.keyPrefix) : undefined;
  const after = initial !== undefined || options.revision === undefined ? cache.revision : options.revision;
  const watcher = cache.watch(filter, after);
  if (watcher === undefined) return streamResponse(onlyError(tooOld(after, cache.oldestResume)));
  const stream = new WatchStream({ call, options, rendering, watcher, initial, after });
  return streamResponse(stream.lines());
}

/** Upstream: a watch from nowhere, or from "0", begins with what is there. */
function wantsInitialEvents(options: WatchOptions): boolean {
  return options.sendInitialEvents ?? (options.revision === undefined || options.revision === 0);
}

function filterOf(call: Call, options: WatchOptions): WatchFilter {
  const { registration, info } = call;
  const { selection } = options;
  return {
    keyPrefix: keyOf(registration, info.namespace),
    matches: selection.isEmpty ? () => true : (object) => selection.matches(toServed(registration, object)),
    ...(selection.exact === undefined ? {} : { exact: { ...selection.exact, read: READERS[selection.exact.field] } }),
  };
}

/** Stored and served objects have these in the same place. */
const READERS = {
  'metadata.name': ({ metadata }: ApiObject) => metadata.name ?? '',
  'spec.nodeName': (object: ApiObject) => textOf(recordOf(object['spec'])['nodeName']),
};

function streamResponse(body: AsyncIterable<Uint8Array>): HttpResponse {
  const headers = { 'content-type': JSON_TYPE, 'cache-control': 'no-cache, private' };
  return { status: 200, headers, body };
}

function tooOld(asked: number, oldest: number): Uint8Array {
  const { status } = expired(`too old resource version: ${asked} (${oldest})`);
  return encodeText(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
}

async function* onlyError(line: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield line;
}

interface StreamOptions {
  readonly call: Call;
  readonly options: WatchOptions;
  readonly rendering: Rendering;
  readonly watcher: Watcher;
  /** The objects at the start, matching or not, for clients that asked for them. */
  readonly initial: readonly CachedObject[] | undefined;
  readonly after: number;
}

/** Lines on their way: short ones are put together, long ones (which many watchers share) are never copied. */
class LinePieces {
  #pieces: Uint8Array[] = [];
  #short: Uint8Array[] = [];
  bytes = 0;

  add(line: Uint8Array): void {
    this.bytes += line.length;
    if (line.length >= LONG_LINE_BYTES) {
      this.#join();
      this.#pieces.push(line);
    } else {
      this.#short.push(line);
    }
  }

  take(): readonly Uint8Array[] {
    this.#join();
    const taken = this.#pieces;
    this.#pieces = [];
    this.bytes = 0;
    return taken;
  }

  #join(): void {
    if (this.#short.length > 0) this.#pieces.push(concatBytes(this.#short));
    this.#short = [];
  }
}

/** One watch from its start to its end. Its timers end with the watcher, whoever ends it. */
class WatchStream {
  readonly #options: StreamOptions;
  #timers: Timer[] = [];
  #bookmarkDue = false;
  #over = false;
  readonly #onAbort = (): void => this.#stop();

  constructor(options: StreamOptions) {
    this.#options = options;
    const { call, watcher } = options;
    const { clock } = call.server.ports;
    this.#timers.push(clock.setTimer(timeoutMs(options), () => this.#finish()));
    if (options.options.bookmarks) this.#planBookmark();
    const { signal } = call.request;
    if (signal?.aborted === true) this.#stop();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (watcher.ended !== undefined) this.#stop();
  }

  async *lines(): AsyncGenerator<Uint8Array, void, undefined> {
    const { watcher, initial, rendering, call } = this.#options;
    try {
      if (initial !== undefined) yield* this.#initialLines(initial);
      for (;;) {
        // Read before the events: all up to here is among them.
        const revision = call.storage.cache.revision;
        const pieces = await this.#nextPieces();
        if (pieces.length > 0) yield* this.#send(pieces);
        else if (this.#bookmarkDue) {
          this.#bookmarkDue = false;
          yield bookmarkLine(rendering, Math.max(revision, this.#options.after));
        } else if (this.#over || watcher.ended !== undefined) {
          if (watcher.ended === 'slow') this.#tellOfSlowness();
          return;
        } else await watcher.wait();
      }
    } finally {
      this.#stop();
    }
  }

  /** The next lines to send, about one piece of them; several pieces only if lines are long. Empty: everything has been seen. */
  async #nextPieces(): Promise<readonly Uint8Array[]> {
    const { watcher, call } = this.#options;
    const lines = new LinePieces();
    while (lines.bytes < WATCH_OWN_PIECE_BYTES) {
      // A change that thousands watch is sent to some of them in each turn of the loop.
      const pause = call.server.ports.breather.pause();
      if (pause !== undefined) await pause;
      const event = watcher.next();
      if (event === undefined) break;
      const seen = event.see(watcher.filter);
      if (seen !== undefined) lines.add(this.#line(seen));
    }
    return lines.take();
  }

  *#send(pieces: readonly Uint8Array[]): Generator<Uint8Array, void, undefined> {
    for (const piece of pieces) {
      this.#options.call.server.ports.breather.sent(piece.length);
      yield piece;
    }
  }

  async *#initialLines(initial: readonly CachedObject[]): AsyncGenerator<Uint8Array, void, undefined> {
    const { rendering, options, after } = this.#options;
    if (options.selection.isEmpty && rendering.form.as !== 'table') yield* this.#sharedLines(initial);
    else yield* this.#ownLines(initial);
    if (options.sendInitialEvents === true && options.bookmarks) yield bookmarkLine(rendering, after, true);
  }

  /** All existing objects, in pieces that are shared by all watches that begin like this one. */
  async *#sharedLines(initial: readonly CachedObject[]): AsyncGenerator<Uint8Array, void, undefined> {
    const { rendering, call } = this.#options;
    const pieces = SharedPieces.of(
      initial,
      `ADDED ${formatOf(rendering.form, rendering.registration.row.group)}`,
      call.storage.cache.lines,
    );
    const encode = (items: readonly CachedObject[]): Uint8Array =>
      concatBytes(items.map((item) => watchLine(rendering, 'ADDED', item)));
    for (let at = 0; at < initial.length; ) {
      const pause = call.server.ports.breather.pause();
      if (pause !== undefined) await pause;
      if (this.#isCut()) return;
      const { bytes, next } = pieces.at(at, WATCH_PIECE_BYTES, encode);
      yield* this.#send([bytes]);
      at = next;
    }
  }

  /** Those that it selects, or in a form that is its own. */
  async *#ownLines(initial: readonly CachedObject[]): AsyncGenerator<Uint8Array, void, undefined> {
    const { rendering, call, watcher } = this.#options;
    const lines = new LinePieces();
    for (const item of initial) {
      const pause = call.server.ports.breather.pause();
      if (pause !== undefined) await pause;
      if (this.#isCut()) return;
      if (!watcher.filter.matches(item.object)) continue;
      lines.add(watchLine(rendering, 'ADDED', item));
      if (lines.bytes >= WATCH_OWN_PIECE_BYTES) yield* this.#send(lines.take());
    }
    yield* this.#send(lines.take());
  }

  #tellOfSlowness(): void {
    const { server, user, info } = this.#options.call;
    const fields = { user: user.name, resource: info.resource, namespace: info.namespace ?? '' };
    server.ports.logger.warn('watch ended: its reader is too slow, what it had to read next is forgotten', fields);
  }

  /** Its client is gone, or must begin again. */
  #isCut(): boolean {
    return this.#over && this.#options.watcher.ended !== undefined;
  }

  #line(seen: SeenEvent): Uint8Array {
    const { rendering } = this.#options;
    // Ages in tables are of the moment; everything else is the same for all.
    if (rendering.form.as === 'table') return watchLine({ ...rendering, now: this.#now() }, seen.type, seen.item);
    return seen.event.line(formatOf(rendering.form, rendering.registration.row.group), seen, () =>
      watchLine(rendering, seen.type, seen.item),
    );
  }

  #now(): number {
    return this.#options.call.server.ports.clock.now().wall;
  }

  #planBookmark(): void {
    const { call, watcher } = this.#options;
    const timer = call.server.ports.clock.setTimer(BOOKMARK_INTERVAL_MS, () => {
      this.#bookmarkDue = true;
      watcher.poke();
      if (!this.#over) this.#planBookmark();
    });
    this.#timers = [...this.#timers.slice(0, 1), timer];
  }

  /** The time is over: pending events are still sent, and then a bookmark. */
  #finish(): void {
    this.#over = true;
    this.#bookmarkDue = this.#options.options.bookmarks;
    this.#options.watcher.poke();
  }

  #stop(): void {
    this.#over = true;
    this.#options.call.request.signal?.removeEventListener('abort', this.#onAbort);
    for (const timer of this.#timers) timer.cancel();
    this.#options.call.storage.cache.remove(this.#options.watcher);
    this.#options.watcher.end('closed');
  }
}

/** As long as the client says, else 30 to 60 minutes: clients must not all come back at once. */
function timeoutMs({ call, options }: StreamOptions): number {
  if (options.timeoutSeconds !== undefined) return options.timeoutSeconds * 1000;
  return MIN_WATCH_TIMEOUT_SECONDS * 1000 * (1 + call.server.ports.random.next());
}
