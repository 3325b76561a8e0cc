/**
 * What a DELETE does to an object, decided without doing it (upstream: rest.BeforeDelete, generic Store.Delete).
 *
 *   no grace, no finalizers → remove     grace > 0 or finalizers → mark (deletionTimestamp) and wait
 *   marked: a shorter grace moves the deadline, a longer one changes nothing, grace 0 without finalizers removes
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

export interface DeletionRequest {
  readonly gracePeriodSeconds: number | undefined;
  /** Wall ms. */
  readonly now: number;
}

export function planDeletion(object: ApiObject, strategy: Strategy, request: DeletionRequest): DeletionStep {
  const held = (object.metadata.finalizers ?? []).length > 0 || strategy.isHeld?.(object) === true;
  const grace = planGrace(object, strategy, request);
  if (grace === 'pending') return { kind: 'wait' };
  if (grace !== undefined && (grace.deletionGracePeriodSeconds ?? 0) > 0) return mark(object, strategy, grace);
  if (!held) return { kind: 'remove' };
  if (grace !== undefined) return mark(object, strategy, grace);
  if (object.metadata.deletionTimestamp !== undefined) return { kind: 'wait' };
  return mark(object, strategy, { deletionTimestamp: formatTime(request.now), deletionGracePeriodSeconds: 0 });
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

/** Whether an update lets go of an object that is being deleted: nothing holds it any more. */
export function isReleased(object: ApiObject, strategy: Strategy): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0 || strategy.isHeld?.(object) === true) return false;
  return deletionGracePeriodSeconds === 0;
}
