/** Collects the reasons why the pod should end; the one whose grace period ends first counts. Pure. */
import type { Pod } from '../../api/index.ts';
import type { Draft } from './draft.ts';
import { gracePeriodSeconds } from './lifecycle.ts';
import { wakeBy } from './draft.ts';
import type { TerminationRequest } from './pod-memory.ts';

/** Upstream's text (kubelet/active_deadline.go). */
const DEADLINE_REASON = 'DeadlineExceeded';
const DEADLINE_MESSAGE = 'Pod was active on the node longer than the specified deadline';

export interface EffectiveRequest {
  readonly request: TerminationRequest;
  /** Mono ms. */
  readonly requestedAtMono: number;
}

/**
 * The strictest of: the request already noted, a deletion, a vanished object, a deadline passed, an end fixed by
 * admission or eviction, and containers that are all done. `done`: the pod's containers ended for good.
 */
export function terminationRequest(draft: Draft, done: boolean): EffectiveRequest | undefined {
  const { now } = draft.input;
  const noted = draft.note.termination;
  const candidates: EffectiveRequest[] = requestsNow(draft, done).map((request) => ({
    request: { ...request, requestedAt: now.wall },
    // Mapped now, so that the next pass finds this very time and not one that rounding or a step of the clock made.
    requestedAtMono: draft.times.mono(timeName(now.wall), now.wall),
  }));
  if (noted !== undefined) {
    candidates.unshift({
      request: noted,
      requestedAtMono: draft.times.mono(timeName(noted.requestedAt), noted.requestedAt),
    });
  }
  const [first, ...rest] = candidates;
  if (first === undefined) return undefined;
  return rest.reduce((best, next) => (deadlineOf(next) < deadlineOf(best) ? next : best), first);
}

function timeName(requestedAt: number): string {
  return `termination/${requestedAt}`;
}

function deadlineOf({ request, requestedAtMono }: EffectiveRequest): number {
  return requestedAtMono + request.gracePeriodSeconds * 1000;
}

function requestsNow(draft: Draft, done: boolean): readonly Omit<TerminationRequest, 'requestedAt'>[] {
  const { pod, wanted } = draft.input;
  const found: Omit<TerminationRequest, 'requestedAt'>[] = [];
  const grace = gracePeriodSeconds(pod);
  if (pod.metadata?.deletionTimestamp !== undefined) {
    found.push({ reason: 'Deleted', message: 'the pod is being deleted', gracePeriodSeconds: grace });
  }
  if (!wanted) found.push({ reason: 'Orphaned', message: 'the pod has been removed', gracePeriodSeconds: grace });
  if (draft.note.end !== undefined) {
    const { reason, message } = draft.note.end;
    found.push({
      reason: reason === DEADLINE_REASON ? DEADLINE_REASON : 'Rejected',
      message,
      gracePeriodSeconds: grace,
    });
  }
  if (done || isTerminalPhase(pod)) {
    found.push({ reason: 'Completed', message: 'the containers have ended', gracePeriodSeconds: grace });
  }
  return found;
}

function isTerminalPhase(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** Fixes the pod's end when `activeDeadlineSeconds` is over, else wakes the plan then. */
export function checkActiveDeadline(draft: Draft): void {
  const seconds = draft.input.pod.spec?.activeDeadlineSeconds;
  const { startTime, end } = draft.note;
  if (seconds === undefined || startTime === undefined || end !== undefined) return;
  const until = draft.times.mono('start-time', startTime) + seconds * 1000;
  if (draft.input.now.mono < until) {
    wakeBy(draft, until);
    return;
  }
  draft.note = { ...draft.note, end: { phase: 'Failed', reason: DEADLINE_REASON, message: DEADLINE_MESSAGE } };
  draft.events.push({ type: 'Normal', reason: DEADLINE_REASON, message: DEADLINE_MESSAGE });
}
