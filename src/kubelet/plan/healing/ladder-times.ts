/** The wall times of the ladder's note on the monotonic clock, as they were first mapped. Pure. */
import type { Draft } from '../draft.ts';
import type { LadderAttempt } from '../pod-memory.ts';

/** Keeps what was mapped, whether this plan needs it or not. */
export function touchLadderTimes(draft: Draft): void {
  const { healing } = draft.note;
  for (const attempt of healing?.attempts ?? []) attemptMono(draft, attempt);
  if (healing?.wellSince !== undefined) wellMono(draft, healing.wellSince);
  if (healing?.move !== undefined) moveMono(draft, healing.move);
}

/** Mono ms at which the answer was given. */
export function attemptMono(draft: Draft, { containerId, at }: LadderAttempt): number {
  return draft.times.mono(`ladder/${containerId}`, at);
}

export function wellMono(draft: Draft, wellSince: number): number {
  return draft.times.mono(`well/${wellSince}`, wellSince);
}

export function moveMono(draft: Draft, { id, at }: { readonly id: string; readonly at: number }): number {
  return draft.times.mono(`move/${id}`, at);
}
