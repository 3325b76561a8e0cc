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

export class NodeFiguresCache {
  readonly #options: NodeFiguresOptions;
  readonly #known = new Map<string, { readonly at: number; readonly figures: Promise<NodeFigures> }>();

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
    this.#known.set(name, { at: this.#options.clock.now().mono, figures });
    return figures;
  }

  #forgetOld(): void {
    const now = this.#options.clock.now().mono;
    for (const [name, { at }] of this.#known) if (now - at >= NODE_FIGURES_MAX_AGE_MS) this.#known.delete(name);
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
