/**
 * List-watch as an explicit state machine, endless:
 *
 *   empty ──► init-page ──(last page)──► init-listed ──► watching ──► watching (the server ended it: resume from the last RV)
 *     ▲           │ failed: again from the start                │ failed: back off, resume
 *     └───────────┴──────────────── 410 Expired ◄───────────────┘
 *
 * The first failure in a row of a watch resumes after the base delay; delays double to 30 s, with jitter (client-go's).
 */
import { type KubeObject, type Resource, isExpired } from '../api/index.ts';
import { type Clock, type Random, childController, exponentialDelay, jitterUp } from '../lib/index.ts';
import type { KubeClient, ListQuery } from './kube-client.ts';
import { RetryPause } from './retry-now.ts';
import { LIST_PAGE_SIZE, WATCH_OVERDUE_MS, WATCH_TIMEOUT_SECONDS } from './limits.ts';

export type WatcherEvent<T> =
  /** A list begins: what follows until `init-done` is all there is. */
  | { readonly kind: 'init' }
  | { readonly kind: 'init-apply'; readonly object: T }
  | { readonly kind: 'init-done'; readonly resourceVersion: string }
  | { readonly kind: 'apply'; readonly object: T }
  | { readonly kind: 'delete'; readonly object: T }
  /** Nothing changed up to here (a bookmark). */
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
  /** The pauses after failures, for somebody who may end them. */
  readonly retry?: RetryPause;
}

export type WatcherState =
  | { readonly name: 'empty' }
  | { readonly name: 'init-page'; readonly continueToken?: string }
  | { readonly name: 'init-listed'; readonly resourceVersion: string }
  | { readonly name: 'watching'; readonly resourceVersion: string };

export const WATCH_BACK_OFF = { baseMs: 800, capMs: 30_000 };
/** Who lists at once, and finds that it was of no use, pauses the next time. */
const HURRY_AGAIN_MS = 5_000;

/** Where to go on after a failed call. A watch resumes unless its past is gone; a list starts again. */
export function stateAfterError(state: WatcherState, error: unknown): WatcherState {
  return state.name === 'watching' && !isExpired(error) ? state : { name: 'empty' };
}

/** Yields forever; ends when the signal is aborted. */
export async function* watcher<T extends KubeObject>(
  options: WatcherOptions<T>,
  signal: AbortSignal,
): AsyncGenerator<WatcherEvent<T>, void, undefined> {
  let state: WatcherState = { name: 'empty' };
  let failures = 0;
  /** Mono ms when it was last listed anew without a pause. */
  let hurriedAt = Number.NEGATIVE_INFINITY;
  const pause = options.retry ?? new RetryPause();
  while (!signal.aborted) {
    try {
      for await (const step of runState(options, state, signal)) {
        state = step.state;
        if (step.event !== undefined) {
          if (step.event.kind !== 'init') failures = 0;
          yield step.event;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      // An expired watch lists again at once: its client did nothing wrong, and the server answers, however long it was away.
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
      yield* listPage(options, state.continueToken, signal);
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

async function* listPage<T extends KubeObject>(
  { client, resource, query, pageSize }: WatcherOptions<T>,
  continueToken: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Step<T>, void, undefined> {
  const limit = pageSize ?? LIST_PAGE_SIZE;
  const page = await client.list(
    resource,
    { ...query, limit, ...(continueToken === undefined ? {} : { continue: continueToken }) },
    signal,
  );
  const next: WatcherState =
    page.continue === undefined
      ? { name: 'init-listed', resourceVersion: page.resourceVersion }
      : { name: 'init-page', continueToken: page.continue };
  for (const object of page.items) yield { state: next, event: { kind: 'init-apply', object } };
  yield { state: next };
}

async function* watchOnce<T extends KubeObject>(
  { client, resource, query, clock, random }: WatcherOptions<T>,
  from: string,
  signal: AbortSignal,
): AsyncGenerator<Step<T>, void, undefined> {
  const timeoutSeconds = Math.round(jitterUp(WATCH_TIMEOUT_SECONDS, 1, random));
  const child = childController(signal);
  const overdue = clock.setTimer(timeoutSeconds * 1000 + WATCH_OVERDUE_MS, () =>
    child.controller.abort(new Error('watch overdue')),
  );
  const began = clock.now().mono;
  let seen = false;
  try {
    const events = client.watch(resource, { ...query, resourceVersion: from, timeoutSeconds }, child.controller.signal);
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
  // A server that ends watches at once would make this loop hot.
  if (!seen && clock.now().mono - began < 1000) await sleepUnlessAborted(clock, WATCH_BACK_OFF.baseMs, signal);
}

/** False when the signal was aborted first. */
async function sleepUnlessAborted(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return !signal.aborted;
  } catch {
    return false;
  }
}
