/**
 * Keeps the promises of a decision before the pod is bound: reserves free volumes, tells provisioners the selected node, and
 * waits until all claims of the pod are bound. Upstream: the PreBind of VolumeBinding.
 */
import {
  isDeleting,
  isNotFound,
  nameOf,
  namespacedName,
  namespaceOf,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolumeClaim,
  SELECTED_NODE,
  uidOf,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { type Clock, errorMessage, type Timer } from '../../lib/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import type { VolumePromise, VolumePromises } from '../cluster/volume-promises.ts';
import { isBound, reaches } from '../filter/claims.ts';
import { REFUSED_NODE_MS, VOLUME_BIND_TIMEOUT_MS } from '../limits.ts';
import type { SchedulerSources } from '../sources.ts';

export type VolumeOutcome =
  | { readonly kind: 'bound' }
  /** The pod is gone, or is being deleted. */
  | { readonly kind: 'not-ours' }
  /** In upstream's words. */
  | { readonly kind: 'failed'; readonly message: string };

export interface ClaimBinderPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called when a node may be chosen again that could not make a volume. */
  readonly onForgotten: () => void;
}

/** A pod that waits for its claims. */
interface Wait {
  readonly info: PodInfo;
  readonly nodeName: string;
  readonly promises: readonly VolumePromise[];
  /** Claim → the version of our write; the promise is judged by what the watch shows from there on. */
  readonly written: ReadonlyMap<string, string>;
  readonly settle: (outcome: VolumeOutcome) => void;
}

export class ClaimBinder {
  readonly #ports: ClaimBinderPorts;
  readonly #cluster: Cluster;
  readonly #sources: SchedulerSources;
  readonly #promises: VolumePromises;
  readonly #waits = new Set<Wait>();
  #forgetting: Timer | undefined;

  constructor(ports: ClaimBinderPorts, cluster: Cluster, sources: SchedulerSources, promises: VolumePromises) {
    this.#ports = ports;
    this.#cluster = cluster;
    this.#sources = sources;
    this.#promises = promises;
    ports.signal.addEventListener('abort', () => this.#forgetting?.cancel(), { once: true });
  }

  /** Looks again at the pods that wait; `concerns` is `namespace/name` of a claim or pod that changed; undefined: at all. */
  poke(concerns?: string): void {
    for (const wait of this.#waits) {
      const { info } = wait;
      const isConcerned =
        concerns === undefined ||
        info.key === concerns ||
        info.claims.some((name) => `${info.namespace}/${name}` === concerns);
      const outcome = isConcerned ? this.#judge(wait) : undefined;
      if (outcome !== undefined) wait.settle(outcome);
    }
  }

  /** Never rejects. The pod's promises end with it. */
  async bind(info: PodInfo, nodeName: string, promises: readonly VolumePromise[]): Promise<VolumeOutcome> {
    try {
      const written = new Map<string, string>();
      for (const promise of promises) written.set(namespacedName(promise.claim), await this.#write(promise));
      return await this.#wait({ info, nodeName, promises, written });
    } catch (error) {
      if (isNotFound(error)) return { kind: 'not-ours' };
      return failed(errorMessage(error));
    } finally {
      this.#promises.end(info.key);
    }
  }

  /** @returns the version that shows the write */
  async #write({ claim, nodeName, volume }: VolumePromise): Promise<string> {
    const { client, signal } = this.#ports;
    if (volume === undefined) {
      const metadata = { uid: uidOf(claim), annotations: { [SELECTED_NODE]: nodeName } };
      const [namespace, name] = [namespaceOf(claim), nameOf(claim)];
      const known = claim.metadata?.annotations?.[SELECTED_NODE] === nodeName;
      if (known) return claim.metadata?.resourceVersion ?? '';
      const patched = await client.patch(
        PERSISTENT_VOLUME_CLAIMS,
        namespace,
        name,
        'merge',
        { metadata },
        undefined,
        signal,
      );
      return patched.metadata?.resourceVersion ?? '';
    }
    const found = this.#cluster.volume(volume);
    if (found === undefined) throw new Error(`persistentvolume "${volume}" not found`);
    const claimRef = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: namespaceOf(claim),
      name: nameOf(claim),
      uid: uidOf(claim),
    };
    // Two claims must not get one volume: only the version that was looked at is changed.
    const { resourceVersion } = found.metadata ?? {};
    const annotations = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
    const metadata = { uid: uidOf(found), resourceVersion, annotations };
    const patch = { metadata, spec: { claimRef } };
    const patched = await client.patch(PERSISTENT_VOLUMES, undefined, volume, 'merge', patch, undefined, signal);
    return patched.metadata?.resourceVersion ?? '';
  }

