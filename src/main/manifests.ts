/** Manifests: text to objects, each knowing where it stands. Pure. */
import { YAMLException } from 'js-yaml';
import {
  findKind,
  type KubeObject,
  printFieldErrors,
  type ResourceRow,
  StatusError,
  ownRowOf,
  readBySchema,
  schemaOf,
} from '../api/index.ts';
import { parseDocument, splitDocuments, type YamlDocument } from '../lib/index.ts';

export interface ManifestObject {
  /** "pods.yaml: document 2, line 14" */
  readonly place: string;
  readonly row: ResourceRow;
  readonly object: KubeObject;
  /** For a namespaced kind: the given one, else "default". */
  readonly namespace: string | undefined;
  readonly name: string;
}

export type ManifestResult = { readonly objects: readonly ManifestObject[]; readonly problems: readonly string[] };

/** @param file as people know it, e.g. the path as given, or "standard input" */
export function parseManifest(file: string, text: string): ManifestResult {
  const objects: ManifestObject[] = [];
  const problems: string[] = [];
  const documents = splitDocuments(text);
  documents.forEach((document, index) => {
    const place = (line: number) => `${file}: ${documents.length > 1 ? `document ${index + 1}, ` : ''}line ${line}`;
    try {
      for (const value of itemsOf(parseDocument(document))) {
        const result = readObject(value, place(lineOfObject(document)));
        if (typeof result === 'string') problems.push(result);
        else objects.push(result);
      }
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      problems.push(`${place(document.line + (error.mark?.line ?? 0))}: ${error.reason}`);
    }
  });
  if (documents.length === 0) problems.push(`${file}: holds no object`);
  return { objects, problems };
}

/** A List's items, else the value itself. */
function itemsOf(value: unknown): readonly unknown[] {
  if (isRecord(value) && value['kind'] === 'List' && value['apiVersion'] === 'v1') {
    return Array.isArray(value['items']) ? value['items'] : [];
  }
  return [value];
}

function lineOfObject(document: YamlDocument): number {
  const first = document.text.split('\n').findIndex((line) => line.trim() !== '' && !/^\s*#/.test(line));
  return document.line + Math.max(0, first);
}

function readObject(value: unknown, place: string): ManifestObject | string {
  if (!isRecord(value)) return `${place}: this is no object (it needs apiVersion, kind and metadata)`;
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || apiVersion === '') return `${place}: apiVersion is missing`;
  if (typeof kind !== 'string' || kind === '') return `${place}: kind is missing`;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/', 2) : ['', apiVersion];
  const row = findKind(group ?? '', version ?? '', kind) ?? ownRowOf(group ?? '', version ?? '', kind);
  if (row === undefined) return `${place}: mendlet serves no ${kind} of ${apiVersion}`;
  if (!isRecord(metadata)) return `${place}: metadata is missing`;
  const { name, namespace } = metadata;
  if (name === undefined || name === null || name === '') return `${place}: metadata.name is missing`;
  if (typeof name !== 'string') return `${place}: metadata.name is no text; put it in quotes`;
  if (namespace !== undefined && typeof namespace !== 'string') return `${place}: metadata.namespace is no text`;
  const where = row.namespaced ? (namespace ?? 'default') : undefined;
  const object = (
    where === undefined ? value : { ...value, metadata: { ...metadata, namespace: where } }
  ) as KubeObject;
  const wrong = problemOf(row, { ...object, apiVersion, kind });
  return wrong === undefined ? { place, row, object, namespace: where, name } : `${place}: ${kind} ${name}: ${wrong}`;
}

type Named = Readonly<Record<string, unknown>> & { readonly apiVersion: string; readonly kind: string };

/** The API server's verdict, found out before anything is started. */
function problemOf(row: ResourceRow, value: Named): string | undefined {
  try {
    // Strict, as kubectl asks for: a misspelt field is a mistake.
    const { object } = readBySchema<KubeObject>(schemaOf(row), value, 'Strict');
    const errors = schemaOf(row).checkNew(object);
    return errors.length === 0 ? undefined : printFieldErrors(errors);
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
