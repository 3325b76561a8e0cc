/**
 * What a schema of a definition may not hold (upstream: apis/apiextensions/validation: OpenAPIV3Schema and defaults), with
 * upstream's messages. Pure.
 */
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from '../field-error.ts';
import { checkValue as checkByRules } from './check.ts';
import { additionalOf, itemsOf, type JsonSchema, preservesUnknown, propertyOf } from './json-schema.ts';
import { checkListTypes } from './list-types.ts';
import { patternProblem } from './patterns.ts';
import { pruneValue } from './prune.ts';
import { isSchema, structuralErrors } from './structural-rules.ts';
import { equalJson } from '../validation/messages.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
/** A schema with more nodes is refused: each write of an object walks it. */
export const MAX_SCHEMA_NODES = 50_000;
const MAX_ERRORS = 100;

/** All that is wrong with the schema of one version. `path`: where it stands. */
export function schemaErrors(schema: JsonSchema, path: string): readonly FieldError[] {
  const walk: Walk = { errors: [], nodes: 0 };
  visit(schema, path, false, walk);
  if (walk.nodes > MAX_SCHEMA_NODES)
    return [forbiddenField(path, `must have at most ${MAX_SCHEMA_NODES} schemas within it`)];
  // Later rules rely on the earlier ones.
  if (walk.errors.length > 0) return walk.errors;
  const structural = structuralErrors(schema, path);
  if (structural.length > 0) return structural.slice(0, MAX_ERRORS);
  const errors: FieldError[] = [];
  visitDefaults(schema, path, errors);
  return errors.slice(0, MAX_ERRORS);
}

interface Walk {
  readonly errors: FieldError[];
  nodes: number;
}

function visit(schema: JsonSchema, path: string, inJunctor: boolean, walk: Walk): void {
  const { errors } = walk;
  if (++walk.nodes > MAX_SCHEMA_NODES || errors.length >= MAX_ERRORS) return;
  errors.push(...forbiddenParts(schema, path), ...typeNameErrors(schema, path), ...boundErrors(schema, path));
  if (!inJunctor) errors.push(...listErrors(schema, path), ...mapErrors(schema, path));
  for (const [name, each] of Object.entries(schema.properties ?? {}))
    if (isSchema(each)) visit(each, `${path}.properties[${name}]`, inJunctor, walk);
  const [items, additional] = [itemsOf(schema), additionalOf(schema)];
  if (items !== undefined) visit(items, `${path}.items`, inJunctor, walk);
  if (additional !== undefined) visit(additional, `${path}.additionalProperties`, inJunctor, walk);
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const [position, each] of (schema[name] ?? []).entries())
      visit(each, `${path}.${name}[${position}]`, true, walk);
  if (schema.not !== undefined) visit(schema.not, `${path}.not`, true, walk);
}

const UNSUPPORTED: readonly (readonly [keyof JsonSchema, string])[] = [
  ['definitions', 'definitions is not supported'],
  ['dependencies', 'dependencies is not supported'],
  ['id', 'id is not supported'],
  ['additionalItems', 'additionalItems is not supported'],
  ['patternProperties', 'patternProperties is not supported'],
  ['$ref', '$ref is not supported'],
];

/** Those that are there even when they are empty. */
const POINTERS: ReadonlySet<string> = new Set(['additionalItems', '$ref', 'dependencies']);

