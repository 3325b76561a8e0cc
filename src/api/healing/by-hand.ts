/** The annotations by which a person pauses the healing of a pod, or has it tried now. Pure. */
import { type FieldError, printFieldErrors } from '../field-error.ts';
import type { ObjectMeta, Pod } from '../types.gen.ts';
import { quotedReason } from './cut-text.ts';
import { MAX_RESTART_ID_LENGTH, MAX_RESTART_REASON_LENGTH } from './limits.ts';
import { checkRestartId } from './validate-restart.ts';
import { HEALING_PAUSED, TRY_NOW } from './words.ts';

export interface Pause {
  /** In the words of the person who paused it. */
  readonly reason?: string;
}

/**
 * The pause that the pod's annotation asks for: "true", or any other text, which is its reason. Undefined: there is none, also for
 * "false" and the empty text.
 */
export function pauseOf(pod: Pick<Pod, 'metadata'>): Pause | undefined {
  const text = pauseText(pod);
  if (text === undefined) return undefined;
  return text === 'true' ? {} : { reason: quotedReason(text) };
}

/** The same as it is written, bounded: of a pod or a workload. */
export function pauseText({ metadata }: { readonly metadata?: ObjectMeta | undefined }): string | undefined {
  const text = metadata?.annotations?.[HEALING_PAUSED]?.slice(0, MAX_RESTART_REASON_LENGTH).trim();
  return text === undefined || text === '' || text === 'false' ? undefined : text;
}

/** What a pod's pause comes of, in its annotation `HEALING_PAUSED_FROM`. */
export function pausedFrom(kind: string, name: string): string {
  return `${kind}/${name}`;
}

export type TryNowReading =
  | { readonly kind: 'none' }
  /** For people: the problem of the annotation's value. */
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'asked'; readonly id: string };

/** The request in the pod's annotation; its agent does each id once. */
export function tryNowOf({ metadata }: Pod): TryNowReading {
  const id = metadata?.annotations?.[TRY_NOW];
  if (id === undefined) return { kind: 'none' };
  const errors: readonly FieldError[] = checkRestartId(id, TRY_NOW, MAX_RESTART_ID_LENGTH);
  return errors.length > 0 ? { kind: 'invalid', problem: printFieldErrors(errors) } : { kind: 'asked', id };
}
