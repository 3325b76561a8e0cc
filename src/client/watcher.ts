/**
 * List-watch as an explicit state machine, endless:
 *
 *   empty ──► init-page ──(last page)──► init-listed ──► watching ──► watching (the server ended it: resume from the last RV)
 *     ▲           │ failed: again from the start   ▲            │ failed: back off, resume
 *     │           │ a later page expired ──► init-whole         │
 *     └───────────┴──────────────── 410 Expired ◄───────────────┘
 *
 * All pages of a list are of one revision, which the server may have compacted before the last page. Then the watcher lists
 * everything at once, as client-go's pager does, because paging again could fail in the same way for ever.
 *
 * The first failure in a row of a watch resumes after the base delay; delays double to 30 s, with jitter (client-go's).
 */
import { type KubeObject, type Resource, isExpired } from '../api/index.ts';
import { type Clock, type Random, childController, exponentialDelay, jitterUp } from '../lib/index.ts';
import type { KubeClient, ListQuery } from './kube-client.ts';
import { RetryPause } from './retry-now.ts';
import { LIST_PAGE_SIZE, WATCH_OVERDUE_MS, WATCH_TIMEOUT_SECONDS } from './limits.ts';

export type WatcherEvent<T> =
  /** A list begins; the objects until `init-done` are all that exist. */
  | { readonly kind: 'init' }
  | { readonly kind: 'init-apply'; readonly object: T }
  | { readonly kind: 'init-done'; readonly resourceVersion: string }
  | { readonly kind: 'apply'; readonly object: T }
  | { readonly kind: 'delete'; readonly object: T }
  /** A bookmark: everything up to this version has been sent. */
  | { readonly kind: 'progress'; readonly resourceVersion: string }
  /** A call failed; the watcher tries again after `retryMs`. */
  | { readonly kind: 'error'; readonly error: unknown; readonly retryMs: number };

export interface WatcherOptions<T> {
  readonly client: KubeClient;
  readonly resource: Resource<T>;
  /** Namespace and selectors. */
  readonly query?: Pick<ListQuery, 'namespace' | 'labelSelector' | 'fieldSelector'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly pageSize?: number;
  /** Whether only metadata is requested; asked before each call. Absent: whole objects. */
  readonly metadataOnly?: () => boolean;
  /** Called when the server has begun to answer a watch. */
  readonly onOpen?: () => void;
  /** The pauses after failures, which the owner of this object may end. */
  readonly retry?: RetryPause;
}

export type WatcherState =
  | { readonly name: 'empty' }
  | { readonly name: 'init-page'; readonly continueToken?: string }
  | { readonly name: 'init-whole' }
  | { readonly name: 'init-listed'; readonly resourceVersion: string }
  | { readonly name: 'watching'; readonly resourceVersion: string };

export const WATCH_BACK_OFF = { baseMs: 800, capMs: 30_000 };
/** Minimum time between two lists without a pause, ms. */
const HURRY_AGAIN_MS = 5_000;

/**
 * The state after a failed call. A watch resumes unless its version has expired; a list starts again, without pages if they
 * expired.
 */
export function stateAfterError(state: WatcherState, error: unknown): WatcherState {
  if (state.name === 'watching' && !isExpired(error)) return state;
  const isLaterPage = state.name === 'init-page' && state.continueToken !== undefined;
  return isLaterPage && isExpired(error) ? { name: 'init-whole' } : { name: 'empty' };
}

