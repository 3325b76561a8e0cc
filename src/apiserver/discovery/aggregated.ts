/**
 * The aggregated discovery documents (KEP-3352) with their ETags, kept until a kind comes or goes: clients that ask again and again,
 * as our controllers do, cost nothing while nothing changes.
 */
import { type HttpResponse, sha1 } from '../../lib/index.ts';
import type { Registry } from '../call.ts';
import { groupsResponse } from './groups.ts';

interface Kept {
  readonly response: HttpResponse;
  readonly etag: string;
}

/** Documents kept at a time: /api and /apis in their few forms. */
const MAX_KEPT = 16;

export class DiscoveryDocuments {
  readonly #registry: Registry;
  readonly #kept = new Map<string, Kept>();
  #generation = 0;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** /api (`core`) or /apis; 304 without a body when the client has it already. */
  groups(core: boolean, accept: string | undefined, ifNoneMatch: string | undefined): HttpResponse {
    const { response, etag } = this.#document(core, accept);
    if (response.headers['vary'] === undefined) return response;
    if (ifNoneMatch === etag) return { status: 304, headers: { etag, vary: 'Accept' }, body: new Uint8Array() };
    return { ...response, headers: { ...response.headers, etag } };
  }

  #document(core: boolean, accept = ''): Kept {
    const { generation } = this.#registry;
    if (generation !== this.#generation || this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#generation = generation;
    const key = `${core} ${accept}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const response = groupsResponse(this.#registry.rows(), core, accept);
    const bytes = response.body instanceof Uint8Array ? response.body : new Uint8Array();
    const etag = `"${Buffer.from(sha1(bytes)).toString('hex').toUpperCase()}"`;
    const built = { response, etag };
    this.#kept.set(key, built);
    return built;
  }
}
