/** Since when nothing has disturbed the parts that a promise rests on. */
import type { SimCluster } from '../../sim-cluster.ts';
import { isFilterWell } from '../../sim-router-machine.ts';
import { POD_TABLE, SERVICE_TABLE } from '../../sim-routing.ts';
import type { SimNode } from '../../sim-node.ts';

/**
 * - filter: the packet filter takes transactions, and nobody emptied it;
 * - agent: also, the agent lives and routes, and its runtime answers;
 * - hints: also, the runtime's events come;
 * - api: as agent, and the node, the server and the controllers reach each other.
 */
export type Part = 'filter' | 'agent' | 'hints' | 'api';

const TABLES = [SERVICE_TABLE, POD_TABLE];
const PARTS: readonly Part[] = ['filter', 'agent', 'hints', 'api'];

interface Seen {
  wasWell: boolean;
  since: number;
}

export class Calm {
  readonly #cluster: SimCluster;
  readonly #breaks = new Map<string, number>();
  readonly #seen = new Map<string, Seen>();

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    cluster.facts.on({
      'filter-flushed': ({ node }) => this.#disturb(node, PARTS),
      'agent-started': ({ node }) => this.#disturb(node, ['agent', 'hints', 'api']),
      'wall-stepped': ({ node }) => this.#disturb(node, ['agent', 'hints', 'api']),
    });
  }

  /** Looks at everything; to be called after each event. */
  look(): void {
    for (const node of this.#cluster.nodes) {
      const well = this.#isWell(node);
      if (this.#hasBroken(node)) this.#disturb(node.name, ['api']);
      for (const part of PARTS) {
        const seen = this.#of(node.name, part);
        if (!well[part] || !seen.wasWell) seen.since = this.#cluster.sim.mono;
        seen.wasWell = well[part];
      }
    }
  }

  /** Mono ms; infinite: it is disturbed now. */
  since(node: string, part: Part): number {
    const { wasWell, since } = this.#of(node, part);
    return wasWell ? since : Number.POSITIVE_INFINITY;
  }

  #isWell({ filter, filterFaults, agent, routing, runtime, runtimeFaults, link }: SimNode): Record<Part, boolean> {
    const { controlPlane } = this.#cluster;
    const isFilter = isFilterWell(filterFaults) && TABLES.every((name) => filter.table(name) !== undefined);
    const { slow, failBefore, failAfter, hang, loseEvents, lateEvents } = runtimeFaults;
    const runtimeAnswers = !runtime.down && slow === 0 && failBefore === 0 && failAfter === 0 && hang === 0;
    const agentLives = agent?.alive === true && !agent.suspended && routing?.isLoaded() === true;
    const isAgent = isFilter && agentLives && runtimeAnswers;
    return {
      filter: isFilter,
      agent: isAgent,
      hints: isAgent && loseEvents === 0 && lateEvents === 0,
      api: isAgent && !link.hasFaults && !controlPlane.link.hasFaults && controlPlane.isServing,
    };
  }

  /** Whether watches of the node or of the controllers broke since the last look. */
  #hasBroken({ name, link }: SimNode): boolean {
    const breaks = link.breaks + this.#cluster.controlPlane.link.breaks;
    const hasBroken = this.#breaks.get(name) !== breaks;
    this.#breaks.set(name, breaks);
    return hasBroken;
  }

  #disturb(node: string, parts: readonly Part[]): void {
    for (const part of parts) this.#of(node, part).since = this.#cluster.sim.mono;
  }

  #of(node: string, part: Part): Seen {
    const key = `${node} ${part}`;
    const seen = this.#seen.get(key) ?? { wasWell: false, since: 0 };
    this.#seen.set(key, seen);
    return seen;
  }
}
