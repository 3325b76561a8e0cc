/** /openapi/v2 and /openapi/v3: built in steps when first asked for, kept as bytes alone. */
import type { ResourceRow, Steps } from '../../api/index.ts';
import { type Breather, concatBytes, type HttpResponse } from '../../lib/index.ts';
import { groupNames, versionsOf } from '../discovery/groups.ts';
import { acceptsJson, parseAccept } from '../http/negotiate.ts';
import { JSON_TYPE, jsonResponse } from '../http/respond.ts';
import type { Registry } from '../call.ts';
import { inSteps } from '../http/in-steps.ts';
import { contentHash } from './content-hash.ts';
import { rootPath } from './paths.ts';
import { openApiV2Protobuf } from './protobuf.ts';
import { openApiV2, openApiV2Json } from './v2.ts';
import { openApiV3 } from './v3.ts';

const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** The media type of the answer: without the "@", which is not allowed in one. */
const PROTOBUF_V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** A document that is not longer is sent as one: to put a long one together again would take as long as to read it. */
const WHOLE_BYTES = 8 * 1024 * 1024;

/** The documents of one server: they follow the kinds that it serves. */
export class OpenApiDocuments {
  readonly #registry: Registry;
  readonly #version: string;
  readonly #breather: Breather;
  /** Documents in pieces that are there or under way: many who ask at once wait for one. */
  readonly #encoded = new Map<string, Promise<readonly Uint8Array[]>>();
  /** The generation of the kinds that `#encoded` tells of. */
  #generation = 0;

  /** `version`: the server's, as it stands in the documents. */
  constructor(registry: Registry, version: string, breather: Breather) {
    this.#registry = registry;
    this.#version = version;
    this.#breather = breather;
  }

  /** The answer of a path under /openapi; undefined for one that is not there. */
  respond(path: string, accept: string | undefined): Promise<HttpResponse> | undefined {
    const [, , generation, ...rest] = path.replace(/\/+$/, '').split('/');
    if (generation === 'v2' && rest.length === 0) return this.#v2(accept);
    if (generation !== 'v3') return undefined;
    return rest.length === 0 ? this.#v3Index() : this.#v3(rest);
  }

  #v2(accept: string | undefined): Promise<HttpResponse> {
    const wantsProtobuf =
      parseAccept(accept).find((clause) => acceptsJson(clause) || clause.type === PROTOBUF_V2)?.type === PROTOBUF_V2;
    const [rows, version] = [this.#rows, this.#version];
    if (wantsProtobuf) {
      return this.#kept('v2 protobuf', PROTOBUF_V2_TYPE, function* () {
        return yield* openApiV2Protobuf(yield* openApiV2(rows, version));
      });
    }
    return this.#kept('v2 json', JSON_TYPE, function* () {
      return yield* openApiV2Json(yield* openApiV2(rows, version));
    });
  }

  async #v3Index(): Promise<HttpResponse> {
    const rows = this.#rows;
    const byVersion = Map.groupBy(rows, (row) => rootPath(row).slice(1));
    const paths: Record<string, object> = {};
    for (const group of groupNames(rows)) {
      for (const served of versionsOf(group, rows)) {
        const root = rootPath({ group, version: served }).slice(1);
        const content = await inSteps(contentHash(byVersion.get(root) ?? []), this.#breather);
        // kubectl keeps documents by their hash: it changes with the kinds of this version, and with nothing else.
        const hash = encodeURIComponent(`${this.#version}-${content}`);
        paths[root] = { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` };
      }
    }
    return jsonResponse(200, { paths });
  }

  #v3(parts: readonly string[]): Promise<HttpResponse> | undefined {
    const [kind, second = '', third = ''] = parts;
    const core = kind === 'api' && parts.length === 2;
    if (!core && !(kind === 'apis' && parts.length === 3)) return undefined;
    const [group, served] = core ? ['', second] : [second, third];
    const rows = this.#rows.filter((row) => row.group === group && row.version === served);
    if (rows.length === 0) return undefined;
    return this.#kept(`v3 ${group}/${served}`, JSON_TYPE, () => openApiV3(rows, this.#version));
  }

  get #rows(): readonly ResourceRow[] {
    return this.#registry.describedRows();
  }

  async #kept(name: string, type: string, build: () => Steps<readonly Uint8Array[]>): Promise<HttpResponse> {
    const { generation } = this.#registry;
    if (generation !== this.#generation) this.#encoded.clear();
    this.#generation = generation;
    const known = this.#encoded.get(name);
    if (known !== undefined) return piecesResponse(await known, type);
    const built = inSteps(build(), this.#breather);
    this.#encoded.set(name, built);
    // A failure is that of this request, and of those that wait with it.
    built.catch(() => {
      if (this.#encoded.get(name) === built) this.#encoded.delete(name);
    });
    return piecesResponse(await built, type);
  }
}

function piecesResponse(pieces: readonly Uint8Array[], type: string): HttpResponse {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const headers = { 'content-type': type, 'content-length': String(length), vary: 'Accept' };
  return { status: 200, headers, body: length <= WHOLE_BYTES ? concatBytes(pieces) : inTurn(pieces) };
}

// A body in pieces is asked for one after the other, and these are there already.
// oxlint-disable-next-line typescript/require-await
async function* inTurn(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* pieces;
}
