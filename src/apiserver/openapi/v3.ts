/** OpenAPI v3: one document per group and version. */
import type { ResourceRow, Steps } from '../../api/index.ts';
import { encodeText } from '../../lib/index.ts';
import { membersInSteps } from './members.ts';
import { type Operation, type PathOperations, pathsOf } from './paths.ts';
import type { Schema } from './schema.ts';
import { definitionOfKind, definitionsOf } from './schemas.ts';

/** A `$ref` has no neighbours in OpenAPI 3.0, and ours may get extensions: it is wrapped, as upstream does. */
function ref(name: string): Schema {
  return { allOf: [{ $ref: `#/components/schemas/${name}` }] };
}

/** The document of the `rows` of one group and version, in pieces. */
export function* openApiV3(rows: readonly ResourceRow[], serverVersion: string): Steps<Uint8Array[]> {
  const info = { title: 'Kubernetes', version: serverVersion };
  const paths = rows.flatMap(pathsOf).map((entry) => [entry.path, () => pathItem(entry)] as const);
  const definitions = yield* definitionsOf(rows, ref);
  return [
    encodeText(`{"openapi":"3.0.0","info":${JSON.stringify(info)},"paths":`),
    ...(yield* membersInSteps(paths)),
    encodeText(',"components":{"schemas":'),
    ...(yield* membersInSteps([...definitions].map(([name, schema]) => [name, () => schema] as const))),
    encodeText('}}'),
  ];
}

function pathItem(entry: PathOperations): object {
  const operations = entry.operations.map((operation) => [operation.method, operationObject(operation, entry.row)]);
  const names = [...entry.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  const parameters = names.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', uniqueItems: true },
  }));
  return { ...Object.fromEntries(operations), ...(parameters.length === 0 ? {} : { parameters }) };
}

function operationObject(operation: Operation, row: ResourceRow): object {
  const { group, version, kind } = row;
  const answers = definitionOfKind(row, operation.action === 'list' ? row.listKind : kind);
  const body = operation.method === 'put' || operation.method === 'post' ? answers : undefined;
  return {
    tags: [`${group === '' ? 'core' : group.split('.')[0]}_${version}`],
    operationId: operation.id,
    parameters: operation.parameters.map(({ name, type }) => ({
      name,
      in: 'query',
      schema: { type, uniqueItems: true },
    })),
    ...(operation.consumes.length === 0
      ? {}
      : {
          requestBody: {
            content: contentOf(operation.consumes, body),
            ...(body === undefined ? {} : { required: true }),
          },
        }),
    responses: { 200: { description: 'OK', content: contentOf(['application/json'], answers) } },
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

function contentOf(types: readonly string[], name: string | undefined): object {
  const schema = name === undefined ? { type: 'object' } : { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}
