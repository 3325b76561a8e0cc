/**
 * Decides what a DELETE does to an object (upstream: rest.BeforeDelete, generic Store.Delete).
 *
 *   no grace, no finalizers → remove     grace > 0 or finalizers → mark (deletionTimestamp) and wait
 *   marked: a shorter grace moves the deadline, a longer one changes nothing, grace 0 without finalizers removes
 *
 * A finalizer says what happens to its dependents; the garbage collector removes it when that is done.
 */
import type { ObjectMeta } from '../../api/index.ts';
import { formatTime, parseTime } from '../../lib/index.ts';
import { type ApiObject, withMeta } from './object.ts';
import type { Strategy } from './registration.ts';

export type DeletionStep =
  | { readonly kind: 'remove' }
  /** Stays, with this content. */
  | { readonly kind: 'mark'; readonly object: ApiObject }
  /** Already on its way; nothing changes. */
  | { readonly kind: 'wait' };

/** The treatment of an object's dependents: metav1.DeletionPropagation. */
export type Propagation = 'Orphan' | 'Background' | 'Foreground';

const ORPHAN_FINALIZER = 'orphan';
const FOREGROUND_FINALIZER = 'foregroundDeletion';

export interface DeletionRequest {
  readonly gracePeriodSeconds: number | undefined;
  /** Absent: by its finalizers, else by its kind's default. */
  readonly propagation?: Propagation;
  /** Wall ms. */
  readonly now: number;
}

export function planDeletion(object: ApiObject, strategy: Strategy, request: DeletionRequest): DeletionStep {
  const grace = planGrace(object, strategy, request);
  if (grace === 'pending') return { kind: 'wait' };
  const told = withPropagation(object, strategy, request.propagation);
  const held = (told.metadata.finalizers ?? []).length > 0 || strategy.isHeld?.(told) === true;
  if (grace !== undefined && (grace.deletionGracePeriodSeconds ?? 0) > 0) return mark(told, strategy, grace);
  if (!held) return { kind: 'remove' };
  if (grace !== undefined) return mark(told, strategy, grace);
  if (object.metadata.deletionTimestamp === undefined)
    return mark(told, strategy, { deletionTimestamp: formatTime(request.now), deletionGracePeriodSeconds: 0 });
  return told === object ? { kind: 'wait' } : { kind: 'mark', object: told };
}

/** The object with the finalizer of what is asked for, and without that of anything else. */
function withPropagation(object: ApiObject, strategy: Strategy, asked: Propagation | undefined): ApiObject {
  const { finalizers = [] } = object.metadata;
  const wanted = finalizerOf(finalizers, strategy, asked);
  const others = finalizers.filter((name) => name !== ORPHAN_FINALIZER && name !== FOREGROUND_FINALIZER);
  if (finalizers.length === others.length + (wanted === undefined ? 0 : 1)) {
    if (wanted === undefined || finalizers.includes(wanted)) return object;
  }
  return withMeta(object, { finalizers: wanted === undefined ? others : [...others, wanted] });
}

function finalizerOf(
  finalizers: readonly string[],
  { dependentsByDefault = 'background' }: Strategy,
  asked: Propagation | undefined,
): string | undefined {
  if (dependentsByDefault === 'unsupported') return undefined;
  if (asked !== undefined)
    return asked === 'Orphan' ? ORPHAN_FINALIZER : asked === 'Foreground' ? FOREGROUND_FINALIZER : undefined;
  if (finalizers.includes(ORPHAN_FINALIZER)) return ORPHAN_FINALIZER;
  if (finalizers.includes(FOREGROUND_FINALIZER)) return FOREGROUND_FINALIZER;
  return dependentsByDefault === 'orphan' ? ORPHAN_FINALIZER : undefined;
}

type Grace = Pick<ObjectMeta, 'deletionTimestamp' | 'deletionGracePeriodSeconds'>;

/** New deletion fields; "pending" when the deletion under way is at least as soon; undefined without graceful deletion. */
function planGrace(object: ApiObject, strategy: Strategy, request: DeletionRequest): Grace | 'pending' | undefined {
  if (strategy.gracePeriodSeconds === undefined) return undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds: current } = object.metadata;
  const { gracePeriodSeconds: given } = request;
  const asked = given !== undefined && given < 0 ? 1 : given;
  if (deletionTimestamp === undefined) {
    const seconds = strategy.gracePeriodSeconds(object, asked);
    return { deletionTimestamp: formatTime(request.now + seconds * 1000), deletionGracePeriodSeconds: seconds };
  }
  if (current === undefined) return undefined;
  if (asked === 0 && current === 0) return undefined;
  if (asked === undefined || asked >= current) return 'pending';
  const began = (parseTime(deletionTimestamp) ?? request.now) - current * 1000;
  return { deletionTimestamp: formatTime(began + asked * 1000), deletionGracePeriodSeconds: asked };
}

function mark(object: ApiObject, strategy: Strategy, grace: Grace): DeletionStep {
  const { generation = 0, deletionTimestamp } = object.metadata;
  const counted = generation === 0 || deletionTimestamp !== undefined ? {} : { generation: generation + 1 };
  const marked = withMeta(object, { ...grace, ...counted });
  return { kind: 'mark', object: strategy.markDeleting?.(marked) ?? marked };
}

/** Whether an update releases an object that is being deleted: nothing holds it any more. */
export function isReleased(object: ApiObject, strategy: Strategy): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0 || strategy.isHeld?.(object) === true) return false;
  return deletionGracePeriodSeconds === 0;
}
