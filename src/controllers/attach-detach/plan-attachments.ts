/**
 * Decides for one volume on which nodes it is to be attached, and from which it may be detached (upstream:
 * pkg/controller/volume/attachdetach/reconciler). Pure.
 *
 * The order of steps keeps a node and this controller apart without a lock between them. A node first writes that it uses the
 * volume, and then reads whether it is listed as attached. This controller first takes the volume off that list, and then reads
 * whether the node uses it. So a volume is never detached while a node is about to mount it.
 */

/** `unmanaged`: its agent attaches by itself, or is too old to say what it uses. `gone`: there is no such Node. */
export type NodeState = 'heard' | 'unheard' | 'out-of-service' | 'unmanaged' | 'gone';

export type AttachmentState = 'absent' | 'attaching' | 'attached' | 'detaching';

/** One volume on one node. */
export interface PlaceFacts {
  readonly nodeName: string;
  /** Absent: no pod there needs the volume. */
  readonly wanted?: {
    /** False: its claim is gone or unbound, so that nothing new is attached. */
    readonly mayAttach: boolean;
    /** The volume's modes let several nodes have it. */
    readonly isShared: boolean;
  };
  readonly attachment: AttachmentState;
  readonly node: NodeState;
  /** The node says that it uses the volume, or has not said yet what it uses. */
  readonly isInUse: boolean;
  /** The Node's status lists the volume as attached, which lets its agent mount it. */
  readonly isListed: boolean;
  /** How long the node has been unheard while no pod there needed the volume, ms. */
  readonly unheardMs: number;
}

export type ForceReason = 'timeout' | 'out-of-service';

/**
 * What is next at one place:
 * - `none`, `keep`: nothing is to be done.
 * - `attach`: an attachment is made. `await-attach`: the driver's attacher is at work.
 * - `list`: the node is told that it is attached. `unlist`: it is told that it is not.
 * - `blocked`: another node has the volume. `await-detach`: the attachment is going.
 * - `detach`: the attachment is removed; `force`: although the node may still use the volume.
 * - `await-unmount`: the node still uses it; `forceInMs` absent: time alone does not help.
 */
export type Step =
  | { readonly kind: 'none' | 'keep' | 'attach' | 'await-attach' | 'list' | 'unlist' | 'await-detach' }
  | { readonly kind: 'blocked'; readonly by: readonly string[] }
  | { readonly kind: 'detach'; readonly force?: ForceReason }
  | { readonly kind: 'await-unmount'; readonly forceInMs?: number };

/**
 * By node. Of two nodes that could have the volume, the first of `places` gets it.
 * @param forceAfterMs undefined: an unheard node keeps its volumes until somebody says that it is out of service
 */
export function planAttachments(
  places: readonly PlaceFacts[],
  forceAfterMs: number | undefined,
): ReadonlyMap<string, Step> {
  const steps = new Map<string, Step>();
  const holders = places.filter(holds).toSorted((a, b) => rankOf(a) - rankOf(b));
  let owner = holders[0]?.nodeName;
  for (const place of places) {
    const { nodeName, wanted } = place;
    if (wanted === undefined || place.node === 'unmanaged') {
      steps.set(nodeName, stepWithoutPods(place, forceAfterMs));
      continue;
    }
    const others = new Set([...holders.map((each) => each.nodeName), ...(owner === undefined ? [] : [owner])]);
    others.delete(nodeName);
    const isFirst = owner === undefined || owner === nodeName;
    const isBarred =
      !wanted.isShared && (!isFirst || (place.attachment === 'attached' && isListedElsewhere(places, nodeName)));
    const step = stepWithPods(place, wanted.mayAttach, isBarred ? [...others] : []);
    if (step.kind === 'attach') owner ??= nodeName;
    steps.set(nodeName, step);
  }
  return steps;
}

/** The node has the volume, will have it, or was told that it may mount it. */
function holds({ attachment, isListed }: PlaceFacts): boolean {
  return attachment !== 'absent' || isListed;
}

function isListedElsewhere(places: readonly PlaceFacts[], but: string): boolean {
  return places.some(({ nodeName, isListed }) => isListed && nodeName !== but);
}

/**
 * Of several nodes that hold one volume, because somebody attached or detached it by hand, that with the lowest number has it.
 * One that is to be detached comes first: until that is done, no other may have it.
 */
function rankOf({ wanted, attachment, isListed }: PlaceFacts): number {
  if (wanted === undefined || attachment === 'detaching') return 0;
  if (attachment === 'absent') return 3;
  return isListed ? 1 : 2;
}

function stepWithPods(place: PlaceFacts, mayAttach: boolean, barredBy: readonly string[]): Step {
  const { attachment, isListed, node } = place;
  switch (attachment) {
    case 'absent':
      if (node === 'gone') return { kind: 'none' };
      if (!mayAttach) return { kind: isListed ? 'unlist' : 'none' };
      if (barredBy.length === 0) return { kind: 'attach' };
      return isListed ? { kind: 'unlist' } : { kind: 'blocked', by: barredBy };
    case 'attaching':
      return { kind: 'await-attach' };
    case 'attached':
      if (isListed || node === 'gone') return { kind: 'keep' };
      return barredBy.length > 0 ? { kind: 'blocked', by: barredBy } : { kind: 'list' };
    case 'detaching':
      return { kind: isListed ? 'unlist' : 'await-detach' };
  }
}

function stepWithoutPods(place: PlaceFacts, forceAfterMs: number | undefined): Step {
  const { attachment, node, isInUse, isListed, unheardMs } = place;
  if (!holds(place)) return { kind: 'none' };
  if (node === 'unmanaged') return { kind: 'keep' };
  if (attachment === 'detaching') return { kind: isListed ? 'unlist' : 'await-detach' };
  if (node === 'gone' || !isInUse) return { kind: 'detach' };
  if (node === 'out-of-service') return { kind: 'detach', force: 'out-of-service' };
  if (node === 'heard' || forceAfterMs === undefined) return { kind: 'await-unmount' };
  const forceInMs = forceAfterMs - unheardMs;
  return forceInMs <= 0 ? { kind: 'detach', force: 'timeout' } : { kind: 'await-unmount', forceInMs };
}
