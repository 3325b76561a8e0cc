/** The schema of a version of a custom resource, as its definition holds it (apiextensions.k8s.io/v1 JSONSchemaProps). Pure. */

/** One node. It is used as it was stored: nothing is compiled, so that a schema costs no memory beside its definition. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $schema?: string;
  readonly id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  readonly enum?: readonly unknown[];
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly additionalItems?: JsonSchema | boolean;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** A rule in CEL. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema of a field; undefined: the schema names none of that name. */
export function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of the members of a list; undefined: it says nothing of them. */
export function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return items === undefined || Array.isArray(items) ? undefined : (items as JsonSchema);
}

/** The schema of the values of a map; undefined: it is none, or says nothing of them. */
export function additionalOf({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

export const preservesUnknown = (schema: JsonSchema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true;
export const isEmbedded = (schema: JsonSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;
export const isIntOrString = (schema: JsonSchema): boolean => schema['x-kubernetes-int-or-string'] === true;

/** `parent.name`, `name` at the root. */
export function fieldPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}

/** Every node of a schema below and with this one, of values: not those of allOf, anyOf, oneOf and not. */
export function* nodesOf(schema: JsonSchema): Generator<JsonSchema, void, undefined> {
  const waiting: JsonSchema[] = [schema];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    waiting.push(...Object.values(node.properties ?? {}));
    const [items, additional] = [itemsOf(node), additionalOf(node)];
    if (items !== undefined) waiting.push(items);
    if (additional !== undefined) waiting.push(additional);
  }
}

/** The schema of the field at a path of names (".spec.a", ".spec['b.c']"); undefined: it leads to none, or is no such path. */
export function findSchemaByPath(schema: JsonSchema, path: string): JsonSchema | undefined {
  let node: JsonSchema | undefined = schema;
  let rest = path;
  while (rest !== '') {
    const step = /^(?:\.([A-Za-z_][\w-]*)|\['((?:\\.|[^'\\])*)'\])/.exec(rest);
    if (step === null || node === undefined) return undefined;
    const name = step[1] ?? (step[2] ?? '').replaceAll(/\\(.)/g, '$1');
    node = propertyOf(node, name) ?? additionalOf(node);
    rest = rest.slice(step[0].length);
  }
  return node;
}
