/** Compares the deaths that nodes remember with the real ones: every restart must have a recorded cause. */
import type { ContainerName } from './facts.ts';
import type { SimCluster } from './sim-cluster.ts';

/** Deaths per container that are kept, as in the node's own memory: the first and the last ones. */
const REMEMBERED = 51;
/** Time after which a death must be recorded; before, its agent may be away, or the disk has not written it back. */
const FLUSH_MS = 180_000;

export class DeathLedger {
  readonly #cluster: SimCluster;
  /** By pod and container: the containers that ended and were followed by another, oldest first. */
  readonly #followed = new Map<string, ContainerName[]>();
  readonly #last = new Map<string, ContainerName>();
  /** Nodes whose records may be lost: their disk was full. */
  readonly #excused = new Set<string>();
  /** Container id → mono ms of its end. */
  readonly #endedAt = new Map<string, number>();
  /** Ids of containers whose record may not have reached the disk when the power failed. */
  readonly #cutOff = new Set<string>();

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    cluster.facts.on({
      'disk-filled': ({ node }) => void this.#excused.add(node),
      'machine-lost': (_, mono) => {
        for (const [id, at] of this.#endedAt) if (mono - at < FLUSH_MS) this.#cutOff.add(id);
      },
      exited: (fact, mono) => {
        this.#last.set(`${fact.uid} ${fact.container}`, fact);
        this.#endedAt.set(fact.id, mono);
        if (fact.cause === 'lost') this.#cutOff.add(fact.id);
      },
      started: ({ uid, container }) => {
        const key = `${uid} ${container}`;
        const before = this.#last.get(key);
        if (before !== undefined) this.#followed.set(key, [...(this.#followed.get(key) ?? []), before]);
      },
    });
  }

  /** A restart whose death no node remembers, if there is one. */
  missing(): string | undefined {
    for (const node of this.#cluster.nodes) {
      if (this.#excused.has(node.name)) continue;
      for (const [key, followed] of this.#followed) {
        const uid = followed[0]?.uid ?? '';
        if (this.#cluster.pods.get(uid)?.spec?.nodeName !== node.name) continue;
        const text = node.history(uid);
        const known = followed.slice(-REMEMBERED + 1).filter(({ id }) => !text.includes(id) && !this.#cutOff.has(id));
        if (known.length > 0) return `${key} restarted after #${known[0]?.attempt}, of which nothing is recorded`;
      }
    }
    return undefined;
  }
}
