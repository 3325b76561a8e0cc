/**
 * Plans the next step for a StatefulSet: a pure function of the set, its revisions, its pods and the time.
 *
 *   OrderedReady   one step at a time, from the lowest ordinal; the first pod that is not Running, Ready and Available stops
 *                  everything after it: more creations, then scale-down (from the highest), then the update (from the highest)
 *   Parallel       creations and scale-down all at once; the update is still in order
 *
 * There is at most one pod of an identity: none is created while a pod of that name exists, whatever its owner and state. A pod
 * that is being deleted on a lost node stays until its end is confirmed.
 *
 * Upstream: updateStatefulSet, processReplica, processCondemned.
 */
import {
  isDeleting,
  nameOf,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  scaleIntOrPercent,
  type StatefulSet,
  type StatefulSetStatus,
} from '../../api/index.ts';
import { availableInMs, isPodTerminal } from '../pods/pod-state.ts';
import { claimNames, claimOwnership, claimsFor, isClaimStale, usesItsClaims } from './claims.ts';
import { identityLabels, isWanted, memberName, ordinalIn, revisionNameOf, wantedOrdinals } from './identity.ts';
import { isHeldBack, newMember } from './new-member.ts';
import { isAvailable, isRunningAndReady, type SetRevisions, statefulSetStatus } from './stateful-set-status.ts';

export interface StatefulSetView {
  readonly set: StatefulSet;
  readonly revisions: SetRevisions;
  /** The set's own. */
  readonly pods: readonly Pod[];
  /** A pod of that name in the set's namespace that is not the set's. */
  foreignPod(name: string): Pod | undefined;
  /** A claim in the set's namespace. */
  claim(name: string): PersistentVolumeClaim | undefined;
  /** How long a pod of this name that ended waits before another takes its place, ms. */
  failureWaitMs(name: string): number;
  /** Wall ms. */
  readonly now: number;
}

export type Step =
  /** Its claims first. */
  | { readonly kind: 'create'; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[] }
  | { readonly kind: 'delete'; readonly pod: Pod }
  /** Gives a pod the labels of its identity. */
  | { readonly kind: 'label'; readonly pod: Pod; readonly labels: Readonly<Record<string, string>> }
  /** Makes claims that a pod waits for. */
  | { readonly kind: 'claim'; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[] }
  | { readonly kind: 'own'; readonly claim: PersistentVolumeClaim; readonly owners: readonly OwnerReference[] }
  /** Another controller controls the claim: the retention policy can't be followed. */
  | { readonly kind: 'conflict'; readonly claim: PersistentVolumeClaim }
  /** Nothing can be done, and a person should know. */
  | { readonly kind: 'complain'; readonly pod: Pod; readonly verb: 'create' | 'update'; readonly message: string };

export interface StatefulSetPlan {
  /** May be done side by side when `parallel`; else in this order, none after one that failed. */
  readonly steps: readonly Step[];
  readonly parallel: boolean;
  readonly status: StatefulSetStatus;
  /** Time alone may change the plan then. */
  readonly wakeAfterMs?: number;
  /** The reason why it waits, if it does. */
  readonly why?: string;
}

export function planStatefulSet(view: StatefulSetView): StatefulSetPlan {
  const { set, pods, now } = view;
  const parallel = set.spec?.podManagementPolicy === 'Parallel';
  const status = statefulSetStatus(view);
  const waits = pods.flatMap((pod) => availableInMs(pod, set.spec?.minReadySeconds ?? 0, now) || []);
  if (isDeleting(set)) return { steps: [], parallel, status, ...earliest(waits) };
  const progress = new Progress(view, parallel);
  const { steps, why, waitsMs } = progress.run();
  return { steps, parallel, status, ...earliest([...waits, ...waitsMs]), ...(why === undefined ? {} : { why }) };
}

function earliest(waitsMs: readonly number[]): Pick<StatefulSetPlan, 'wakeAfterMs'> {
  return waitsMs.length === 0 ? {} : { wakeAfterMs: Math.min(...waitsMs) };
}

/** One ordinal that is wanted: the pod that is there, or the one to be made. */
interface Slot {
  readonly ordinal: number;
  readonly pod: Pod;
  readonly exists: boolean;
}

class Progress {
  readonly #view: StatefulSetView;
  readonly #parallel: boolean;
  readonly #steps: Step[] = [];
  readonly #waitsMs: number[] = [];
  #why: string | undefined;

