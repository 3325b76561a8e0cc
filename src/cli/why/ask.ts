/**
 * Reads objects that we may not be allowed to read: each answer is a value, "missing" or nothing, and the reason for nothing is
 * noted once for the user. Time and the number of requests at once are bounded, and the same question is asked once.
 */
import { isNotFound, type KubeObject, type Resource, StatusError, statusErrorFromResponse } from '../../api/index.ts';
import type { ListQuery, ReadOptions } from '../../client/index.ts';
import { ConnectionError, decodeText, errorMessage, readAll, Semaphore, withDeadline } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { MAX_PRELOADED, PRELOAD_PAGE, REQUEST_TIMEOUT_MS, REQUESTS_AT_ONCE } from './limits.ts';
import { Snapshot } from './snapshot.ts';

export type Answer<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'missing' }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'unknown' };

export class Asker {
  readonly session: ClusterSession;
  /** The cluster's clock minus ours, ms. */
  readonly #aheadMs: number;
  readonly #places = new Semaphore(REQUESTS_AT_ONCE);
  readonly #notes = new Set<string>();
  readonly #snapshot = new Snapshot();
  readonly #asked = new Map<string, Promise<Answer<unknown>>>();
  readonly #taken = new Map<string, number>();

  /** @param aheadMs the cluster's clock minus ours; all ages follow the cluster's clock */
  constructor(session: ClusterSession, aheadMs = 0) {
    this.session = session;
    this.#aheadMs = aheadMs;
  }

  /** Wall ms in the cluster. */
  get now(): number {
    return this.session.clock.now().wall + this.#aheadMs;
  }

  /** The objects that could not be read, with reasons, in a stable order. */
  get notLookedAt(): readonly string[] {
    return [...this.#notes].toSorted();
  }

  /** Whether one more of what is only worth a bounded effort may be read for this question. */
  mayTake(what: string, most: number): boolean {
    const taken = this.#taken.get(what) ?? 0;
    if (taken >= most) return false;
    this.#taken.set(what, taken + 1);
    return true;
  }

  note(what: string): void {
    this.#notes.add(what);
  }

  /** @param what its name in a note: "node/n1" */
  get<T extends KubeObject>(
    what: string,
    resource: Resource<T>,
    namespace: string | undefined,
    name: string,
    options: Pick<ReadOptions, 'withManagers'> = {},
  ): Promise<Answer<T>> {
    // Lists have no managers.
    const kept = options.withManagers === true ? undefined : this.#snapshot.get(resource, namespace, name);
    if (kept !== undefined)
      return Promise.resolve(kept === 'missing' ? { kind: 'missing' } : { kind: 'found', ...kept });
    const form = options.withManagers === true ? 'with managers' : '';
    const key = ['get', resource.group, resource.resource, namespace ?? '', name, form].join(' ');
    return this.#once(key, () =>
      this.#answer(what, (signal) => this.session.client.get(resource, namespace, name, signal, options)),
    );
  }

  /**
   * Reads all objects of a kind, so that later questions about them need no request. A list that is not complete is not used.
   * @param namespace absent: all namespaces
   */
  async preload(what: string, resource: Resource<KubeObject>, namespace?: string): Promise<void> {
    const items: KubeObject[] = [];
    let next: string | undefined;
    do {
      const query: ListQuery = {
        ...(namespace === undefined ? {} : { namespace }),
        limit: PRELOAD_PAGE,
        ...(next === undefined ? {} : { continue: next }),
      };
      const answer = await this.#answer(what, (signal) => this.session.client.list(resource, query, signal));
      if (answer.kind !== 'found') return;
      items.push(...answer.value.items);
      next = answer.value.continue;
    } while (next !== undefined && items.length < MAX_PRELOADED);
    if (next === undefined) this.#snapshot.keep(resource, namespace, items);
  }

  /** The items; an empty list when they cannot be read. */
  async list<T extends KubeObject>(what: string, resource: Resource<T>, query: ListQuery): Promise<readonly T[]> {
    return (await this.listAll(what, resource, query)) ?? [];
  }

  /** The items; undefined when they cannot be read, so that nothing is concluded from what is not in the list. */
  async listAll<T extends KubeObject>(
    what: string,
    resource: Resource<T>,
    query: ListQuery,
  ): Promise<readonly T[] | undefined> {
    const kept = this.#snapshot.list(resource, query);
    if (kept !== undefined) return kept;
    const key = ['list', resource.group, resource.resource, JSON.stringify(query)].join(' ');
    const answer = await this.#once(key, () =>
      this.#answer(what, (signal) => this.session.client.list(resource, query, signal)),
    );
    if (answer.kind === 'missing') this.note(`${what}: the server does not have them`);
    if (answer.kind !== 'found') return undefined;
    if (answer.value.continue !== undefined) this.note(`${what}: more than the first ${answer.value.items.length}`);
    return answer.value.items;
  }

  /** The text at a path. `quiet`: a failure is not noted, because the caller has another way. */
  text(what: string, url: string, maxBytes: number, quiet = false): Promise<Answer<string>> {
    const { connection } = this.session;
    return this.#answer(
      what,
      async (signal) => {
        const response = await connection.request({ method: 'GET', url, headers: { accept: '*/*' }, signal });
        const text = decodeText(await readAll(response.body, maxBytes));
        if (response.status >= 400) throw statusErrorFromResponse(response.status, parsedOr(text));
        return text;
      },
      quiet,
    );
  }

  /** One answer for all who ask the same at the same time or later. */
  #once<T>(key: string, ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const known = this.#asked.get(key) as Promise<Answer<T>> | undefined;
    const answer = known ?? ask();
    if (known === undefined) this.#asked.set(key, answer);
    return answer;
  }

  async #answer<T>(what: string, work: (signal: AbortSignal) => Promise<T>, quiet = false): Promise<Answer<T>> {
    const { clock, signal } = this.session;
    try {
      const result = await this.#places.run(() => withDeadline({ clock, timeoutMs: REQUEST_TIMEOUT_MS, signal }, work));
      if (result.kind === 'done') return { kind: 'found', value: result.value };
      if (!quiet) this.note(`${what}: no answer within ${REQUEST_TIMEOUT_MS / 1000}s`);
      return { kind: 'unknown' };
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#failed(what, error, quiet);
    }
  }

  #failed<T>(what: string, error: unknown, quiet: boolean): Answer<T> {
    if (isNotFound(error)) return { kind: 'missing' };
    if (error instanceof StatusError && (error.code === 403 || error.code === 401)) {
      if (!quiet) this.note(`${what}: may not be read`);
      return { kind: 'forbidden' };
    }
    if (error instanceof ConnectionError || error instanceof StatusError || error instanceof Error) {
      if (!quiet) this.note(`${what}: ${firstLine(errorMessage(error))}`);
      return { kind: 'unknown' };
    }
    throw error;
  }
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.slice(0, 1024).trim();
  }
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, 200);
}

export function found<T>(answer: Answer<T>): T | undefined {
  return answer.kind === 'found' ? answer.value : undefined;
}