/** Yields events until the signal is aborted. */
export async function* watcher<T extends KubeObject>(
  options: WatcherOptions<T>,
  signal: AbortSignal,
): AsyncGenerator<WatcherEvent<T>, void, undefined> {
  let state: WatcherState = { name: 'empty' };
  let failures = 0;
  /** Mono ms of the last list without a pause. */
  let hurriedAt = Number.NEGATIVE_INFINITY;
  const pause = options.retry ?? new RetryPause();
  while (!signal.aborted) {
    try {
      for await (const step of runState(options, state, signal)) {
        state = step.state;
        if (step.event !== undefined) {
          // `init` and `init-apply` do not count as success, because a list may fail at its second page each time.
          if (step.event.kind !== 'init' && step.event.kind !== 'init-apply') failures = 0;
          yield step.event;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      // An expired watch lists again at once, without back-off, because the server does answer.
      const { mono } = options.clock.now();
      const atOnce = isExpired(error) && mono - hurriedAt >= HURRY_AGAIN_MS;
      if (atOnce) hurriedAt = mono;
      const delay = atOnce ? 0 : exponentialDelay(WATCH_BACK_OFF, failures + 1);
      const retryMs = jitterUp(delay, 1, options.random);
      state = stateAfterError(state, error);
      failures += 1;
      yield { kind: 'error', error, retryMs };
      if (!(await pause.sleep(options.clock, retryMs, signal))) return;
    }
  }
}

interface Step<T> {
  readonly state: WatcherState;
  readonly event?: WatcherEvent<T>;
}

async function* runState<T extends KubeObject>(
  options: WatcherOptions<T>,
  state: WatcherState,
  signal: AbortSignal,
): AsyncGenerator<Step<T>, void, undefined> {
  switch (state.name) {
    case 'empty':
      yield { state: { name: 'init-page' }, event: { kind: 'init' } };
      return;
    case 'init-page':
      yield* listPage(options, { ...pageOf(options), ...continueFrom(state.continueToken) }, signal);
      return;
    case 'init-whole':
      // The objects of the earlier pages are of an expired revision.
      yield { state, event: { kind: 'init' } };
      yield* listPage(options, {}, signal);
      return;
    case 'init-listed': {
      const { resourceVersion } = state;
      yield { state: { name: 'watching', resourceVersion }, event: { kind: 'init-done', resourceVersion } };
      return;
    }
    case 'watching':
      yield* watchOnce(options, state.resourceVersion, signal);
  }
}

function pageOf({ pageSize }: Pick<WatcherOptions<unknown>, 'pageSize'>): Pick<ListQuery, 'limit'> {
  return { limit: pageSize ?? LIST_PAGE_SIZE };
}

function continueFrom(token: string | undefined): Pick<ListQuery, 'continue'> {
  return token === undefined ? {} : { continue: token };
}

/** The selection of a list or watch, in the form that is requested now. */
function selectionOf({ query, metadataOnly }: WatcherOptions<unknown>): ListQuery {
  return metadataOnly?.() === true ? { ...query, metadataOnly: true } : { ...query };
}

async function* listPage<T extends KubeObject>(
  options: WatcherOptions<T>,
  part: Pick<ListQuery, 'limit' | 'continue'>,
  signal: AbortSignal,
): AsyncGenerator<Step<T>, void, undefined> {
  const page = await options.client.list(options.resource, { ...selectionOf(options), ...part }, signal);
  const next: WatcherState =
    page.continue === undefined
      ? { name: 'init-listed', resourceVersion: page.resourceVersion }
      : { name: 'init-page', continueToken: page.continue };
  for (const object of page.items) yield { state: next, event: { kind: 'init-apply', object } };
  yield { state: next };
}

async function* watchOnce<T extends KubeObject>(
  options: WatcherOptions<T>,
  from: string,
  signal: AbortSignal,
): AsyncGenerator<Step<T>, void, undefined> {
  const { client, resource, clock, random } = options;
  const timeoutSeconds = Math.round(jitterUp(WATCH_TIMEOUT_SECONDS, 1, random));
  const child = childController(signal);
  const overdue = clock.setTimer(timeoutSeconds * 1000 + WATCH_OVERDUE_MS, () =>
    child.controller.abort(new Error('watch overdue')),
  );
  const began = clock.now().mono;
  let seen = false;
  try {
    const query = { ...selectionOf(options), resourceVersion: from, timeoutSeconds };
    const events = client.watch(resource, query, child.controller.signal, options.onOpen);
    for await (const event of events) {
      seen = true;
      if (event.type === 'BOOKMARK') {
        const { resourceVersion } = event;
        yield { state: { name: 'watching', resourceVersion }, event: { kind: 'progress', resourceVersion } };
      } else {
        const resourceVersion = event.object.metadata?.resourceVersion ?? from;
        const kind = event.type === 'DELETED' ? 'delete' : 'apply';
        yield { state: { name: 'watching', resourceVersion }, event: { kind, object: event.object } };
      }
    }
  } finally {
    overdue.cancel();
    child.release();
    child.controller.abort(new Error('watch ended'));
  }
  // Without this pause a server that ends watches at once would make this loop hot.
  if (!seen && clock.now().mono - began < 1000) await sleepUnlessAborted(clock, WATCH_BACK_OFF.baseMs, signal);
}

/** @returns false when the signal was aborted first */
async function sleepUnlessAborted(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return !signal.aborted;
  } catch {
    return false;
  }
}