  constructor(view: StatefulSetView, parallel: boolean) {
    this.#view = view;
    this.#parallel = parallel;
  }

  run(): { readonly steps: readonly Step[]; readonly why: string | undefined; readonly waitsMs: readonly number[] } {
    const { set, pods } = this.#view;
    const slots = this.#slots();
    const condemned = pods
      .flatMap((pod) => {
        const ordinal = ordinalIn(set, pod);
        return ordinal === undefined || isWanted(set, ordinal) ? [] : [{ ordinal, pod, exists: true }];
      })
      .toSorted((a, b) => b.ordinal - a.ordinal);
    void (this.#fill(slots) || this.#ownCondemned(condemned) || this.#shrink(slots, condemned) || this.#update(slots));
    return { steps: this.#steps, why: this.#why, waitsMs: this.#waitsMs };
  }

  #slots(): readonly Slot[] {
    const { set, pods, revisions, now } = this.#view;
    const { current, update } = revisions;
    const { start, count } = wantedOrdinals(set);
    const byName = new Map(pods.map((pod) => [nameOf(pod), pod]));
    const notUpdated = pods.filter((pod) => !isDeleting(pod) && revisionNameOf(pod) === nameOf(current)).length;
    return Array.from({ length: count }, (_, position) => {
      const ordinal = start + position;
      const pod = byName.get(memberName(set, ordinal));
      if (pod !== undefined) return { ordinal, pod, exists: true };
      const revision = isHeldBack(set, ordinal, notUpdated) ? current : update;
      return { ordinal, pod: newMember(set, ordinal, revision, now), exists: false };
    });
  }

  #unavailable({ pod, exists }: Slot): boolean {
    return !exists || isDeleting(pod) || !isAvailable(this.#view.set, pod, this.#view.now);
  }

  /** Remembers what the first obstacle was; true: nothing more this time. */
  #wait(why: string): true {
    this.#why ??= why;
    return true;
  }

  /** Wanted ordinals: made, replaced, repaired. */
  #fill(slots: readonly Slot[]): boolean {
    for (const slot of slots) {
      if (this.#fillOne(slot) && !this.#parallel) return true;
    }
    return false;
  }

