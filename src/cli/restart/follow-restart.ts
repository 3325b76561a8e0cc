/** Waits for the end of one restart, and reports meanwhile what it waits for. */
import { isExpired, nameOf, type Pod, POD_RESTARTS, type PodRestart, PODS, StatusError } from '../../api/index.ts';
import { errorMessage } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { Bell } from './bell.ts';
import { GONE_MS, LOOK_EVERY_MS, QUIET_MS } from './limits.ts';
import { watchObject } from './live-object.ts';
import { waitingFor } from './waiting-for.ts';

export interface FollowOptions {
  readonly made: PodRestart;
  readonly podName: string;
  /** The pod when the restart was requested; undefined when we may not read pods. */
  readonly before?: Pod;
  readonly timeoutMs: number;
  /** Ends the wait, not the restart. */
  readonly signal: AbortSignal;
  /** Called with what the restart waits for, whenever that changes. */
  readonly note: (text: string) => void;
}

export type Followed =
  | { readonly kind: 'ended'; readonly restart: PodRestart; readonly pod?: Pod }
  | { readonly kind: 'timeout'; readonly waitsFor: string }
  | { readonly kind: 'interrupted' }
  /** The pod is gone, or another has its name. */
  | { readonly kind: 'gone' }
  /** The outcome cannot be known: the object is gone, or we may not read it. */
  | { readonly kind: 'unknown'; readonly message: string };

/** Status codes after which another try does not help. */
const FINAL = [401, 403, 404, 405];

/** The last state that the watches saw. */
interface Sight {
  restart: PodRestart | undefined;
  pod: Pod | undefined;
  /** Why the restart cannot be watched any more. */
  blind?: string;
  /** Why the server does not answer at the moment. */
  trouble?: string;
}

type Session = Pick<ClusterSession, 'client' | 'clock' | 'namespace'>;

export async function followRestart(session: Session, options: FollowOptions): Promise<Followed> {
  const { made, podName, before, signal } = options;
  const bell = new Bell();
  const sight: Sight = { restart: made, pod: before };
  const watches = new AbortController();
  const ring = (): void => bell.ring();
  signal.addEventListener('abort', ring, { once: true });
  void watchObject(session, POD_RESTARTS, nameOf(made), seeRestart(sight, ring), watches.signal);
  // A user who may request restarts but not read pods gets fewer details.
  if (before !== undefined) void watchObject(session, PODS, podName, seePod(sight, ring), watches.signal);
  try {
    return await waitForEnd(session, options, sight, bell);
  } finally {
    signal.removeEventListener('abort', ring);
    watches.abort(new Error('no longer waited for'));
  }
}

function seeRestart(sight: Sight, ring: () => void) {
  return {
    see: (object: PodRestart | undefined): void => {
      sight.restart = object;
      delete sight.trouble;
      if (object === undefined) sight.blind = 'the PodRestart was deleted before its end';
      ring();
    },
    fail: (error: unknown): void => {
      if (error instanceof StatusError && FINAL.includes(error.code)) {
        sight.blind = `it was asked for, but its end cannot be seen: ${error.message}`;
      } else if (!isExpired(error)) {
        sight.trouble = `the server does not answer, trying again (${errorMessage(error)})`;
      }
      ring();
    },
  };
}

function seePod(sight: Sight, ring: () => void) {
  return {
    see: (object: Pod | undefined): void => {
      sight.pod = object;
      ring();
    },
    fail: (): void => {},
  };
}

async function waitForEnd(session: Session, options: FollowOptions, sight: Sight, bell: Bell): Promise<Followed> {
  const { clock } = session;
  const { before, timeoutMs, signal, note } = options;
  const begun = clock.now().mono;
  let told = '';
  let goneSince: number | undefined;
  for (;;) {
    const waitedMs = clock.now().mono - begun;
    const { restart } = sight;
    if (restart !== undefined && isOver(restart)) return await ended(session, options, restart);
    if (signal.aborted) return { kind: 'interrupted' };
    if (restart === undefined || sight.blind !== undefined) return { kind: 'unknown', message: sight.blind ?? '' };
    goneSince = isSame(before, sight.pod) ? undefined : (goneSince ?? waitedMs);
    if (goneSince !== undefined && waitedMs - goneSince >= GONE_MS) return { kind: 'gone' };
    const pod = sight.pod === undefined ? {} : { pod: sight.pod };
    const was = before === undefined ? {} : { before };
    const waitsFor = sight.trouble ?? waitingFor({ restart, ...pod, ...was, waitedMs, now: clock.now().wall });
    if (waitedMs >= timeoutMs) return { kind: 'timeout', waitsFor };
    if (waitedMs >= QUIET_MS && waitsFor !== told) {
      note(waitsFor);
      told = waitsFor;
    }
    await bell.wait(clock, Math.min(LOOK_EVERY_MS, timeoutMs - waitedMs));
  }
}

function isSame(before: Pod | undefined, pod: Pod | undefined): boolean {
  return before === undefined || before.metadata?.uid === pod?.metadata?.uid;
}

function isOver({ status }: PodRestart): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Reads the pod once more: the two watches are independent, and the pod must not be older than the restart's end. */
async function ended({ client, namespace }: Session, options: FollowOptions, restart: PodRestart): Promise<Followed> {
  if (options.before === undefined) return { kind: 'ended', restart };
  try {
    return { kind: 'ended', restart, pod: await client.get(PODS, namespace, options.podName) };
  } catch {
    // Without the pod the outcome only has fewer details.
    return { kind: 'ended', restart };
  }
}
