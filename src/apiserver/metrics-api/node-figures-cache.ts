/** Asks kubelets what their pods use: few at once, each in time, and the answers are shared for some seconds. */
import {
  abortable,
  type Clock,
  decodeText,
  errorMessage,
  type Logger,
  mapLimit,
  readAll,
  withDeadline,
} from '../../lib/index.ts';
import {
  INCOMPLETE_FIGURES_MAX_AGE_MS,
  MAX_CONCURRENT_NODE_QUESTIONS,
  MAX_SUMMARY_BYTES,
  NODE_FIGURES_MAX_AGE_MS,
  NODE_QUESTION_TIMEOUT_MS,
} from '../limits.ts';
import type { NodeConnections } from '../ports.ts';
import { NO_FIGURES, type NodeFigures, readSummary } from './node-figures.ts';

const SUMMARY_PATH = '/stats/summary?only_cpu_and_memory=true';

export interface NodeFiguresOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly nodeConnection: NodeConnections;
}

interface Known {
  /** Mono ms when the node was asked. */
  readonly at: number;
  maxAgeMs: number;
  readonly figures: Promise<NodeFigures>;
}

export class NodeFiguresCache {
  readonly #options: NodeFiguresOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: NodeFiguresOptions) {
    this.#options = options;
  }

  /** By node name. Never rejects: a node that does not answer has no figures. */
  async of(nodeNames: readonly string[]): Promise<ReadonlyMap<string, NodeFigures>> {
    this.#forgetOld();
    const found = await mapLimit(nodeNames, MAX_CONCURRENT_NODE_QUESTIONS, async (name) => {
      return [name, await this.#figures(name)] as const;
    });
    return new Map(found);
  }

  #figures(name: string): Promise<NodeFigures> {
    const known = this.#known.get(name);
    if (known !== undefined) return known.figures;
    const figures = this.#ask(name);
    const entry: Known = { at: this.#options.clock.now().mono, maxAgeMs: NODE_FIGURES_MAX_AGE_MS, figures };
    this.#known.set(name, entry);
    return figures.then((found) => {
      if (!found.isComplete) entry.maxAgeMs = INCOMPLETE_FIGURES_MAX_AGE_MS;
      return found;
    });
  }

  #forgetOld(): void {
    const now = this.#options.clock.now().mono;
    for (const [name, { at, maxAgeMs }] of this.#known) if (now - at >= maxAgeMs) this.#known.delete(name);
  }

  async #ask(name: string): Promise<NodeFigures> {
    const { clock, logger, nodeConnection } = this.#options;
    const connection = nodeConnection(name);
    if (connection === undefined) return NO_FIGURES;
    try {
      const result = await withDeadline({ clock, timeoutMs: NODE_QUESTION_TIMEOUT_MS }, async (signal) => {
        const request = { method: 'GET', url: SUMMARY_PATH, headers: { accept: 'application/json' }, signal };
        const answer = await connection.request(request);
        const text = decodeText(await abortable(readAll(answer.body, MAX_SUMMARY_BYTES), signal));
        if (answer.status !== 200) throw new Error(`status ${answer.status}: ${text.slice(0, 200)}`);
        return readSummary(JSON.parse(text));
      });
      if (result.kind === 'done') return result.value;
      logger.warn('a node does not tell in time what its pods use', { node: name });
    } catch (error) {
      logger.warn('a node does not tell what its pods use', { node: name, error: errorMessage(error) });
    }
    return NO_FIGURES;
  }
}
