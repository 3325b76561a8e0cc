/**
 * Plans the next step for a DaemonSet: a pure function of the set, the nodes, its pods and the time. First every node gets
 * the pods that it should have; only when nothing is left to do there, the update continues. Upstream: podsShouldBeOnNode,
 * rollingUpdate, updateDaemonSetStatus.
 */
import {
  type DaemonSet,
  type DaemonSetStatus,
  isDeleting,
  nameOf,
  type Node,
  type Pod,
  scaleIntOrPercent,
} from '../../api/index.ts';
import { availableInMs, isPodReady, isPodTerminal } from '../pods/pod-state.ts';
import { hashOf, targetNodeOf } from './daemon-pod.ts';
import { type Fitness, nodeFitness } from './node-fitness.ts';

export interface DaemonSetView {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** The set's own. */
  readonly pods: readonly Pod[];
  /** Hashes of the newest template: a pod with one of them is up to date. */
  readonly hashes: ReadonlySet<string>;
  readonly collisionCount: number;
  /** How long a failed pod on this node still has to wait before it is replaced, ms. */
  failureWaitMs(nodeName: string): number;
  /** Wall ms. */
  readonly now: number;
}

export interface EndedPod {
  readonly pod: Pod;
  readonly nodeName: string;
}

export interface DaemonSetPlan {
  /** Names of nodes that get a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
  /** Those among the deleted that ended by themselves. */
  readonly ended: readonly EndedPod[];
  readonly status: DaemonSetStatus;
  /** Time alone may change the plan then. */
  readonly wakeAfterMs?: number;
}

export function planDaemonSet(view: DaemonSetView): DaemonSetPlan {
  const placed = new Placement(view);
  const wake = placed.wakeAfterMs();
  const { set } = view;
  const rolling = set.spec?.updateStrategy?.type === 'RollingUpdate';
  const placing = placed.place();
  const idle = placing.create.length + placing.delete.length === 0;
  const steps = idle && rolling ? { ...placing, ...placed.update() } : placing;
  const waits = [wake, placing.wakeAfterMs].flatMap((ms) => ms ?? []);
  return {
    create: steps.create,
    delete: steps.delete,
    ended: placing.ended,
    status: placed.status(),
    ...(waits.length === 0 ? {} : { wakeAfterMs: Math.min(...waits) }),
  };
}

interface Placing extends Pick<DaemonSetPlan, 'create' | 'delete' | 'ended'> {
  readonly wakeAfterMs: number | undefined;
}

class Placement {
  readonly #view: DaemonSetView;
  readonly #fitness: ReadonlyMap<string, Fitness>;
  /** Node name → pods on it or meant for it, the one that counts first. */
  readonly #podsOn: ReadonlyMap<string, readonly Pod[]>;
  readonly #minReadySeconds: number;
  readonly #desired: number;
  readonly #maxSurge: number;
  readonly #maxUnavailable: number;

  constructor(view: DaemonSetView) {
    this.#view = view;
    const { set, nodes, pods } = view;
    this.#fitness = new Map(nodes.map((node) => [nameOf(node), nodeFitness(set, node)]));
    this.#podsOn = podsByNode(pods);
    this.#minReadySeconds = set.spec?.minReadySeconds ?? 0;
    this.#desired = [...this.#fitness.values()].filter(({ run }) => run).length;
    const { maxSurge = 0, maxUnavailable = 1 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
    this.#maxSurge = scaleIntOrPercent(maxSurge, this.#desired, 'up');
    const unavailable = scaleIntOrPercent(maxUnavailable, this.#desired, 'up');
    // Both zero (a share of few nodes) would never get on.
    this.#maxUnavailable = this.#maxSurge === 0 ? Math.max(1, unavailable) : unavailable;
  }

  #isAvailable(pod: Pod): boolean {
    return availableInMs(pod, this.#minReadySeconds, this.#view.now) === 0;
  }

  #isNew(pod: Pod): boolean {
    return this.#view.hashes.has(hashOf(pod));
  }

  #surges(): boolean {
    const { type, rollingUpdate } = this.#view.set.spec?.updateStrategy ?? {};
    const surge = rollingUpdate?.maxSurge ?? 0;
    return type === 'RollingUpdate' && surge !== 0 && surge !== '0%';
  }

