/** Binds a pod to its node; after a binding without an answer it finds out whether the binding took effect. */
import { isConflict, isNotFound, PODS, StatusError } from '../api/index.ts';
import type { KubeClient } from '../client/index.ts';
import { type Clock, ConnectionError, exponentialDelay } from '../lib/index.ts';
import type { PodInfo } from './cluster/pod-info.ts';
import { BIND_BACK_OFF, BIND_TRIES } from './limits.ts';

export type BindOutcome =
  | { readonly kind: 'bound' }
  /** The pod is gone, is being deleted, or has another node. */
  | { readonly kind: 'not-ours' }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface BindOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether the node is still there. */
  readonly nodeExists: () => boolean;
}

/**
 * Binds the pod, and never rejects. A binding without an answer may have taken effect, or may do so late: the pod is read until
 * that is known, and no other node is considered before the binding has been tried a few times. A binding names the pod's UID,
 * so its repetition does no harm.
 */
export async function bindPod(pod: PodInfo, nodeName: string, options: BindOptions): Promise<BindOutcome> {
  const { client, clock, signal } = options;
  let tries = 0;
  let pause = 0;
  let inDoubt = false;
  while (!signal.aborted) {
    try {
      if (inDoubt) {
        const { metadata, spec } = await client.get(PODS, pod.namespace, pod.pod.metadata?.name ?? '', signal);
        const found = spec?.nodeName ?? '';
        if (metadata?.uid !== pod.uid || metadata.deletionTimestamp !== undefined) return { kind: 'not-ours' };
        if (found !== '') return { kind: found === nodeName ? 'bound' : 'not-ours' };
        if (tries >= BIND_TRIES || !options.nodeExists()) {
          return { kind: 'failed', error: new ConnectionError('the binding had no answer, and did not take effect') };
        }
      }
      tries += 1;
      await client.createSubresource(
        PODS,
        pod.namespace,
        pod.pod.metadata?.name ?? '',
        'binding',
        bindingOf(pod, nodeName),
        signal,
      );
      return { kind: 'bound' };
    } catch (error) {
      if (isNotFound(error)) return { kind: 'not-ours' };
      // After a binding in doubt the conflict may be with our own earlier binding.
      if (isConflict(error) && !inDoubt) return { kind: 'not-ours' };
      if (error instanceof StatusError && !inDoubt) return { kind: 'failed', error };
      inDoubt = true;
      pause += 1;
      await clock.sleep(exponentialDelay(BIND_BACK_OFF, pause), signal).catch(() => {});
    }
  }
  return { kind: 'failed', error: signal.reason };
}

function bindingOf({ pod }: PodInfo, nodeName: string) {
  const { namespace, name = '', uid } = pod.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) },
    target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
  };
}
