/** /openapi/v2 and /openapi/v3: built when first asked for, kept as bytes alone. */
import type { ResourceRow } from '../../api/index.ts';
import { encodeText, type HttpResponse } from '../../lib/index.ts';
import { groupNames, versionsOf } from '../discovery/groups.ts';
import { acceptsJson, parseAccept } from '../http/negotiate.ts';
import { JSON_TYPE, jsonResponse } from '../http/respond.ts';
import type { Registry } from '../call.ts';
import { contentHash } from './content-hash.ts';
import { rootPath } from './paths.ts';
import { openApiV2Protobuf } from './protobuf.ts';
import { openApiV2, openApiV2Json } from './v2.ts';
import { openApiV3 } from './v3.ts';

const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** The media type of the answer: without the "@", which is not allowed in one. */
const PROTOBUF_V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** The documents of one server: they follow the kinds that it serves. */
export class OpenApiDocuments {
  readonly #registry: Registry;
  readonly #version: string;
  readonly #encoded = new Map<string, Uint8Array>();
  /** The generation of the kinds that `#encoded` tells of. */
  #generation = 0;

  /** `version`: the server's, as it stands in the documents. */
  constructor(registry: Registry, version: string) {
    this.#registry = registry;
    this.#version = version;
  }

  /** The answer of a path under /openapi; undefined for one that is not there. */
  respond(path: string, accept: string | undefined): HttpResponse | undefined {
    const [, , generation, ...rest] = path.replace(/\/+$/, '').split('/');
    if (generation === 'v2' && rest.length === 0) return this.#v2(accept);
    if (generation !== 'v3') return undefined;
    return rest.length === 0 ? this.#v3Index() : this.#v3(rest);
  }

  #v2(accept: string | undefined): HttpResponse {
    const wantsProtobuf =
      parseAccept(accept).find((clause) => acceptsJson(clause) || clause.type === PROTOBUF_V2)?.type === PROTOBUF_V2;
    const document = () => openApiV2(this.#rows, this.#version);
    if (wantsProtobuf)
      return bytesResponse(
        this.#kept('v2 protobuf', () => openApiV2Protobuf(document())),
        PROTOBUF_V2_TYPE,
      );
    return bytesResponse(
      this.#kept('v2 json', () => encodeText(JSON.stringify(openApiV2Json(document())))),
      JSON_TYPE,
    );
  }

  #v3Index(): HttpResponse {
    const rows = this.#rows;
    const byVersion = Map.groupBy(rows, (row) => rootPath(row).slice(1));
    const roots = groupNames(rows).flatMap((group) =>
      versionsOf(group, rows).map((served) => {
        const root = rootPath({ group, version: served }).slice(1);
        return [root, byVersion.get(root) ?? []] as const;
      }),
    );
    const paths = roots.map(([root, own]) => {
      // kubectl keeps documents by their hash: it changes with the kinds of this version, and with nothing else.
      const hash = encodeURIComponent(`${this.#version}-${contentHash(own)}`);
      return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }] as const;
    });
    return jsonResponse(200, { paths: Object.fromEntries(paths) });
  }

  #v3(parts: readonly string[]): HttpResponse | undefined {
    const [kind, second = '', third = ''] = parts;
    const core = kind === 'api' && parts.length === 2;
    if (!core && !(kind === 'apis' && parts.length === 3)) return undefined;
    const [group, served] = core ? ['', second] : [second, third];
    const rows = this.#rows.filter((row) => row.group === group && row.version === served);
    if (rows.length === 0) return undefined;
    const bytes = this.#kept(`v3 ${group}/${served}`, () => encodeText(JSON.stringify(openApiV3(rows, this.#version))));
    return bytesResponse(bytes, JSON_TYPE);
  }

  get #rows(): readonly ResourceRow[] {
    return this.#registry.describedRows();
  }

  #kept(name: string, build: () => Uint8Array): Uint8Array {
    const { generation } = this.#registry;
    if (generation !== this.#generation) this.#encoded.clear();
    this.#generation = generation;
    const known = this.#encoded.get(name);
    if (known !== undefined) return known;
    const built = build().slice();
    this.#encoded.set(name, built);
    return built;
  }
}

function bytesResponse(body: Uint8Array, type: string): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': type, 'content-length': String(body.length), vary: 'Accept' },
    body,
  };
}