  wakeAfterMs(): number | undefined {
    const waits = this.#view.pods.flatMap((pod) => availableInMs(pod, this.#minReadySeconds, this.#view.now) || []);
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  /** The pods that each node should have, whatever the update. */
  place(): Placing {
    const create: string[] = [];
    const doomed: Pod[] = [];
    const ended: EndedPod[] = [];
    const waits: number[] = [];
    for (const [nodeName, { run, stay }] of this.#fitness) {
      const pods = this.#podsOn.get(nodeName) ?? [];
      if (run && pods.length === 0) {
        create.push(nodeName);
        continue;
      }
      const living = pods.filter((pod) => !isDeleting(pod));
      if (!stay) {
        doomed.push(...living);
        continue;
      }
      const running: Pod[] = [];
      for (const pod of living) {
        if (!isPodTerminal(pod)) {
          running.push(pod);
          continue;
        }
        const waitMs = pod.status?.phase === 'Failed' ? this.#view.failureWaitMs(nodeName) : 0;
        if (waitMs > 0) {
          waits.push(waitMs);
          continue;
        }
        doomed.push(pod);
        ended.push({ pod, nodeName });
      }
      if (!this.#surges()) doomed.push(...running.slice(1));
      else if (running.length > 1) doomed.push(...this.#pruneSurged(running));
      // Where two may run side by side, a pod that is being deleted delays no other; one that failed and waits does.
      else if (running.length === 0 && run && living.length === 0) create.push(nodeName);
    }
    doomed.push(...this.#withoutNode());
    return { create, delete: doomed, ended, wakeAfterMs: waits.length === 0 ? undefined : Math.min(...waits) };
  }

  /** One old and one new pod may be side by side, until the new one can take over or the old one is no use anyway. */
  #pruneSurged(running: readonly Pod[]): readonly Pod[] {
    const newest = running.find((pod) => this.#isNew(pod));
    const oldest = running.find((pod) => !this.#isNew(pod));
    const surplus = running.filter((pod) => pod !== newest && pod !== oldest);
    if (newest === undefined || oldest === undefined) return surplus;
    return !isPodReady(oldest) || this.#isAvailable(newest) ? [...surplus, oldest] : surplus;
  }

  /** Never placed, and their node is gone: no kubelet and no pod GC will end them. */
  #withoutNode(): readonly Pod[] {
    return [...this.#podsOn]
      .filter(([nodeName]) => !this.#fitness.has(nodeName))
      .flatMap(([, pods]) => pods.filter((pod) => !pod.spec?.nodeName && !isDeleting(pod)));
  }

  update(): Pick<DaemonSetPlan, 'create' | 'delete'> {
    return this.#maxSurge === 0 ? { create: [], delete: this.#replace() } : this.#surge();
  }

  /** Deletes old pods, as many as may be unavailable; new ones follow when they are gone. */
  #replace(): readonly Pod[] {
    let unavailable = 0;
    const useless: Pod[] = [];
    const candidates: Pod[] = [];
    for (const pods of this.#podsOn.values()) {
      const pair = this.#pairOf(pods);
      if (pair === undefined || (pair.newPod === undefined) === (pair.oldPod === undefined)) unavailable += 1;
      else if (pair.newPod !== undefined) unavailable += this.#isAvailable(pair.newPod) ? 0 : 1;
      else if (pair.oldPod !== undefined && this.#isAvailable(pair.oldPod)) candidates.push(pair.oldPod);
      else if (pair.oldPod !== undefined) {
        useless.push(pair.oldPod);
        unavailable += 1;
      }
    }
    return [...useless, ...candidates.slice(0, Math.max(0, this.#maxUnavailable - unavailable))];
  }

  /** Makes new pods beside old ones, as many as there may be too many; an old one goes when its new one is available. */
  #surge(): Pick<DaemonSetPlan, 'create' | 'delete'> {
    const create: string[] = [];
    const candidates: string[] = [];
    const doomed: Pod[] = [];
    const misplaced: Pod[] = [];
    let surging = 0;
    let available = 0;
    for (const [nodeName, pods] of this.#podsOn) {
      const pair = this.#pairOf(pods);
      if (pair === undefined) {
        surging += 1;
        continue;
      }
      const { newPod, oldPod } = pair;
      const counted = oldPod ?? newPod;
      if (counted !== undefined && this.#isAvailable(counted)) available += 1;
      if (oldPod === undefined) continue;
      if (newPod !== undefined) {
        if (this.#isAvailable(newPod)) doomed.push(oldPod);
        else surging += 1;
        continue;
      }
      const run = this.#fitness.get(nodeName)?.run === true;
      if (this.#isAvailable(oldPod)) {
        if (run) candidates.push(nodeName);
        else misplaced.push(oldPod);
      } else if (run) create.push(nodeName);
      else doomed.push(oldPod);
    }
    return {
      create: [...create, ...candidates.slice(0, Math.max(0, this.#maxSurge - surging))],
      // A set that surges wants all of its pods available all the time: a pod that does not belong here is deleted when there
      // are enough others.
      delete: [...doomed, ...misplaced.slice(0, Math.max(0, available - this.#desired))],
    };
  }

  /** The one new and the one old pod of a node; undefined when there are more, which `place` sees to. */
  #pairOf(pods: readonly Pod[]): { readonly newPod: Pod | undefined; readonly oldPod: Pod | undefined } | undefined {
    const living = pods.filter((pod) => !isDeleting(pod));
    const newPods = living.filter((pod) => this.#isNew(pod));
    const oldPods = living.filter((pod) => !this.#isNew(pod));
    return newPods.length > 1 || oldPods.length > 1 ? undefined : { newPod: newPods[0], oldPod: oldPods[0] };
  }

  status(): DaemonSetStatus {
    const { set, collisionCount } = this.#view;
    let current = 0;
    let misscheduled = 0;
    let ready = 0;
    let available = 0;
    let updated = 0;
    for (const [nodeName, { run }] of this.#fitness) {
      const [pod] = this.#podsOn.get(nodeName) ?? [];
      if (pod === undefined) continue;
      if (!run) {
        misscheduled += 1;
        continue;
      }
      current += 1;
      if (isPodReady(pod)) ready += 1;
      if (this.#isAvailable(pod)) available += 1;
      if (this.#isNew(pod)) updated += 1;
    }
    const unavailable = this.#desired - available;
    const { generation } = set.metadata ?? {};
    const { conditions } = set.status ?? {};
    return {
      currentNumberScheduled: current,
      numberMisscheduled: misscheduled,
      desiredNumberScheduled: this.#desired,
      numberReady: ready,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(updated === 0 ? {} : { updatedNumberScheduled: updated }),
      ...(available === 0 ? {} : { numberAvailable: available }),
      ...(unavailable === 0 ? {} : { numberUnavailable: unavailable }),
      ...(collisionCount === 0 && set.status?.collisionCount === undefined ? {} : { collisionCount }),
      ...(conditions === undefined ? {} : { conditions }),
    };
  }
}

/** By the node that they are on or meant for; one that ended and is being deleted is as good as gone. */
function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods.toSorted(placedThenOldest)) {
    const nodeName = targetNodeOf(pod);
    if (nodeName === undefined || (isDeleting(pod) && isPodTerminal(pod))) continue;
    const others = byNode.get(nodeName);
    if (others === undefined) byNode.set(nodeName, [pod]);
    else others.push(pod);
  }
  return byNode;
}

function placedThenOldest(a: Pod, b: Pod): number {
  const unplaced = (pod: Pod): number => (pod.spec?.nodeName ? 0 : 1);
  return (
    unplaced(a) - unplaced(b) ||
    compare(a.metadata?.creationTimestamp ?? '', b.metadata?.creationTimestamp ?? '') ||
    compare(nameOf(a), nameOf(b))
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
