/** Custom resources in OpenAPI's terms: their own schemas, with what every resource has (upstream: controller/openapi/builder). Pure. */
import { additionalOf, itemsOf, type JsonSchema, type ResourceRow, schemaOf } from '../../api/index.ts';
import type { RefStyle, Schema } from './schema.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The schema of a custom resource; undefined: the row is no such one. */
export function customRootOf(row: ResourceRow): JsonSchema | undefined {
  return schemaOf(row).describe({ types: () => undefined, json: (root) => root ?? {} });
}

/** "com.example.stable.v1.CronTab": the group backwards. */
export function customDefinitionName({ group, version }: ResourceRow, kind: string): string {
  return `${group.split('.').toReversed().join('.')}.${version}.${kind}`;
}

const VERSION_TEXT =
  'The version of the schema of this object. Servers convert known versions to their own, and refuse unknown ones.';
const KIND_TEXT =
  'The kind of this object, by which clients know where it belongs. In CamelCase; it cannot be changed.';

/**
 * The definitions of a custom resource and its list, by name.
 * @param isV2 OpenAPI v2 has no alternatives and no null: what needs them is left out
 */
export function customDefinitions(
  row: ResourceRow,
  root: JsonSchema,
  ref: RefStyle,
  isV2: boolean,
): Map<string, Schema> {
  const { group, version, kind, listKind } = row;
  const name = customDefinitionName(row, kind);
  const published = isV2 ? forV2(root) : (root as Schema);
  const isOpen = root['x-kubernetes-preserve-unknown-fields'] === true && isV2;
  const properties = {
    apiVersion: { type: 'string', description: VERSION_TEXT },
    kind: { type: 'string', description: KIND_TEXT },
    metadata: { ...ref(`${META}.ObjectMeta`), description: 'Standard object metadata.' },
  };
  const object: Schema = {
    ...published,
    type: 'object',
    ...(isOpen ? {} : { properties: { ...published.properties, ...properties } }),
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
  const list: Schema = {
    type: 'object',
    description: `A list of ${kind}.`,
    required: ['items'],
    properties: {
      apiVersion: properties.apiVersion,
      kind: properties.kind,
      metadata: ref(`${META}.ListMeta`),
      items: { type: 'array', description: `The objects of the list.`, items: ref(name) },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
  };
  return new Map([
    [name, object],
    [customDefinitionName(row, listKind), list],
  ]);
}

const V2_FIELDS: readonly (keyof JsonSchema)[] = [
  'description',
  'type',
  'format',
  'required',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
];

/** What version 2 can say of a schema. A value that may be null, or of two types, has none there. */
function forV2(schema: JsonSchema): Schema {
  const kept: Record<string, unknown> = {};
  for (const name of V2_FIELDS) if (schema[name] !== undefined) kept[name] = schema[name];
  const isLoose = schema.nullable === true || schema['x-kubernetes-int-or-string'] === true;
  if (isLoose || schema['x-kubernetes-preserve-unknown-fields'] === true) {
    if (isLoose) delete kept['type'];
    delete kept['required'];
    return kept;
  }
  const [items, additional] = [itemsOf(schema), additionalOf(schema)];
  if (items !== undefined) kept['items'] = forV2(items);
  if (additional !== undefined) kept['additionalProperties'] = forV2(additional);
  if (schema.properties !== undefined)
    kept['properties'] = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, forV2(property)]),
    );
  return kept;
}
