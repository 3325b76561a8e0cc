/**
 * Mirror pods: the API server's view of static pods. Each mirror is kept equal to its static pod, created again when somebody
 * deletes it, and removed with it. Nothing here touches a container. Upstream: pkg/kubelet/pod/mirror_client.go.
 */
import { isAlreadyExists, isNotFound, type Node, type Pod, PODS } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import {
  type Clock,
  ConnectionError,
  errorMessage,
  type Logger,
  runWorkQueue,
  withDeadline,
  WorkQueue,
} from '../../lib/index.ts';
import { isStaticPod } from '../pods/static-pods.ts';
import type { DesiredPods } from './desired-pods.ts';
import { MIRROR_BACK_OFF, MIRROR_CALL_TIMEOUT_MS, MIRROR_PERIOD_MS } from './limits.ts';
import { CONFIG_HASH, CONFIG_MIRROR } from './static-pod.ts';

export interface MirrorPodsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly client: KubeClient;
  readonly desired: DesiredPods;
  /** The node as the server has it; `undefined`: not registered yet. */
  readonly node: () => Node | undefined;
  /** A mirror came, changed or went. */
  readonly onChange: (staticUid: string) => void;
}

export function isMirrorPod({ metadata }: Pod): boolean {
  return metadata?.annotations?.[CONFIG_MIRROR] !== undefined;
}

export class MirrorPods {
  readonly #options: MirrorPodsOptions;
  /** Mirror pods of this node as the server has them, by full name. */
  readonly #mirrors = new Map<string, Pod>();
  readonly #queue: WorkQueue<string>;

  constructor(options: MirrorPodsOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock, backOff: MIRROR_BACK_OFF });
  }

  /** From the API source: pods that are mirrors are never run. */
  put(pod: Pod): void {
    this.#mirrors.set(fullName(pod), pod);
    this.#told(pod);
  }

  remove(pod: Pod): void {
    const known = this.#mirrors.get(fullName(pod));
    if (known?.metadata?.uid === pod.metadata?.uid) this.#mirrors.delete(fullName(pod));
    this.#told(pod);
  }

  /** The mirror of this very static pod; `undefined`: there is none (yet). */
  of(pod: Pod): Pod | undefined {
    const mirror = this.#mirrors.get(fullName(pod));
    return mirror !== undefined && mirror.metadata?.deletionTimestamp === undefined && shows(mirror, pod)
      ? mirror
      : undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#queue.close(), { once: true });
    const handling = runWorkQueue({
      queue: this.#queue,
      concurrency: 2,
      handler: (name) => this.#reconcile(name, signal),
      onPanic: (name, error) => this.#options.logger.error('keeping a mirror pod broke', { pod: name, error }),
    });
    await Promise.all([handling, this.#sweep(signal)]);
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const { pod } of this.#statics()) this.#queue.add(fullName(pod));
      if (this.#options.desired.synced()) for (const name of this.#mirrors.keys()) this.#queue.add(name);
      await this.#options.clock.sleep(MIRROR_PERIOD_MS, signal).catch(() => {});
    }
  }

  /** A static pod came or went. */
  changed(pod: Pod): void {
    if (isStaticPod(pod)) this.#queue.add(fullName(pod));
  }

  #told(mirror: Pod): void {
    this.#queue.add(fullName(mirror));
    this.#options.onChange(mirror.metadata?.annotations?.[CONFIG_MIRROR] ?? '');
  }

  #statics() {
    return this.#options.desired.all().filter(({ pod, wanted }) => wanted && isStaticPod(pod));
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<'retry' | void> {
    const wanted = this.#statics().find(({ pod }) => fullName(pod) === name)?.pod;
    const mirror = this.#mirrors.get(name);
    try {
      if (mirror !== undefined && (wanted === undefined || isDeleted(mirror) || !shows(mirror, wanted))) {
        // Until all files are read, a mirror without a static pod means nothing.
        if (wanted === undefined && !this.#options.desired.synced()) return;
        await this.#delete(mirror, signal);
      }
      if (wanted !== undefined && this.of(wanted) === undefined) return await this.#create(wanted, signal);
    } catch (error) {
      if (signal.aborted) return;
      const fields = { pod: name, error: errorMessage(error) };
      if (error instanceof ConnectionError) this.#options.logger.debug('the mirror pod has to wait', fields);
      else this.#options.logger.warn('the mirror pod cannot be kept', fields);
      return 'retry';
    }
  }

  async #delete(mirror: Pod, signal: AbortSignal): Promise<void> {
    const { name = '', namespace, uid } = mirror.metadata ?? {};
    const options = { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) };
    try {
      await this.#call(signal, (callSignal) => this.#options.client.delete(PODS, namespace, name, options, callSignal));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (this.#mirrors.get(fullName(mirror))?.metadata?.uid === uid) this.#mirrors.delete(fullName(mirror));
  }

  async #create(pod: Pod, signal: AbortSignal): Promise<'retry' | void> {
    const node = this.#options.node();
    if (node === undefined) return 'retry';
    try {
      const created = await this.#call(signal, (callSignal) =>
        this.#options.client.create<Pod>(PODS, mirrorOf(pod, node), callSignal),
      );
      this.#mirrors.set(fullName(created), created);
      this.#options.onChange(pod.metadata?.uid ?? '');
    } catch (error) {
      // The pod of this name is either our own from an earlier life, which the watch will show, or another client's, which
      // keeps the name.
      if (isAlreadyExists(error)) return 'retry';
      throw error;
    }
  }

  async #call<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const result = await withDeadline({ clock, timeoutMs: MIRROR_CALL_TIMEOUT_MS, signal }, work);
    if (result.kind === 'done') return result.value;
    throw new ConnectionError(`no answer within ${MIRROR_CALL_TIMEOUT_MS} ms`);
  }
}

/** The object for the API server: the static pod under its own name, owned by the node. */
export function mirrorOf(pod: Pod, node: Node): Pod {
  const { name, namespace, labels, annotations } = pod.metadata ?? {};
  const { name: nodeName = '', uid: nodeUid = '' } = node.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [CONFIG_MIRROR]: annotations?.[CONFIG_HASH] ?? '' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid, controller: true }],
    },
    ...(pod.spec === undefined ? {} : { spec: pod.spec }),
  };
}

function shows(mirror: Pod, pod: Pod): boolean {
  return mirror.metadata?.annotations?.[CONFIG_MIRROR] === pod.metadata?.annotations?.[CONFIG_HASH];
}

function isDeleted(mirror: Pod): boolean {
  return mirror.metadata?.deletionTimestamp !== undefined;
}

function fullName({ metadata }: Pod): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}
