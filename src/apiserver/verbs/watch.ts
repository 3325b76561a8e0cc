/**
 * WATCH: a stream of changes out of the watch cache, from a given revision or from the state of now.
 *
 *   [ADDED of what is there → BOOKMARK initial-events-end, or changes of the store's log]
 *     → changes … → [BOOKMARK] → end (time, slow reader, shutdown)
 */
import { apiVersionOf, expired, StatusError } from '../../api/index.ts';
import { concatBytes, encodeText, type HttpResponse, type Timer } from '../../lib/index.ts';
import type { CacheEvent, SeenEvent, WatchFilter } from '../cache/cache-event.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import type { PastPage } from '../cache/past-events.ts';
import { SharedPieces } from '../cache/shared-pieces.ts';
import type { Watcher } from '../cache/watcher.ts';
import { readWatchOptions, type WatchOptions } from '../http/list-options.ts';
import { formatOf, negotiateObject, type ObjectForm } from '../http/negotiate.ts';
import { bookmarkLine, type Rendering, watchLine } from '../http/render.ts';
import { JSON_TYPE } from '../http/respond.ts';
import {
  BOOKMARK_INTERVAL_MS,
  INITIAL_LOOK_INTERVAL_MS,
  MIN_WATCH_TIMEOUT_SECONDS,
  WATCH_OWN_PIECE_BYTES,
  WATCH_PIECE_BYTES,
} from '../limits.ts';
import { type ApiObject, recordOf, textOf } from '../registry/object.ts';
import { keyOf } from '../registry/registration.ts';
import { type Call, renderingOf } from '../call.ts';
import { guarded } from '../registry/storage.ts';
import { StoreError } from '../../store/index.ts';
import { prepareItems, prepareObjects } from './answer.ts';

/** Above this a line is sent by itself. */
const LONG_LINE_BYTES = 8 * 1024;

export async function watch(call: Call): Promise<HttpResponse> {
  const { registration, info, storage } = call;
  const form = negotiateObject(call.request.headers['accept']);
  const options = readWatchOptions(info.query, registration, info.name);
  const rendering = renderingOf(call, form);
  await storage.fresh(options.sendInitialEvents ? options.revision : 0);
  const filter = filterOf(call, options, form);
  const { cache } = storage;
  const initial = options.sendInitialEvents ? cache.list(filter.keyPrefix) : undefined;
  const after = startOf(options) ?? cache.revision;
  const watcher = cache.watch(filter, after);
  const past = watcher === undefined ? await readPast(call, { filter, options }, after) : undefined;
  if (past !== undefined && !('events' in past)) return streamResponse(onlyError(tooOld(after, past.oldest)));
  const stream = new WatchStream({ call, options, rendering, filter, watcher, initial, past, after });
  return streamResponse(stream.lines());
}

/** The revision after which it begins; undefined: that of now. */
function startOf({ sendInitialEvents, revision }: WatchOptions): number | undefined {
  // Upstream: "0" is any state, and that of now is one.
  return sendInitialEvents || revision === 0 ? undefined : revision;
}

/** The log's next changes; `oldest`: it does not have them, and a watch may begin after this revision. */
async function readPast(
  { storage }: Call,
  { filter, options }: { readonly filter: WatchFilter; readonly options: WatchOptions },
  after: number,
): Promise<PastPage | { readonly oldest: number }> {
  try {
    return await storage.cache.past(filter.keyPrefix, after, !options.selection.isEmpty);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'compacted') {
      return await guarded('list', () => Promise.reject(error));
    }
    return { oldest: error.revision ?? storage.cache.oldestResume };
  }
}

function filterOf(call: Call, options: WatchOptions, { as }: ObjectForm): WatchFilter {
  const { registration, info } = call;
  const { selection } = options;
  const form = isByMetadata(options, as) ? undefined : registration.form;
  return {
    keyPrefix: keyOf(registration, info.namespace),
    matches: selection.isEmpty ? () => true : (object) => selection.matches(form?.fromStored(object) ?? object),
    ...(selection.exact === undefined ? {} : { exact: { ...selection.exact, read: READERS[selection.exact.field] } }),
  };
}

