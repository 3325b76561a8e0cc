/** Objects and lists in the form that the client asked for: as they are, as a table, or their metadata alone. */
import { apiVersionOf, badRequest } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import type { ByteBudget } from '../cache/byte-budget.ts';
import type { CachedObject, WatchType } from '../cache/cached-object.ts';
import { objectText as textOfObject } from '../cache/object-text.ts';
import { SharedPieces } from '../cache/shared-pieces.ts';
import { type Breather, concatBytes, encodeText } from '../../lib/index.ts';
import { LIST_PIECE_BYTES } from '../limits.ts';
import type { ApiObject } from '../registry/object.ts';
import type { Registration } from '../registry/registration.ts';
import { formatOf, type ObjectForm } from './negotiate.ts';
import { JSON_TYPE, textResponse } from './respond.ts';
import { yamlItemOf, yamlOf, YAML_TYPE } from './yaml.ts';

export interface Rendering {
  readonly registration: Registration;
  readonly form: ObjectForm;
  readonly query: URLSearchParams;
  /** Wall ms, for ages. */
  readonly now: number;
}

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export function renderObject(rendering: Rendering, status: number, item: CachedObject): HttpResponse {
  return jsonText(status, objectText(rendering, item));
}

export interface ListRendering {
  readonly breather: Breather;
  readonly yaml?: boolean;
  /** The items are the very list that the cache hands to all readers: the rendered form is kept for others, and counted here. */
  readonly shared?: ByteBudget;
}

/**
 * A list: whole when it is small, else as a stream that is made in pieces, so that neither a large list nor many at once hold
 * up the loop or lie in memory.
 */
export async function renderList(
  rendering: Rendering,
  items: readonly CachedObject[],
  meta: ListMeta,
  options: ListRendering,
): Promise<HttpResponse> {
  const { yaml = false } = options;
  // Problems that make an answer impossible are reported before the answer begins.
  if (rendering.form.as === 'table') checkInclude(rendering);
  const body = piecesOf(rendering, items, meta, options);
  const headers = { 'content-type': yaml ? YAML_TYPE : JSON_TYPE, 'cache-control': 'no-cache, private' };
  const first = await body.next();
  const second = first.done === true ? first : await body.next();
  if (first.done !== true && second.done === true) {
    return { status: 200, headers: { ...headers, 'content-length': String(first.value.length) }, body: first.value };
  }
  return { status: 200, headers, body: resumed([first, second], body) };
}

/** `rest` with what was already taken of it before it. */
async function* resumed(
  taken: readonly IteratorResult<Uint8Array, void>[],
  rest: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const { done, value } of taken) if (done !== true) yield value;
  yield* rest;
}

function piecesOf(
  rendering: Rendering,
  items: readonly CachedObject[],
  meta: ListMeta,
  { breather, yaml = false, shared }: ListRendering,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (yaml) return yamlPieces(rendering, inOrder(rendering, items), meta, breather);
  if (shared === undefined || rendering.form.as === 'table')
    return jsonPieces(rendering, inOrder(rendering, items), meta, breather);
  return sharedJsonPieces(rendering, items, meta, { breather, shared });
}

/** The same as `jsonPieces`, for a list that many read: all but head and end is made once. */
async function* sharedJsonPieces(
  rendering: Rendering,
  items: readonly CachedObject[],
  meta: ListMeta,
  { breather, shared }: { readonly breather: Breather; readonly shared: ByteBudget },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { form, registration } = rendering;
  const format = `list ${formatOf(form, apiVersionOf(registration.row))}`;
  const pieces = SharedPieces.of(items, format, shared);
  const encode = (some: readonly CachedObject[]): Uint8Array =>
    encodeText(some.map((item) => objectText(rendering, item)).join(','));
  let open = encodeText(`${JSON.stringify(listHead(rendering, meta)).slice(0, -1)},"items":[`);
  for (let at = 0; at < items.length; ) {
    const pause = breather.pause();
    if (pause !== undefined) await pause;
    const { bytes, next } = pieces.at(at, LIST_PIECE_BYTES, encode);
    at = next;
    if (at === items.length && open.length + bytes.length < LIST_PIECE_BYTES) {
      yield concatBytes([open, bytes, encodeText(']}\n')]);
      return;
    }
    breather.sent(bytes.length);
    yield open;
    yield bytes;
    open = encodeText(',');
  }
  yield items.length === 0 ? concatBytes([open, encodeText(']}\n')]) : encodeText(']}\n');
}

async function* jsonPieces(
  rendering: Rendering,
  items: readonly CachedObject[],
  meta: ListMeta,
  breather: Breather,
): AsyncGenerator<Uint8Array, void, undefined> {
  const rows = rendering.form.as === 'table';
  const head = JSON.stringify(listHead(rendering, meta));
  let text = `${head.slice(0, -1)},"${rows ? 'rows' : 'items'}":[`;
  let isFirst = true;
  for (const item of items) {
    const pause = breather.pause();
    if (pause !== undefined) await pause;
    const one = rows ? rowText(rendering, item) : objectText(rendering, item);
    text += isFirst ? one : `,${one}`;
    isFirst = false;
    if (text.length < LIST_PIECE_BYTES) continue;
    breather.sent(text.length);
    yield encodeText(text);
    text = '';
  }
  yield encodeText(`${text}]}\n`);
}

