/** Requests restarts of pods in all their forms; each must end with a reported result. */
import { POD_RESTARTS, type PodRestart, type RestartScope, StatusError } from '../../api/index.ts';
import type { Random } from '../../lib/index.ts';
import type { SimCluster } from '../sim-cluster.ts';

const SCOPES: readonly RestartScope[] = ['container', 'containers', 'pod', 'pod'];

export class Restarts {
  readonly #cluster: SimCluster;
  readonly #random: Random;
  #asked = 0;

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    this.#random = cluster.sim.random.split('restarts');
  }

  /** Draws a restart of this pod; the returned function requests it and may be called again. */
  draw(namespace: string, podName: string): () => Promise<void> {
    this.#asked += 1;
    const scope = SCOPES[Math.floor(this.#random.next() * SCOPES.length)] ?? 'pod';
    const object: PodRestart = {
      apiVersion: 'mendlet.dev/v1alpha1',
      kind: 'PodRestart',
      metadata: { namespace, name: `${podName}-${this.#asked}` },
      spec: {
        podName,
        scope,
        ...(scope === 'container' ? { container: 'main' } : {}),
        ...(scope === 'pod' && this.#random.next() < 0.5 ? { emptyDirs: ['*'] } : {}),
        ...(this.#random.next() < 0.4 ? { force: true } : {}),
        ...(this.#random.next() < 0.3 ? { gracePeriodSeconds: Math.floor(this.#random.next() * 5) } : {}),
        reason: 'the simulator likes to',
      },
    };
    return async () => {
      try {
        await this.#cluster.admin.create(POD_RESTARTS, object);
      } catch (error) {
        // An earlier request whose answer was lost created it, or its namespace is being deleted.
        if (!(error instanceof StatusError)) throw error;
      }
    };
  }

  /** Describes a restart that has not ended, if there is one. */
  pending(): string | undefined {
    for (const { metadata, spec, status } of this.#cluster.restarts.values()) {
      if (status?.phase === 'Succeeded' || status?.phase === 'Failed') continue;
      return `restart ${metadata?.name} (${spec?.scope}) is ${status?.phase ?? 'not begun'}: ${status?.message ?? ''}`;
    }
    return undefined;
  }
}
