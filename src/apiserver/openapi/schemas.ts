/** Schemas of the served kinds in OpenAPI's terms, from `api`'s derived schema. Names are upstream's. */
import {
  apiVersionOf,
  type FieldSchema,
  type FieldShape,
  type ResourceRow,
  type Scalar,
  type Steps,
  type StructSchema,
  structOfKind,
  structSchema,
} from '../../api/index.ts';
import { customDefinitionName, customDefinitions, customRootOf } from './custom-schemas.ts';
import type { GroupVersionKind, RefStyle, Schema } from './schema.ts';

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const scalarSchemas: Readonly<Record<Scalar, Schema>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  duration: { type: 'string' },
  any: { type: 'object' },
  quantity: { $ref: QUANTITY },
  intOrString: { $ref: INT_OR_STRING },
  time: { $ref: `${META}.Time` },
  microTime: { $ref: `${META}.MicroTime` },
};

const namedScalars: Readonly<Record<string, Schema>> = {
  [QUANTITY]: { type: 'string' },
  [INT_OR_STRING]: { type: 'string', format: 'int-or-string' },
  [`${META}.Time`]: { type: 'string', format: 'date-time' },
  [`${META}.MicroTime`]: { type: 'string', format: 'date-time' },
};

/** Kinds that belong to every group: options of deletes and Status of failures. */
const COMMON_KINDS: readonly string[] = ['DeleteOptions', 'Status'];

/** "core.v1.Pod" → "io.k8s.api.core.v1.Pod"; our own as servers name custom resources, by the group backwards. */
export function definitionName(type: string): string {
  if (type.startsWith('mendlet.')) return `dev.${type}`;
  if (type.startsWith('apiextensions.')) return `io.k8s.apiextensions-apiserver.pkg.apis.${type}`;
  return type.startsWith('meta.v1.') ? `io.k8s.apimachinery.pkg.apis.${type}` : `io.k8s.api.${type}`;
}

/** The definition of a served kind; undefined for one that the schema does not know. */
export function definitionOfKind(row: ResourceRow, kind: string): string | undefined {
  if (customRootOf(row) !== undefined) return customDefinitionName(row, kind);
  const apiVersion = apiVersionOf(row);
  const struct = structOfKind(apiVersion, kind);
  return struct === undefined ? undefined : definitionName(struct.name);
}

/**
 * Definitions of the rows' kinds and everything they are made of, by name; a step for each row.
 * @param isV2 for OpenAPI v2, which can say less
 */
export function* definitionsOf(
  rows: readonly ResourceRow[],
  ref: RefStyle,
  isV2 = false,
): Steps<ReadonlyMap<string, Schema>> {
  const builder = new DefinitionBuilder(ref);
  for (const row of rows) {
    const root = customRootOf(row);
    if (root !== undefined) builder.addCustom(customDefinitions(row, root, ref, isV2));
    for (const kind of kindsOf(row)) builder.addKind(kind);
    for (const kind of COMMON_KINDS) builder.addKind({ group: '', version: 'v1', kind });
    yield;
  }
  return builder.sorted();
}

function kindsOf(row: ResourceRow): readonly GroupVersionKind[] {
  const { group, version } = row;
  const own = [row.kind, ...(row.verbs.includes('list') ? [row.listKind] : [])].map((kind) => ({
    group,
    version,
    kind,
  }));
  const others = row.subresources.map((entry) => ({
    group: entry.group ?? group,
    version: entry.version ?? version,
    kind: entry.kind,
  }));
  return [...own, ...others];
}

class DefinitionBuilder {
  readonly #ref: RefStyle;
  readonly #definitions = new Map<string, Schema>();

  constructor(ref: RefStyle) {
    this.#ref = ref;
  }

  addKind(gvk: GroupVersionKind): void {
    const struct = structOfKind(apiVersionOf(gvk), gvk.kind);
    if (struct === undefined) return;
    const name = definitionName(struct.name);
    this.#addStruct(struct);
    const known = this.#definitions.get(name) ?? {};
    const kinds = (known['x-kubernetes-group-version-kind'] ?? []) as readonly GroupVersionKind[];
    if (kinds.some((entry) => entry.group === gvk.group && entry.version === gvk.version && entry.kind === gvk.kind))
      return;
    this.#definitions.set(name, { ...known, 'x-kubernetes-group-version-kind': [...kinds, gvk] });
  }

  /** Definitions that are whole, but for the metadata that they refer to. */
  addCustom(definitions: ReadonlyMap<string, Schema>): void {
    for (const [name, schema] of definitions) this.#definitions.set(name, schema);
    this.#addStruct(structSchema('meta.v1.ObjectMeta'));
    this.#addStruct(structSchema('meta.v1.ListMeta'));
  }

  sorted(): ReadonlyMap<string, Schema> {
    return new Map([...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #addStruct(struct: StructSchema): void {
    const name = definitionName(struct.name);
    if (this.#definitions.has(name)) return;
    // Before its fields: types may contain themselves.
    this.#definitions.set(name, { type: 'object' });
    const fields = [...struct.fields];
    const required = fields.filter(([, field]) => field.required).map(([field]) => field);
    const properties = Object.fromEntries(fields.map(([field, schema]) => [field, this.#field(schema, struct.name)]));
    const description = struct.text === undefined ? {} : { description: struct.text };
    const needed = required.length === 0 ? {} : { required };
    this.#definitions.set(name, { type: 'object', ...description, properties, ...needed });
  }

  #field(field: FieldSchema, struct: string): Schema {
    // A schema within a definition holds values of any type, not objects alone.
    const shape = struct === JSON_SCHEMA ? anyJson(field.shape) : undefined;
    return {
      ...(shape ?? withEnum(this.#shape(field.shape), field.doc?.oneOf)),
      ...(field.doc === undefined ? {} : { description: field.doc.text }),
      ...(field.patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
      ...(field.patchStrategies.length === 0 ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategies.join(',') }),
      ...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
      ...(field.listMapKeys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': field.listMapKeys }),
    };
  }

  #shape(shape: FieldShape): Schema {
    switch (shape.kind) {
      case 'scalar':
        if (shape.or !== undefined) this.#addStruct(structSchema(shape.or));
        return this.#scalar(shape.scalar);
      case 'list':
        return { type: 'array', items: this.#shape(shape.element) };
      case 'map':
        return { type: 'object', additionalProperties: this.#shape(shape.value) };
      case 'struct': {
        const struct = structSchema(shape.type);
        this.#addStruct(struct);
        return this.#ref(definitionName(struct.name));
      }
    }
  }

  #scalar(scalar: Scalar): Schema {
    const schema = scalarSchemas[scalar];
    const named = schema.$ref === undefined ? undefined : namedScalars[schema.$ref];
    if (schema.$ref === undefined || named === undefined) return schema;
    this.#definitions.set(schema.$ref, named);
    return this.#ref(schema.$ref);
  }
}

const JSON_SCHEMA = 'apiextensions.v1.JSONSchemaProps';

/** Undefined: the shape is not that of any value, or of a list of such. */
function anyJson(shape: FieldShape): Schema | undefined {
  if (shape.kind === 'scalar' && shape.scalar === 'any') return {};
  const isList = shape.kind === 'list' && shape.element.kind === 'scalar' && shape.element.scalar === 'any';
  return isList ? { type: 'array', items: {} } : undefined;
}

/** Of a list, its members. */
function withEnum(schema: Schema, values: readonly string[] | undefined): Schema {
  if (values === undefined) return schema;
  return schema.items === undefined
    ? { ...schema, enum: values }
    : { ...schema, items: { ...schema.items, enum: values } };
}
