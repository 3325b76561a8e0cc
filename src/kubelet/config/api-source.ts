/** The API server as a source of desired pods: list-watch of the pods bound to this node. */
import { type Pod, PODS } from '../../api/index.ts';
import type { Change, Informers, KubeClient, Lister } from '../../client/index.ts';
import type { Clock, Logger, Timer } from '../../lib/index.ts';
import type { PodUID } from '../types.ts';
import { Absence } from './absence.ts';
import type { DesiredPods } from './desired-pods.ts';
import { ABSENCE_RETRY_MS } from './limits.ts';
import { isMirrorPod } from './mirror-pods.ts';

/** The grace period of a pod that no source knows (upstream: the shortest grace there is). */
const FORCED_GRACE_PERIOD_SECONDS = 1;

export interface ApiSourceOptions {
  /** Where the watch of the node's pods is shared. */
  readonly informers: Informers;
  /** Asks for single pods that are missing in a list. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly nodeName: string;
  readonly desired: DesiredPods;
  /** Takes the mirrors of static pods, which are never run. */
  readonly mirrors: { put(pod: Pod): void; remove(pod: Pod): void };
  /** The server has said whether a pod that it does not list is gone. */
  readonly onAbsence: (uid: PodUID) => void;
}

export interface ApiSource {
  readonly lister: Lister<Pod>;
  /** The server can be reached again. */
  retryNow(): void;
  /** True once the server itself has said that a pod which it does not list is gone; until then it is asked. */
  isGone(uid: PodUID, namespace: string, name: string): boolean;
  /** Hears of pods, and asks for missing ones, until the signal is aborted; the informers run beside it. */
  run(signal: AbortSignal): Promise<void>;
}

export function createApiSource(options: ApiSourceOptions): ApiSource {
  const seat = options.desired.addSource('api');
  const pods = options.informers.take(PODS, { fieldSelector: `spec.nodeName=${options.nodeName}` });
  const absence = new Absence({
    ...options,
    onAnswer: (uid) => {
      doubts.answered(uid);
      options.onAbsence(uid);
    },
  });
  const doubts = new Doubts(absence, options.clock, (pod) => seat.remove(forced(pod)));
  const apply = (change: Change<Pod>): void => {
    if (isMirrorPod(change.object)) {
      if (change.type === 'delete') options.mirrors.remove(change.object);
      else options.mirrors.put(change.object);
      return;
    }
    if (change.type === 'delete') {
      if (change.unseen === true) doubts.add(change.object);
      else seat.remove(forced(change.object));
      return;
    }
    doubts.settle(change.object.metadata?.uid ?? '');
    // A pod deleted and made again under its name is another pod: the first one has gone unseen.
    const { previous } = change;
    if (previous !== undefined && previous.metadata?.uid !== change.object.metadata?.uid) seat.remove(forced(previous));
    seat.put(change.object);
  };
  pods.onChange(apply);
  return {
    lister: pods,
    retryNow: () => pods.retryNow(),
    isGone: (uid, namespace, name) => {
      if (pods.get(namespace, name) !== undefined || absence.isGone(uid, namespace, name)) {
        absence.forget(uid);
        return true;
      }
      return false;
    },
    run: async (signal) => {
      signal.addEventListener('abort', () => doubts.clear(), { once: true });
      await pods.waitForSync(signal).then(
        () => seat.markSynced(),
        () => {},
      );
    },
  };
}

interface Doubt {
  readonly pod: Pod;
  timer?: Timer;
}

/** Pods that a list did not have any more, until the server has said of each by its name that it is gone. */
class Doubts {
  readonly #absence: Absence;
  readonly #clock: Clock;
  readonly #remove: (pod: Pod) => void;
  readonly #doubts = new Map<PodUID, Doubt>();

  constructor(absence: Absence, clock: Clock, remove: (pod: Pod) => void) {
    this.#absence = absence;
    this.#clock = clock;
    this.#remove = remove;
  }

  add(pod: Pod): void {
    const uid = pod.metadata?.uid ?? '';
    const doubt: Doubt = { pod };
    this.#doubts.set(uid, doubt);
    this.#ask(uid, doubt);
  }

  /** The server has spoken of this pod. */
  answered(uid: PodUID): void {
    const doubt = this.#doubts.get(uid);
    if (doubt !== undefined) this.#ask(uid, doubt);
  }

  settle(uid: PodUID): void {
    this.#doubts.get(uid)?.timer?.cancel();
    this.#doubts.delete(uid);
    this.#absence.forget(uid);
  }

  clear(): void {
    for (const uid of this.#doubts.keys()) this.settle(uid);
  }

  #ask(uid: PodUID, doubt: Doubt): void {
    const { namespace = '', name = '' } = doubt.pod.metadata ?? {};
    if (this.#absence.isGone(uid, namespace, name)) {
      this.settle(uid);
      this.#remove(doubt.pod);
      return;
    }
    doubt.timer?.cancel();
    doubt.timer = this.#clock.setTimer(ABSENCE_RETRY_MS, () => this.#ask(uid, doubt));
  }
}

/** An object that goes while its containers run was deleted by force: they get a small grace, as documented. */
function forced(pod: Pod): Pod {
  const asked = pod.metadata?.deletionGracePeriodSeconds ?? FORCED_GRACE_PERIOD_SECONDS;
  const deletionGracePeriodSeconds = Math.min(asked, FORCED_GRACE_PERIOD_SECONDS);
  return { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds } };
}
