/** /openapi/v2 and /openapi/v3: built when first asked for, kept as bytes alone. */
import { RESOURCES } from '../../api/index.ts';
import { encodeText, type HttpResponse } from '../../lib/index.ts';
import { groupNames, versionsOf } from '../discovery/groups.ts';
import type { ServerVersion } from '../discovery/version.ts';
import { acceptsJson, parseAccept } from '../http/negotiate.ts';
import { JSON_TYPE, jsonResponse } from '../http/respond.ts';
import { rootPath } from './paths.ts';
import { openApiV2Protobuf } from './protobuf.ts';
import { openApiV2, openApiV2Json } from './v2.ts';
import { openApiV3 } from './v3.ts';

const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** The media type of the answer: without the "@", which is not allowed in one. */
const PROTOBUF_V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Documents are the same for all servers of one version. */
const encoded = new Map<string, Uint8Array>();

/** The answer of a path under /openapi; undefined for one that is not there. */
export function openApiResponse(
  path: string,
  accept: string | undefined,
  version: ServerVersion,
): HttpResponse | undefined {
  const [, , generation, ...rest] = path.replace(/\/+$/, '').split('/');
  if (generation === 'v2' && rest.length === 0) return v2Response(accept, version.gitVersion);
  if (generation !== 'v3') return undefined;
  return rest.length === 0 ? v3Index(version.gitVersion) : v3Response(rest, version.gitVersion);
}

function v2Response(accept: string | undefined, version: string): HttpResponse {
  const wantsProtobuf =
    parseAccept(accept).find((clause) => acceptsJson(clause) || clause.type === PROTOBUF_V2)?.type === PROTOBUF_V2;
  if (wantsProtobuf) {
    return bytesResponse(
      kept(`v2 protobuf ${version}`, () => openApiV2Protobuf(openApiV2(version))),
      PROTOBUF_V2_TYPE,
    );
  }
  return bytesResponse(
    kept(`v2 json ${version}`, () => encodeText(JSON.stringify(openApiV2Json(openApiV2(version))))),
    JSON_TYPE,
  );
}

function v3Index(version: string): HttpResponse {
  const roots = groupNames(RESOURCES).flatMap((group) =>
    versionsOf(group, RESOURCES).map((served) => rootPath({ group, version: served }).slice(1)),
  );
  const hash = encodeURIComponent(version);
  const paths = roots.map((root) => [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }] as const);
  return jsonResponse(200, { paths: Object.fromEntries(paths) });
}

function v3Response(parts: readonly string[], version: string): HttpResponse | undefined {
  const [kind, second = '', third = ''] = parts;
  const core = kind === 'api' && parts.length === 2;
  if (!core && !(kind === 'apis' && parts.length === 3)) return undefined;
  const [group, served] = core ? ['', second] : [second, third];
  if (!versionsOf(group, RESOURCES).includes(served)) return undefined;
  const bytes = kept(`v3 ${group}/${served} ${version}`, () =>
    encodeText(JSON.stringify(openApiV3(group, served, version))),
  );
  return bytesResponse(bytes, JSON_TYPE);
}

function kept(name: string, build: () => Uint8Array): Uint8Array {
  const known = encoded.get(name);
  if (known !== undefined) return known;
  const built = build().slice();
  encoded.set(name, built);
  return built;
}

function bytesResponse(body: Uint8Array, type: string): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': type, 'content-length': String(body.length), vary: 'Accept' },
    body,
  };
}