/** The same in YAML: each object is a document's worth of text, made by itself. */
async function* yamlPieces(
  rendering: Rendering,
  items: readonly CachedObject[],
  meta: ListMeta,
  breather: Breather,
): AsyncGenerator<Uint8Array, void, undefined> {
  const rows = rendering.form.as === 'table';
  const name = rows ? 'rows' : 'items';
  let text = `${yamlOf(JSON.stringify(listHead(rendering, meta)))}${name}:${items.length === 0 ? ' []' : ''}\n`;
  for (const item of items) {
    const pause = breather.pause();
    if (pause !== undefined) await pause;
    text += yamlItemOf(rows ? rowText(rendering, item) : objectText(rendering, item));
    if (text.length < LIST_PIECE_BYTES) continue;
    breather.sent(text.length);
    yield encodeText(text);
    text = '';
  }
  if (text !== '') yield encodeText(text);
}

function jsonText(status: number, text: string): HttpResponse {
  return textResponse(status, `${text}\n`, { 'content-type': JSON_TYPE });
}

/** The JSON of one object in its form. */
export function objectText(rendering: Rendering, item: CachedObject): string {
  const { registration, form } = rendering;
  switch (form.as) {
    case 'object':
      return form.bare === true ? bareText(registration, item) : servedText(registration, item);
    case 'metadata':
      return textOfObject(partial(item.object, form.version));
    case 'table':
      return tableText(rendering, item);
  }
}

function servedText({ form }: Registration, item: CachedObject): string {
  const served = form?.fromStored(item.object) ?? item.object;
  return served === item.object ? item.text : textOfObject(served);
}

/** An object's JSON without its managed fields. */
function bareText({ form }: Registration, { object }: CachedObject): string {
  const served = form?.fromStored(object) ?? object;
  const { managedFields: _, ...metadata } = served.metadata;
  return JSON.stringify({ ...served, metadata });
}

/** The rows of some tables have an order of their own. */
function inOrder({ registration, form }: Rendering, items: readonly CachedObject[]): readonly CachedObject[] {
  const { table } = registration;
  if (form.as !== 'table' || table.order === undefined) return items;
  return items.toSorted((a, b) => table.order?.(a.object, b.object) ?? 0);
}

/** Everything of a list but its items or rows. */
function listHead({ registration, form }: Rendering, metadata: ListMeta): object {
  switch (form.as) {
    case 'object':
      return { kind: registration.row.listKind, apiVersion: apiVersionOf(registration.row), metadata };
    case 'metadata':
      return { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${form.version}`, metadata };
    case 'table':
      return {
        kind: 'Table',
        apiVersion: `meta.k8s.io/${form.version}`,
        metadata,
        columnDefinitions: registration.table.columns,
      };
  }
}

function partial(object: ApiObject, version: string): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

function tableText(rendering: Rendering, item: CachedObject): string {
  const head = JSON.stringify(listHead(rendering, { resourceVersion: String(item.revision) }));
  return `${head.slice(0, -1)},"rows":[${rowText(rendering, item)}]}`;
}

function rowText(rendering: Rendering, item: CachedObject): string {
  const { registration, now, form } = rendering;
  const { table } = registration;
  const conditions = table.conditions?.(item.object) ?? [];
  const included = includedText(rendering, form.as === 'object' ? 'v1' : form.version, item);
  const row = JSON.stringify({
    cells: table.cells(item.object, now),
    ...(conditions.length === 0 ? {} : { conditions }),
  });
  return `${row.slice(0, -1)},"object":${included}}`;
}

/** Throws 400. */
function checkInclude({ query }: Rendering): void {
  const include = query.get('includeObject') ?? '';
  if (!['', 'Metadata', 'Object', 'None'].includes(include))
    throw badRequest(`unrecognized includeObject value: ${JSON.stringify(include)}`);
}

/** The part of its object that a row carries (`includeObject`): its metadata unless asked otherwise. */
function includedText(rendering: Rendering, version: string, item: CachedObject): string {
  const include = rendering.query.get('includeObject') ?? '';
  switch (include) {
    case '':
    case 'Metadata':
      return textOfObject(partial(item.object, version));
    case 'Object':
      return objectText({ ...rendering, form: { as: 'object' } }, item);
    case 'None':
      return 'null';
    default:
      throw badRequest(`unrecognized includeObject value: ${JSON.stringify(include)}`);
  }
}

/** One line of a watch answer. */
export function watchLine(rendering: Rendering, type: WatchType, item: CachedObject): Uint8Array {
  const { form, registration } = rendering;
  const isWhole = form.as === 'object' && form.bare !== true;
  if (isWhole && (registration.form?.fromStored(item.object) ?? item.object) === item.object) return item.line(type);
  return encodeText(`{"type":"${type}","object":${objectText(rendering, item)}}\n`);
}

/** The bookmark line with the watch's position; `initialEnd`: all initial events are sent. */
export function bookmarkLine(rendering: Rendering, revision: number, initialEnd = false): Uint8Array {
  const { registration, form } = rendering;
  const annotations = initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const metadata = { resourceVersion: String(revision), creationTimestamp: null, ...annotations };
  const { row } = registration;
  const object =
    form.as === 'object'
      ? { kind: row.kind, apiVersion: apiVersionOf(row), metadata }
      : form.as === 'metadata'
        ? { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${form.version}`, metadata }
        : {
            kind: 'Table',
            apiVersion: `meta.k8s.io/${form.version}`,
            metadata,
            columnDefinitions: registration.table.columns,
            rows: [],
          };
  return encodeText(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
}