  #fillOne(slot: Slot): boolean {
    const { set, now } = this.#view;
    const { pod, exists, ordinal } = slot;
    const name = nameOf(pod);
    if (!exists) return this.#make(slot);
    if (isPodTerminal(pod)) {
      if (!isDeleting(pod)) {
        const waitMs = this.#view.failureWaitMs(name);
        if (waitMs > 0) {
          this.#waitsMs.push(waitMs);
          return this.#wait(`the back-off of Pod ${name}, which failed again`);
        }
        this.#steps.push({ kind: 'delete', pod });
      }
      return this.#wait(`Pod ${name} ended and must be gone before it is made again`);
    }
    if (pod.status?.phase === 'Pending') this.#claimFor(slot);
    if (isDeleting(pod)) return this.#wait(`Pod ${name} to terminate`);
    if (!isRunningAndReady(pod)) return this.#wait(`Pod ${name} to be Running and Ready`);
    if (!isAvailable(set, pod, now)) return this.#wait(`Pod ${name} to be Available`);
    this.#repair(pod, ordinal);
    return false;
  }

  #make({ pod, ordinal }: Slot): true {
    const { set } = this.#view;
    const name = nameOf(pod);
    if (this.#view.foreignPod(name) !== undefined) {
      const message = `pods "${name}" already exists`;
      this.#steps.push({ kind: 'complain', pod, verb: 'create', message });
      return this.#wait(`the name ${name}, which another pod has`);
    }
    const missing: PersistentVolumeClaim[] = [];
    for (const claim of claimsFor(set, ordinal)) {
      const existing = this.#view.claim(nameOf(claim));
      if (existing === undefined) missing.push(claim);
      else if (isClaimStale(set, name, existing))
        return this.#wait(`PersistentVolumeClaim ${nameOf(claim)} of an earlier pod to go`);
      else if (isDeleting(existing)) {
        const message = `pvc ${nameOf(claim)} is being deleted`;
        this.#steps.push({ kind: 'complain', pod, verb: 'create', message });
        return this.#wait(`PersistentVolumeClaim ${nameOf(claim)} to go`);
      } else if (claimOwnership(set, ordinal, undefined, existing).conflicting)
        this.#steps.push({ kind: 'conflict', claim: existing });
    }
    this.#steps.push({ kind: 'create', pod, claims: missing });
    return this.#wait(`Pod ${name} to be Running and Ready`);
  }

  /** A pod can't start without its claims: deleted ones are created again, and all get their owner. */
  #claimFor({ pod, ordinal }: Slot): void {
    const { set } = this.#view;
    const missing = claimsFor(set, ordinal).filter((claim) => this.#view.claim(nameOf(claim)) === undefined);
    if (missing.length > 0 && !isDeleting(pod)) this.#steps.push({ kind: 'claim', pod, claims: missing });
    this.#own(pod, ordinal);
  }

  #repair(pod: Pod, ordinal: number): void {
    const { set } = this.#view;
    const labels = identityLabels(set, ordinal);
    const wrong = Object.entries(labels).some(([key, value]) => pod.metadata?.labels?.[key] !== value);
    if (wrong) this.#steps.push({ kind: 'label', pod, labels });
    if (!usesItsClaims(set, ordinal, pod)) {
      // Adopted without them: only another pod of this name can have them.
      const message = 'spec.volumes: the claims of the set are not among them, and volumes of a pod never change';
      this.#steps.push({ kind: 'complain', pod, verb: 'update', message });
    }
    this.#own(pod, ordinal);
  }

  #own(pod: Pod, ordinal: number): void {
    const { set } = this.#view;
    for (const name of claimNames(set, ordinal)) {
      const claim = this.#view.claim(name);
      if (claim === undefined) continue;
      const { change } = claimOwnership(set, ordinal, pod, claim);
      if (change !== undefined) this.#steps.push({ kind: 'own', claim, owners: change });
    }
  }

  /** Claims that shall go with their pods must be the pods' before these are deleted. */
  #ownCondemned(condemned: readonly Slot[]): boolean {
    for (const { pod, ordinal } of condemned) this.#own(pod, ordinal);
    return this.#steps.some(({ kind }) => kind === 'own') && condemned.length > 0;
  }

  #shrink(slots: readonly Slot[], condemned: readonly Slot[]): boolean {
    const unhealthy = [...slots, ...condemned.toReversed()].find((slot) => this.#unavailable(slot));
    for (const slot of condemned) {
      const { pod } = slot;
      if (isDeleting(pod)) {
        if (this.#parallel) continue;
        return this.#wait(`Pod ${nameOf(pod)} to terminate before the scale-down goes on`);
      }
      if (!this.#parallel && this.#unavailable(slot) && slot !== unhealthy)
        return this.#wait(`Pod ${nameOf(unhealthy?.pod ?? pod)} to be Running and Ready before the scale-down goes on`);
      this.#steps.push({ kind: 'delete', pod });
      if (!this.#parallel) return this.#wait(`Pod ${nameOf(pod)} to terminate`);
    }
    return false;
  }

  /** From the highest ordinal down to the partition. */
  #update(slots: readonly Slot[]): boolean {
    const { set, revisions } = this.#view;
    const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
    if (type !== 'RollingUpdate') return false;
    const partition = rollingUpdate?.partition ?? 0;
    const targets = slots.slice(partition).toReversed();
    const isOld = ({ pod }: Slot): boolean => revisionNameOf(pod) !== nameOf(revisions.update);
    const maxUnavailable = rollingUpdate?.maxUnavailable;
    if (maxUnavailable === undefined) {
      for (const slot of targets) {
        if (isOld(slot) && !isDeleting(slot.pod)) return this.#replace(slot);
        if (this.#unavailable(slot)) return this.#wait(`Pod ${nameOf(slot.pod)} to be updated`);
      }
      return false;
    }
    // A pod that is unavailable anyway costs nothing: a bad update is replaced however little may be unavailable.
    let budget = Math.max(1, scaleIntOrPercent(maxUnavailable, slots.length, 'down'));
    budget -= slots.filter((slot) => this.#unavailable(slot)).length;
    for (const slot of targets) {
      if (!isOld(slot) || isDeleting(slot.pod)) continue;
      if (!this.#unavailable(slot)) {
        if (budget <= 0) return this.#wait('fewer Pods to be unavailable');
        budget -= 1;
      }
      this.#replace(slot);
    }
    return false;
  }

  #replace({ pod, exists }: Slot): boolean {
    // One that is about to be made is of the right revision by itself, and one that ended is being deleted.
    if (exists && !isPodTerminal(pod)) this.#steps.push({ kind: 'delete', pod });
    return this.#wait(`Pod ${nameOf(pod)} to be updated`);
  }
}
