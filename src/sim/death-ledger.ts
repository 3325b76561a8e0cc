/** Every restart has a recorded cause: what the nodes remember of deaths, beside the deaths that there were. */
import type { ContainerName } from './facts.ts';
import type { SimCluster } from './sim-cluster.ts';

/** Bounded as the node's own memory is: the first and the last ones. */
const REMEMBERED = 51;

export class DeathLedger {
  readonly #cluster: SimCluster;
  /** By pod and container: the ids of those that ended and were followed by another, oldest first. */
  readonly #followed = new Map<string, ContainerName[]>();
  readonly #last = new Map<string, ContainerName>();
  /** Nodes whose records may be lost: their disk was full, or they lost their power. */
  readonly #excused = new Set<string>();

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    cluster.facts.on({
      'disk-filled': ({ node }) => void this.#excused.add(node),
      'machine-lost': ({ node }) => void this.#excused.add(node),
      exited: (fact) => void this.#last.set(`${fact.uid} ${fact.container}`, fact),
      started: ({ uid, container }) => {
        const key = `${uid} ${container}`;
        const before = this.#last.get(key);
        if (before !== undefined) this.#followed.set(key, [...(this.#followed.get(key) ?? []), before]);
      },
    });
  }

  /** A restart whose death nobody remembers, or nothing. */
  missing(): string | undefined {
    for (const node of this.#cluster.nodes) {
      if (this.#excused.has(node.name)) continue;
      for (const [key, followed] of this.#followed) {
        const [{ uid = '', container = '' } = {}] = followed;
        if (this.#cluster.pods.get(uid)?.spec?.nodeName !== node.name) continue;
        const text = node.history(uid);
        const known = followed.slice(-REMEMBERED + 1).filter(({ id }) => !text.includes(id));
        if (known.length > 0) return `${key} restarted after ${known[0]?.id}, of which nothing is recorded`;
      }
    }
    return undefined;
  }
}
