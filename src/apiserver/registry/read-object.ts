/** From a request's body to an object that may be stored: kind, structure, defaults, identity in the path. */
import {
  apiVersionOf,
  badRequest,
  type FieldValidation,
  readBySchema,
  type ResourceRow,
  schemaOf,
} from '../../api/index.ts';
import type { ParsedBody } from '../http/body.ts';
import { refuseTooManyEntries } from '../http/entries.ts';
import { type ApiObject, isRecord, textOf } from './object.ts';

export interface ReadOptions {
  readonly row: ResourceRow;
  readonly fieldValidation: FieldValidation;
  readonly warnings: string[];
}

/** A decoded body as an object of the row's kind, pruned and with defaults. Throws 400. */
export function readObject({ value, problems }: ParsedBody, options: ReadOptions): ApiObject {
  const { row, warnings } = options;
  if (!isRecord(value)) throw badRequest('the body of the request must be an object');
  const apiVersion = apiVersionOf(row);
  const given = { apiVersion: textOf(value['apiVersion']), kind: textOf(value['kind']) };
  if (given.kind !== '' && given.kind !== row.kind) {
    throw badRequest(`${given.kind} in version ${JSON.stringify(row.version)} cannot be handled as a ${row.kind}`);
  }
  if (given.apiVersion !== '' && given.apiVersion !== apiVersion) {
    const text = `the API version in the data (${given.apiVersion}) does not match the expected API version (${apiVersion})`;
    throw badRequest(text);
  }
  refuseTooManyEntries(value);
  const named = { ...value, apiVersion, kind: row.kind };
  const { object, warnings: found } = readBySchema<ApiObject>(schemaOf(row), named, options.fieldValidation, problems);
  warnings.push(...found);
  return { ...object, metadata: object.metadata ?? {} };
}

/** Puts the path's namespace and name on the object. Throws 400 when it says otherwise. */
export function placeObject(
  object: ApiObject,
  row: ResourceRow,
  namespace: string | undefined,
  name: string | undefined,
): ApiObject {
  const { metadata } = object;
  if (row.namespaced) refuseOtherNamespace(metadata.namespace, namespace);
  if (name !== undefined && metadata.name && metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  const { namespace: _, ...rest } = metadata;
  return {
    ...object,
    metadata: {
      ...rest,
      ...(name === undefined ? {} : { name }),
      ...(row.namespaced && namespace !== undefined ? { namespace } : {}),
    },
  };
}

/** Throws 400 when a body says that it lies elsewhere than its path. */
export function refuseOtherNamespace(given: unknown, namespace: string | undefined): void {
  if (!given || namespace === undefined || given === namespace) return;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}
