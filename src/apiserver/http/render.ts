/** Objects and lists in the form that the client asked for: as they are, as a table, or their metadata alone. */
import { apiVersionOf, badRequest } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import type { CachedObject, WatchType } from '../cache/cached-object.ts';
import { encodeText } from '../../lib/index.ts';
import type { ApiObject } from '../registry/object.ts';
import type { Registration } from '../registry/registration.ts';
import type { ObjectForm } from './negotiate.ts';
import { JSON_TYPE, textResponse } from './respond.ts';

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

export function renderList(rendering: Rendering, items: readonly CachedObject[], meta: ListMeta): HttpResponse {
  return jsonText(200, listText(rendering, items, meta));
}

function jsonText(status: number, text: string): HttpResponse {
  return textResponse(status, `${text}\n`, { 'content-type': JSON_TYPE });
}

/** The JSON of one object in its form. */
export function objectText(rendering: Rendering, item: CachedObject): string {
  const { registration, form } = rendering;
  switch (form.as) {
    case 'object':
      return registration.form === undefined ? item.text : JSON.stringify(registration.form.fromStored(item.object));
    case 'metadata':
      return JSON.stringify(partial(item.object, form.version));
    case 'table':
      return tableText(rendering, form.version, [item], { resourceVersion: String(item.revision) });
  }
}

function listText(rendering: Rendering, items: readonly CachedObject[], meta: ListMeta): string {
  const { registration, form } = rendering;
  const metadata = JSON.stringify(meta);
  switch (form.as) {
    case 'object': {
      const head = `{"kind":"${registration.row.listKind}","apiVersion":"${apiVersionOf(registration.row)}"`;
      return `${head},"metadata":${metadata},"items":[${items.map((item) => objectText(rendering, item)).join(',')}]}`;
    }
    case 'metadata': {
      const head = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${form.version}"`;
      return `${head},"metadata":${metadata},"items":[${items.map((item) => objectText(rendering, item)).join(',')}]}`;
    }
    case 'table':
      return tableText(rendering, form.version, items, meta);
  }
}

function partial(object: ApiObject, version: string): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

function tableText(rendering: Rendering, version: string, items: readonly CachedObject[], meta: ListMeta): string {
  const { registration, now } = rendering;
  const { table } = registration;
  const rows = items.map((item) => {
    const conditions = table.conditions?.(item.object) ?? [];
    const included = includedText(rendering, version, item);
    const row = JSON.stringify({
      cells: table.cells(item.object, now),
      ...(conditions.length === 0 ? {} : { conditions }),
    });
    return `${row.slice(0, -1)},"object":${included}}`;
  });
  const head = {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: meta,
    columnDefinitions: table.columns,
  };
  return `${JSON.stringify(head).slice(0, -1)},"rows":[${rows.join(',')}]}`;
}

/** What a row carries of its object (`includeObject`): its metadata unless asked otherwise. */
function includedText(rendering: Rendering, version: string, item: CachedObject): string {
  const include = rendering.query.get('includeObject') ?? '';
  switch (include) {
    case '':
    case 'Metadata':
      return JSON.stringify(partial(item.object, version));
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
  if (rendering.form.as === 'object' && rendering.registration.form === undefined) return item.line(type);
  return encodeText(`{"type":"${type}","object":${objectText(rendering, item)}}\n`);
}

/** The line that tells how far the watch is; `initialEnd`: all initial events are sent. */
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