/** Whether a watch sees and selects by metadata alone: it depends on no conversion. */
function isByMetadata({ selection }: WatchOptions, as: ObjectForm['as']): boolean {
  return as === 'metadata' && selection.isOfMetadata;
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
  return errorLine(expired(`too old resource version: ${asked} (${oldest})`));
}

function errorLine({ status }: StatusError): Uint8Array {
  return encodeText(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
}

async function* onlyError(line: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield line;
}

interface StreamOptions {
  readonly call: Call;
  readonly options: WatchOptions;
  readonly rendering: Rendering;
  readonly filter: WatchFilter;
  /** Absent: it begins further back than the cache reaches, with `past`. */
  readonly watcher: Watcher | undefined;
  /** The objects at the start, matching or not, for clients that asked for them. */
  readonly initial: readonly CachedObject[] | undefined;
  readonly past: PastPage | undefined;
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
  #watcher: Watcher | undefined;
  /** What it begins with and has not sent. */
  #initial: readonly CachedObject[];
  #past: PastPage | undefined;
  #timers: Timer[] = [];
  #initialTimer: Timer | undefined;
  #bookmarkDue = false;
  #over = false;
  readonly #onAbort = (): void => this.#stop();

  constructor(options: StreamOptions) {
    const { initial, past, watcher, ...kept } = options;
    this.#options = { ...kept, initial: undefined, past: undefined, watcher: undefined };
    const { call } = options;
    this.#watcher = watcher;
    this.#initial = initial ?? [];
    this.#past = past;
    const { clock } = call.server.ports;
    this.#timers.push(clock.setTimer(timeoutMs(options), () => this.#finish()));
    if (options.options.bookmarks) this.#planBookmark();
    if (this.#initial.length > 0) this.#planLook();
    const { signal } = call.request;
    if (signal?.aborted === true) this.#stop();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (watcher?.ended !== undefined) this.#stop();
  }

  async *lines(): AsyncGenerator<Uint8Array, void, undefined> {
    const { rendering, call } = this.#options;
    try {
      if (this.#past !== undefined) yield* this.#pastLines(this.#past);
      else if (this.#options.options.sendInitialEvents) yield* this.#initialLines();
      const watcher = this.#watcher;
      // Not a generator of its own: each piece would take a turn more, for each of thousands of watchers.
      const isLive = !this.#isCut();
      for (;;) {
        if (watcher === undefined || !isLive) break;
        // Read before the events: all up to here is among them.
        const revision = call.storage.cache.revision;
        const pieces = await this.#nextPieces(watcher);
        if (pieces.length > 0) yield* this.#send(pieces);
        else if (this.#bookmarkDue) {
          this.#bookmarkDue = false;
          yield bookmarkLine(rendering, Math.max(revision, this.#options.after));
        } else if (this.#over || watcher.ended !== undefined) break;
        else await watcher.wait();
      }
      if (watcher?.ended === 'slow') this.#tellOfSlowness();
    } catch (error) {
      // A conversion that failed: the client begins again, and learns whether it still does.
      if (!(error instanceof StatusError)) throw error;
      yield errorLine(error);
    } finally {
      this.#stop();
    }
  }

  /** Changes of the store's log, until the cache has all that come after them. */
  async *#pastLines(first: PastPage): AsyncGenerator<Uint8Array, void, undefined> {
    const { call, filter, options } = this.#options;
    this.#past = undefined;
    for (let page = first; ; ) {
      yield* this.#send(await this.#pastPieces(page));
      if (this.#over) return;
      this.#watcher = call.storage.cache.watch(filter, page.revision);
      if (this.#watcher !== undefined) return;
      const next = await readPast(call, { filter, options }, page.revision);
      if (this.#over) return;
      if ('events' in next) page = next;
      else return yield tooOld(page.revision, next.oldest);
    }
  }

  async #pastPieces({ events }: PastPage): Promise<readonly Uint8Array[]> {
    const { call, filter } = this.#options;
    const lines = new LinePieces();
    for (const event of events) {
      const pause = call.server.ports.breather.pause();
      if (pause !== undefined) await pause;
      if (this.#over) return [];
      const prepared = this.#prepare(event);
      if (prepared !== undefined) await prepared;
      const seen = event.see(filter);
      if (seen !== undefined) {
        const line = this.#line(seen);
        lines.add(line instanceof Uint8Array ? line : await line);
      }
    }
    return lines.take();
  }

  /** Makes an event ready to be looked at through the filter; undefined: it is. */
  #prepare({ current, previous }: CacheEvent): Promise<void> | undefined {
    const { call, options, rendering } = this.#options;
    const { registration } = call;
    if (registration.form?.elsewhere === undefined || options.selection.isEmpty) return undefined;
    if (isByMetadata(options, rendering.form.as)) return undefined;
    return prepareObjects(
      registration,
      [current, previous].filter((item) => item !== undefined),
    );
  }

  /** The next lines to send, about one piece of them; several pieces only if lines are long. Empty: everything has been seen. */
  async #nextPieces(watcher: Watcher): Promise<readonly Uint8Array[]> {
    const { call, filter } = this.#options;
    const lines = new LinePieces();
    while (lines.bytes < WATCH_OWN_PIECE_BYTES) {
      // A change that thousands watch is sent to some of them in each turn of the loop.
      const pause = call.server.ports.breather.pause();
      if (pause !== undefined) await pause;
      const event = watcher.next();
      if (event === undefined) break;
      const prepared = this.#prepare(event);
      if (prepared !== undefined) await prepared;
      const seen = event.see(filter);
      if (seen === undefined) continue;
      const line = this.#line(seen);
      lines.add(line instanceof Uint8Array ? line : await line);
    }
    return lines.take();
  }

  *#send(pieces: readonly Uint8Array[]): Generator<Uint8Array, void, undefined> {
    for (const piece of pieces) {
      this.#options.call.server.ports.breather.sent(piece.length);
      yield piece;
    }
  }

  async *#initialLines(): AsyncGenerator<Uint8Array, void, undefined> {
    const { rendering, options, after } = this.#options;
    const prepared = this.#prepareInitial();
    if (prepared !== undefined) await prepared;
    if (options.selection.isEmpty && rendering.form.as !== 'table') yield* this.#sharedLines();
    else yield* this.#ownLines();
    this.#letGo();
    if (options.bookmarks && !this.#isCut()) yield bookmarkLine(rendering, after, true);
  }

  #prepareInitial(): Promise<void> | undefined {
    const { rendering, options, call } = this.#options;
    return isByMetadata(options, rendering.form.as) ? undefined : prepareObjects(call.registration, this.#initial);
  }

  /** All existing objects, in pieces that are shared by all watches that begin like this one. */
  async *#sharedLines(): AsyncGenerator<Uint8Array, void, undefined> {
    const { call } = this.#options;
    for (let at = 0; at < this.#initial.length; ) {
      const pause = call.server.ports.breather.pause();
      if (pause !== undefined) await pause;
      if (this.#isCut()) return;
      const { bytes, next } = this.#sharedPiece(at);
      at = next;
      yield* this.#send([bytes]);
    }
  }

  /** A function of its own: a stream that waits for its reader must not hold the list beside `#initial`. */
  #sharedPiece(at: number): { readonly bytes: Uint8Array; readonly next: number } {
    const { rendering, call } = this.#options;
    const encode = (items: readonly CachedObject[]): Uint8Array =>
      concatBytes(items.map((item) => watchLine(rendering, 'ADDED', item)));
    const format = `ADDED ${formatOf(rendering.form, apiVersionOf(rendering.registration.row))}`;
    const pieces = SharedPieces.of(this.#initial, format, call.storage.cache.lines);
    return pieces.at(at, WATCH_PIECE_BYTES, encode);
  }

  /** Those that it selects, or in a form that is its own. */
  async *#ownLines(): AsyncGenerator<Uint8Array, void, undefined> {
    const { rendering, call, filter } = this.#options;
    const lines = new LinePieces();
    for (let at = 0; at < this.#initial.length; at += 1) {
      const pause = call.server.ports.breather.pause();
      if (pause !== undefined) await pause;
      const item = this.#initial[at];
      if (this.#isCut() || item === undefined) return;
      if (!filter.matches(item.object)) continue;
      lines.add(watchLine(rendering, 'ADDED', item));
      if (lines.bytes >= WATCH_OWN_PIECE_BYTES) yield* this.#send(lines.take());
    }
    yield* this.#send(lines.take());
  }

  /**
   * A reader who takes long over what there was at its start holds objects that have changed since. Once changes of that time are
   * forgotten he has to begin again anyway, and what he holds is let go.
   */
  #planLook(): void {
    const { call, after } = this.#options;
    this.#initialTimer = call.server.ports.clock.setTimer(INITIAL_LOOK_INTERVAL_MS, () => {
      if (call.storage.cache.oldestResume <= after) return this.#planLook();
      this.#letGo();
      this.#watcher?.end('slow');
    });
  }

  #letGo(): void {
    this.#initialTimer?.cancel();
    this.#initial = [];
  }

  #tellOfSlowness(): void {
    const { server, user, info } = this.#options.call;
    const fields = { user: user.name, resource: info.resource, namespace: info.namespace ?? '' };
    server.ports.logger.warn('watch ended: its reader is too slow, what it had to read next is forgotten', fields);
  }

  /** Its client is gone, or must begin again. */
  #isCut(): boolean {
    return this.#watcher?.ended !== undefined;
  }

  #line(seen: SeenEvent): Uint8Array | Promise<Uint8Array> {
    const prepared = prepareItems(this.#options.rendering, [seen.item]);
    return prepared === undefined ? this.#lineOf(seen) : prepared.then(() => this.#lineOf(seen));
  }

  #lineOf(seen: SeenEvent): Uint8Array {
    const { rendering } = this.#options;
    // Ages in tables are of the moment; everything else is the same for all.
    if (rendering.form.as === 'table') return watchLine({ ...rendering, now: this.#now() }, seen.type, seen.item);
    return seen.event.line(formatOf(rendering.form, apiVersionOf(rendering.registration.row)), seen, () =>
      watchLine(rendering, seen.type, seen.item),
    );
  }

  #now(): number {
    return this.#options.call.server.ports.clock.now().wall;
  }

  #planBookmark(): void {
    const { call } = this.#options;
    const timer = call.server.ports.clock.setTimer(BOOKMARK_INTERVAL_MS, () => {
      this.#bookmarkDue = true;
      this.#watcher?.poke();
      if (!this.#over) this.#planBookmark();
    });
    this.#timers = [...this.#timers.slice(0, 1), timer];
  }

  /** The time is over: pending events are still sent, and then a bookmark. */
  #finish(): void {
    this.#over = true;
    this.#bookmarkDue = this.#options.options.bookmarks;
    this.#watcher?.poke();
  }

  #stop(): void {
    this.#over = true;
    this.#options.call.request.signal?.removeEventListener('abort', this.#onAbort);
    for (const timer of this.#timers) timer.cancel();
    this.#letGo();
    if (this.#watcher === undefined) return;
    this.#options.call.storage.cache.remove(this.#watcher);
    this.#watcher.end('closed');
  }
}

/** As long as the client says, else 30 to 60 minutes: clients must not all come back at once. */
function timeoutMs({ call, options }: StreamOptions): number {
  if (options.timeoutSeconds !== undefined) return options.timeoutSeconds * 1000;
  return MIN_WATCH_TIMEOUT_SECONDS * 1000 * (1 + call.server.ports.random.next());
}
