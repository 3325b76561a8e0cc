/** OpenAPI v2 (Swagger): all groups in one document, for older clients. */
import type { ResourceRow, Steps } from '../../api/index.ts';
import { encodeText } from '../../lib/index.ts';
import { membersInSteps } from './members.ts';
import { type Operation, type PathOperations, pathsOf } from './paths.ts';
import type { Schema } from './schema.ts';
import { definitionsOf } from './schemas.ts';

export interface OpenApiV2 {
  readonly info: { readonly title: string; readonly version: string };
  readonly definitions: ReadonlyMap<string, Schema>;
  readonly paths: readonly PathOperations[];
}

/** The common source of both of its encodings, of all `rows`. */
export function* openApiV2(rows: readonly ResourceRow[], serverVersion: string): Steps<OpenApiV2> {
  return {
    info: { title: 'Kubernetes', version: serverVersion },
    definitions: yield* definitionsOf(rows, (name) => ({ $ref: `#/definitions/${name}` }), true),
    paths: rows.flatMap(pathsOf),
  };
}

/** The document in pieces. */
export function* openApiV2Json(document: OpenApiV2): Steps<Uint8Array[]> {
  const { info, paths, definitions } = document;
  const pathItems = paths.map((entry) => [entry.path, () => pathItem(entry)] as const);
  return [
    encodeText(`{"swagger":"2.0","info":${JSON.stringify(info)},"paths":`),
    ...(yield* membersInSteps(pathItems)),
    encodeText(',"definitions":'),
    ...(yield* membersInSteps([...definitions].map(([name, schema]) => [name, () => schema] as const))),
    encodeText('}'),
  ];
}

function pathItem({ operations, row, path }: PathOperations): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  const parameters = names.map((name) => ({ name, in: 'path', required: true, type: 'string', uniqueItems: true }));
  const entries = operations.map((operation) => [operation.method, operationObject(operation, row)]);
  return { ...Object.fromEntries(entries), ...(parameters.length === 0 ? {} : { parameters }) };
}

function operationObject(operation: Operation, { group, version, kind }: ResourceRow): object {
  return {
    operationId: operation.id,
    consumes: operation.consumes.length === 0 ? ['*/*'] : operation.consumes,
    produces: ['application/json'],
    parameters: operation.parameters.map(({ name, type }) => ({ name, in: 'query', type, uniqueItems: true })),
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}
