/** Structure of request bodies with the answers a server gives: 400 with upstream's texts, or warnings. */
import { exceedsDepth, MAX_JSON_DEPTH } from './json-depth.ts';
import type { KubeObject } from './resource.ts';
import type { ObjectSchema } from './object-schema.ts';
import { canonicalObject } from './schema/canonical.ts';
import { type FieldValidation, readStructure, StructureError } from './schema/structure.ts';
import { badRequest } from './status-error.ts';

export interface ValidatedStructure<T> {
  /** A pruned copy in canonical form. */
  readonly object: T;
  /** For `Warning` headers; empty unless the mode is Warn. */
  readonly warnings: readonly string[];
}

/**
 * Checks and prunes a decoded body as an object of this kind. Throws `StatusError` 400: for a kind that is not known, a value
 * of a wrong type, and in Strict mode for unknown fields.
 * @param problems what the parser found (duplicate fields): reported after the unknown fields
 */
export function validateStructure<T extends KubeObject>(
  apiVersion: string,
  kind: string,
  value: unknown,
  mode: FieldValidation,
  problems: readonly string[] = [],
): ValidatedStructure<T> {
  const { object, unknownFields } = readOrRefuse(apiVersion, kind, value);
  const found = mode === 'Ignore' ? [] : [...unknownFields, ...problems];
  if (mode === 'Strict' && found.length > 0) {
    throw badRequest(`${prefix(apiVersion, kind)}: strict decoding error: ${found.join(', ')}`);
  }
  return { object: canonicalObject(apiVersion, kind, object) as unknown as T, warnings: found };
}

/** A decoded body by the schema of its kind, with defaults. Throws `StatusError` 400, as `validateStructure`. */
export function readBySchema<T extends KubeObject>(
  schema: ObjectSchema,
  value: Readonly<Record<string, unknown>> & { readonly apiVersion: string; readonly kind: string },
  mode: FieldValidation,
  problems: readonly string[] = [],
): ValidatedStructure<T> {
  const { apiVersion, kind } = value;
  if (exceedsDepth(value, MAX_JSON_DEPTH)) throw badRequest(`${prefix(apiVersion, kind)}: json: exceeded max depth`);
  try {
    const { object, unknownFields } = schema.prune(value);
    const found = mode === 'Ignore' ? [] : [...unknownFields, ...problems];
    if (mode === 'Strict' && found.length > 0)
      throw badRequest(`${prefix(apiVersion, kind)}: strict decoding error: ${found.join(', ')}`);
    return { object: schema.setDefaults(object) as unknown as T, warnings: found };
  } catch (error) {
    if (error instanceof StructureError) throw badRequest(`${prefix(apiVersion, kind)}: ${error.message}`);
    throw error;
  }
}

function readOrRefuse(apiVersion: string, kind: string, value: unknown) {
  if (exceedsDepth(value, MAX_JSON_DEPTH)) throw badRequest(`${prefix(apiVersion, kind)}: json: exceeded max depth`);
  try {
    const structure = readStructure(apiVersion, kind, value);
    if (structure === undefined) throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}"`);
    return structure;
  } catch (error) {
    if (error instanceof StructureError) throw badRequest(`${prefix(apiVersion, kind)}: ${error.message}`);
    throw error;
  }
}

function prefix(apiVersion: string, kind: string): string {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  return `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}`;
}