function forbiddenParts(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, text] of UNSUPPORTED) {
    const value = schema[name];
    const isEmpty = value === '' || (isSchema(value) && Object.keys(value).length === 0);
    if (value === undefined || (isEmpty && !POINTERS.has(name))) continue;
    errors.push(forbiddenField(`${path}.${name}`, text));
  }
  if (schema.uniqueItems === true)
    errors.push(
      forbiddenField(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  const { additionalProperties } = schema;
  if (additionalProperties === false)
    errors.push(forbiddenField(`${path}.additionalProperties`, 'additionalProperties cannot be set to false'));
  if (additionalProperties !== undefined && Object.keys(schema.properties ?? {}).length > 0)
    errors.push(
      forbiddenField(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    );
  if (Array.isArray(schema.items))
    errors.push(forbiddenField(`${path}.items`, 'items must be a schema object and not an array'));
  return errors;
}

function typeNameErrors({ type = '' }: JsonSchema, path: string): FieldError[] {
  if (type === 'null')
    return [forbiddenField(`${path}.type`, 'type cannot be set to null, use nullable as an alternative')];
  return type === '' || TYPES.includes(type) ? [] : [notSupported(`${path}.type`, type, TYPES)];
}

function boundErrors(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const problem = schema.pattern === undefined ? undefined : patternProblem(schema.pattern);
  if (problem !== undefined)
    errors.push(
      invalidValue(`${path}.pattern`, schema.pattern, `must be a valid regular expression, but isn't: ${problem}`),
    );
  return errors;
}

function listErrors(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keysAt = `${path}.x-kubernetes-list-map-keys`;
  if (listType !== undefined) {
    if (schema.type !== 'array')
      errors.push(
        invalidValue(`${path}.type`, schema.type ?? '', 'must be array if x-kubernetes-list-type is specified'),
      );
    if (!['atomic', 'set', 'map'].includes(listType))
      errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }
  if (keys.length > 0 && listType !== 'map')
    errors.push(
      listType === undefined
        ? required(`${path}.x-kubernetes-list-type`, 'must be map if x-kubernetes-list-map-keys is non-empty')
        : invalidValue(
            `${path}.x-kubernetes-list-type`,
            listType,
            'must be map if x-kubernetes-list-map-keys is non-empty',
          ),
    );
  const items = itemsOf(schema);
  if (listType === 'set' && items !== undefined) errors.push(...setItemErrors(items, `${path}.items`));
  if (listType !== 'map') return errors;
  if (keys.length === 0) errors.push(required(keysAt, 'must not be empty if x-kubernetes-list-type is map'));
  if (items === undefined) {
    errors.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'));
    return errors;
  }
  if (items.type !== 'object')
    errors.push(
      invalidValue(
        `${path}.items.type`,
        items.type ?? '',
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    );
  return [...errors, ...keyErrors(items, keys, path)];
}

function setItemErrors(items: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (items.nullable === true)
    errors.push(forbiddenField(`${path}.nullable`, 'cannot be nullable when x-kubernetes-list-type is set'));
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    errors.push(
      invalidValue(
        `${path}.x-kubernetes-map-type`,
        items['x-kubernetes-map-type'] ?? '',
        'must be atomic as item of a list with x-kubernetes-list-type=set',
      ),
    );
  return errors;
}

function keyErrors(items: JsonSchema, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [position, name] of keys.entries()) {
    const at = `${path}.x-kubernetes-list-map-keys[${position}]`;
    const known = propertyOf(items, name);
    if (seen.has(name)) errors.push(invalidValue(at, name, 'must be unique'));
    seen.add(name);
    if (known === undefined) {
      errors.push(
        invalidValue(`${path}.x-kubernetes-list-map-keys`, keys, 'entries must all be names of item properties'),
      );
      continue;
    }
    if (known.type === 'array' || known.type === 'object')
      errors.push(
        invalidValue(
          `${path}.items.properties[${name}].type`,
          known.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (known.nullable === true)
      errors.push(
        forbiddenField(
          `${path}.items.properties[${name}].nullable`,
          'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
        ),
      );
    if (known.default === undefined && !(items.required ?? []).includes(name))
      errors.push(
        required(
          `${path}.items.properties[${name}].default`,
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      );
  }
  return errors;
}

function mapErrors(schema: JsonSchema, path: string): FieldError[] {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  const errors: FieldError[] = [];
  if (schema.type !== 'object')
    errors.push(
      invalidValue(`${path}.type`, schema.type ?? '', 'must be object if x-kubernetes-map-type is specified'),
    );
  if (!['atomic', 'granular'].includes(mapType))
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  return errors;
}

/** A default must be a value that the schema would take as it is. */
function visitDefaults(schema: JsonSchema, path: string, errors: FieldError[]): void {
  if (errors.length >= MAX_ERRORS) return;
  if (schema.default !== undefined) errors.push(...defaultErrors(schema, schema.default, `${path}.default`));
  for (const [name, each] of Object.entries(schema.properties ?? {}))
    visitDefaults(each, `${path}.properties[${name}]`, errors);
  const [items, additional] = [itemsOf(schema), additionalOf(schema)];
  if (items !== undefined) visitDefaults(items, `${path}.items`, errors);
  if (additional !== undefined) visitDefaults(additional, `${path}.additionalProperties`, errors);
}

function defaultErrors(schema: JsonSchema, given: unknown, path: string): readonly FieldError[] {
  if (given === null && schema.nullable !== true && !preservesUnknown(schema))
    return [invalidValue(path, null, 'must not be null')];
  const { multipleOf } = schema;
  if (multipleOf !== undefined && multipleOf <= 0)
    return [invalidValue(path, multipleOf, `factor MultipleOf declared for  must be positive: ${multipleOf}`)];
  const pruned = pruneValue(schema, given);
  if (!equalJson(pruned, given)) return [invalidValue(path, given, 'must not have unknown fields')];
  // As it stands: the defaults of its own fields do not count.
  const found = [...checkByRules(schema, given), ...checkListTypes(schema, given)];
  // Messages name places within the default.
  return found.map((error) => ({ ...error, field: error.field === '' ? path : `${path}.${error.field}` }));
}
