/**
 * Reads objects that we may not be allowed to read: each answer is a value, "missing" or nothing, and the reason for nothing is
 * noted once for the user. Time and the number of requests at once are bounded.
 */
import { isNotFound, type KubeObject, type Resource, StatusError, statusErrorFromResponse } from '../../api/index.ts';
import type { ListQuery } from '../../client/index.ts';
import { ConnectionError, decodeText, errorMessage, readAll, Semaphore, withDeadline } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { REQUEST_TIMEOUT_MS, REQUESTS_AT_ONCE } from './limits.ts';

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

  note(what: string): void {
    this.#notes.add(what);
  }

  /** @param what its name in a note: "node/n1" */
  get<T extends KubeObject>(
    what: string,
    resource: Resource<T>,
    namespace: string | undefined,
    name: string,
  ): Promise<Answer<T>> {
    return this.#answer(what, (signal) => this.session.client.get(resource, namespace, name, signal));
  }

  /** The items; an empty list when they cannot be read. */
  async list<T extends KubeObject>(what: string, resource: Resource<T>, query: ListQuery): Promise<readonly T[]> {
    const answer = await this.#answer(what, (signal) => this.session.client.list(resource, query, signal));
    if (answer.kind === 'missing') this.note(`${what}: the server does not have them`);
    if (answer.kind !== 'found') return [];
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
