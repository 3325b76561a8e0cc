/**
 * Says in each FlowSchema whether its priority level is there, as soon as one of either changes (upstream: the configuration
 * consumer of API priority and fairness).
 */
import { type FlowSchema, FLOW_SCHEMAS, PRIORITY_LEVELS } from '../../api/index.ts';
import { decodeText, encodeText, errorMessage, formatTime, readAll, type Timer } from '../../lib/index.ts';
import type { CacheObserver, WatchCache } from '../cache/watch-cache.ts';
import { FLOW_STATUS_RETRY_MS, MAX_NODE_ERROR_BYTES } from '../limits.ts';
import { rootPath } from '../openapi/paths.ts';
import type { Clock, Connection, Logger } from '../ports.ts';
import type { ApiObject } from '../registry/object.ts';
import { danglingCondition } from './plan-dangling.ts';

export interface FlowSchemaStatusOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly schemas: Pick<WatchCache, 'observe'>;
  readonly levels: Pick<WatchCache, 'observe'>;
  /** The server as its own user. */
  readonly self: Connection;
}

export class FlowSchemaStatus {
  readonly #options: FlowSchemaStatusOptions;
  readonly #schemas = new Map<string, FlowSchema>();
  readonly #levels = new Set<string>();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  /** Kinds of which all objects are known: before that, a level may only seem to be missing. */
  #listed = new Set<() => void>();
  #isDirty = false;
  #isClosed = false;

  constructor(options: FlowSchemaStatusOptions) {
    this.#options = options;
    const { schemas, levels } = options;
    schemas.observe(
      this.#follow(
        () => this.#schemas.clear(),
        (name, object) => {
          if (object === undefined) this.#schemas.delete(name);
          else this.#schemas.set(name, object);
        },
      ),
    );
    levels.observe(
      this.#follow(
        () => this.#levels.clear(),
        (name, object) => {
          if (object === undefined) this.#levels.delete(name);
          else this.#levels.add(name);
        },
      ),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#running;
  }

  #follow(clear: () => void, set: (name: string, object: ApiObject | undefined) => void): CacheObserver {
    return {
      replaced: (objects) => {
        clear();
        this.#listed.add(clear);
        for (const object of objects) set(object.metadata.name ?? '', object);
        this.#look();
      },
      changed: (now, before) => {
        set((now ?? before)?.metadata.name ?? '', now);
        this.#look();
      },
    };
  }

  #look(): void {
    this.#isDirty = true;
    if (this.#listed.size < 2 || this.#running !== undefined || this.#isClosed) return;
    this.#timer?.cancel();
    this.#running = this.#run()
      .catch((error: unknown) => {
        if (this.#isClosed) return;
        this.#options.logger.debug('status of flow schemas not kept', { error: errorMessage(error) });
        this.#timer = this.#options.clock.setTimer(FLOW_STATUS_RETRY_MS, () => this.#look());
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #run(): Promise<void> {
    while (this.#isDirty && !this.#isClosed) {
      this.#isDirty = false;
      // Not within the cache's turn.
      await Promise.resolve();
      for (const name of this.#schemas.keys()) await this.#tell(name);
    }
  }

  async #tell(name: string): Promise<void> {
    const schema = this.#schemas.get(name);
    const now = formatTime(this.#options.clock.now().wall);
    const condition = schema && danglingCondition(schema, (level) => this.#levels.has(level), now);
    if (condition === undefined || this.#isClosed) return;
    const url = `${rootPath(FLOW_SCHEMAS)}/${FLOW_SCHEMAS.resource}/${name}/status`;
    const answer = await this.#options.self.request({
      method: 'PATCH',
      url: `${url}?fieldManager=${FIELD_MANAGER}`,
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: encodeText(JSON.stringify({ status: { conditions: [condition] } })),
    });
    const text = decodeText(await readAll(answer.body, MAX_NODE_ERROR_BYTES));
    if (answer.status < 300 || answer.status === 404) return;
    throw new Error(`${PRIORITY_LEVELS.kind} of ${name} not told: ${answer.status}: ${text}`);
  }
}

const FIELD_MANAGER = 'api-priority-and-fairness-config-consumer-v1';