  async #wait(given: Omit<Wait, 'settle'>): Promise<VolumeOutcome> {
    const { clock, signal } = this.#ports;
    const { promise, resolve } = Promise.withResolvers<VolumeOutcome>();
    const wait: Wait = { ...given, settle: resolve };
    const first = this.#judge(wait);
    if (first !== undefined) return first;
    this.#waits.add(wait);
    const timer = clock.setTimer(VOLUME_BIND_TIMEOUT_MS, () => resolve(failed('context deadline exceeded')));
    const onAbort = (): void => resolve({ kind: 'not-ours' });
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await promise;
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
      this.#waits.delete(wait);
    }
  }

  /** Undefined: it is not decided yet. Upstream: checkBindings. */
  #judge(wait: Wait): VolumeOutcome | undefined {
    const { info, nodeName, promises } = wait;
    const pod = this.#sources.pods.getByKey(info.key);
    if (pod === undefined || uidOf(pod) !== info.uid || isDeleting(pod)) return { kind: 'not-ours' };
    const node = this.#cluster.node(nodeName)?.node;
    if (node === undefined) return failed(`node "${nodeName}" not found`);
    let isWaiting = false;
    for (const name of info.claims) {
      const claim = this.#cluster.claim(info.namespace, name);
      if (claim === undefined) return failed(`persistentvolumeclaim "${name}" not found`);
      if (!isBound(claim)) {
        const broken = this.#whyBroken(wait, claim);
        if (broken !== undefined) {
          const promise = promises.find((each) => uidOf(each.claim) === uidOf(claim));
          if (promise?.volume === undefined) this.#refuse(claim, nodeName);
          return failed(broken);
        }
        isWaiting = true;
        continue;
      }
      const volume = this.#cluster.volume(claim.spec?.volumeName ?? '');
      if (volume === undefined) isWaiting = true;
      else if (!reaches(node, volume))
        return failed(
          `pv "${nameOf(volume)}" node affinity doesn't match node "${nodeName}": no matching NodeSelectorTerms`,
        );
    }
    return isWaiting ? undefined : { kind: 'bound' };
  }

  /** Nothing happens when the time of a refusal is over; without the timer a pod that fits nowhere else would wait on. */
  #refuse(claim: PersistentVolumeClaim, nodeName: string): void {
    const { clock, onForgotten } = this.#ports;
    this.#promises.refuse(claim, nodeName);
    this.#forgetting?.cancel();
    this.#forgetting = clock.setTimer(REFUSED_NODE_MS, onForgotten);
  }

  /** Whether what was written for an unbound claim has been taken back. */
  #whyBroken({ nodeName, promises, written }: Wait, claim: PersistentVolumeClaim): string | undefined {
    const promise = promises.find((each) => uidOf(each.claim) === uidOf(claim));
    if (promise === undefined) return `PVC "${namespacedName(claim)}" is not bound any more`;
    const version = written.get(namespacedName(claim)) ?? '';
    if (promise.volume !== undefined) {
      if (!this.#sources.volumes.reached(version)) return undefined;
      const isOurs = this.#cluster.volume(promise.volume)?.spec?.claimRef?.uid === uidOf(claim);
      return isOurs ? undefined : `volume "${promise.volume}" is not available for PVC "${nameOf(claim)}" any more`;
    }
    if (!this.#sources.claims.reached(version)) return undefined;
    const isSelected = claim.metadata?.annotations?.[SELECTED_NODE] === nodeName;
    return isSelected ? undefined : `provisioning failed for PVC "${nameOf(claim)}"`;
  }
}

function failed(why: string): VolumeOutcome {
  return { kind: 'failed', message: `running PreBind plugin "VolumeBinding": binding volumes: ${why}` };
}
