/**
 * What makes a schema structural: every field has a type outside of allOf, anyOf, oneOf and not (upstream:
 * apiextensions-apiserver/pkg/apiserver/schema/validation.go and complete.go, with their messages). Pure.
 */
import { type FieldError, forbiddenField, invalidValue, required } from '../field-error.ts';
import {
  additionalOf,
  isEmbedded,
  isFields,
  isIntOrString,
  itemsOf,
  type JsonSchema,
  preservesUnknown,
  propertyOf,
} from './json-schema.ts';

type Level = 'root' | 'item' | 'field';

/** All that keeps the schema from being structural. `path`: where it stands in its definition. */
export function structuralErrors(schema: JsonSchema, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  visit(schema, 'root', path, errors);
  return errors;
}

function visit(schema: JsonSchema, level: Level, path: string, errors: FieldError[]): void {
  errors.push(...typeErrors(schema, level, path), ...implicitFieldErrors(schema, level, path));
  for (const [name, each] of Object.entries(schema.properties ?? {}))
    visit(each, 'field', `${path}.properties[${name}]`, errors);
  const [items, additional] = [itemsOf(schema), additionalOf(schema)];
  if (items !== undefined) visit(items, 'item', `${path}.items`, errors);
  if (additional !== undefined) visit(additional, 'field', `${path}.additionalProperties`, errors);
  visitJunctors(withoutTypesOfBoth(schema), schema, path, path, errors);
}

/**
 * The schema without the one alternative that may name types: "integer" and "string" of what is both, alone or as the first of all that must hold.
 */
function withoutTypesOfBoth(schema: JsonSchema): JsonSchema {
  if (!isIntOrString(schema)) return schema;
  const { anyOf, ...others } = schema;
  if (isTypesOfBoth(anyOf)) return others;
  const [first, ...rest] = schema.allOf ?? [];
  const isFirst = first !== undefined && Object.keys(first).length === 1 && isTypesOfBoth(first.anyOf);
  // An empty part keeps the places of the rest.
  return isFirst ? { ...schema, allOf: [{}, ...rest] } : schema;
}

function isTypesOfBoth(anyOf: readonly JsonSchema[] | undefined): boolean {
  return JSON.stringify(anyOf) === '[{"type":"integer"},{"type":"string"}]';
}

const NEEDS_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function typeErrors(schema: JsonSchema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { type = '', nullable } = schema;
  const at = `${path}.type`;
  if (isEmbedded(schema) && type !== 'object') {
    const text = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(at, text) : invalidValue(at, type, text));
  } else if (type === '' && !isIntOrString(schema) && (!preservesUnknown(schema) || level === 'root')) {
    errors.push(required(at, NEEDS_TYPE[level]));
  } else if (level === 'root' && type !== 'object') errors.push(invalidValue(at, type, 'must be object at the root'));
  if (level === 'root' && nullable === true)
    errors.push(forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root'));
  if (isIntOrString(schema) && type !== '')
    errors.push(invalidValue(at, type, 'must be empty if x-kubernetes-int-or-string is true'));
  if (preservesUnknown(schema) && type !== '' && type !== 'object')
    errors.push(invalidValue(at, type, 'must be object if x-kubernetes-preserve-unknown-fields is true'));
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  if (isEmbedded(schema) && !preservesUnknown(schema) && Object.keys(schema.properties ?? {}).length === 0)
    errors.push(
      required(
        `${path}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
  return errors;
}

/** apiVersion, kind and metadata of a resource are known: a schema may not say otherwise. */
function implicitFieldErrors(schema: JsonSchema, level: Level, path: string): FieldError[] {
  if (level !== 'root' && !isEmbedded(schema)) return [];
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion']) {
    const type = propertyOf(schema, name)?.type;
    if (type !== undefined && type !== 'string')
      errors.push(invalidValue(`${path}.properties[${name}].type`, type, 'must be string'));
  }
  const metadata = propertyOf(schema, 'metadata');
  if (metadata === undefined) return errors;
  const at = `${path}.properties[metadata]`;
  if (metadata.type !== 'object') errors.push(invalidValue(`${at}.type`, metadata.type ?? '', 'must be object'));
  const { type: _, description: _text, title: _title, properties = {}, ...others } = metadata;
  const isTooMuch =
    Object.keys(properties).some((name) => name !== 'name' && name !== 'generateName') || hasMeaning(others);
  if (isTooMuch)
    errors.push(
      forbiddenField(
        at,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
  return errors;
}

function hasMeaning(fields: object): boolean {
  return Object.values(fields).some((value) => value !== undefined && value !== false);
}

/** The parts that stand in allOf, anyOf, oneOf and not, each with its path. */
export function junctorsOf(schema: JsonSchema, path: string): readonly (readonly [JsonSchema, string])[] {
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
    (schema[name] ?? []).map((each, position) => [each, `${path}.${name}[${position}]`] as const),
  );
  return schema.not === undefined ? lists : [...lists, [schema.not, `${path}.not`]];
}

function visitJunctors(
  part: JsonSchema,
  structure: JsonSchema,
  path: string,
  structurePath: string,
  errors: FieldError[],
): void {
  for (const [each, at] of junctorsOf(part, path)) visitPart(each, structure, at, structurePath, errors);
}

/** Fields that only the structure itself may have; the word is what they must be in its parts. */
const ONLY_OF_STRUCTURE: readonly (readonly [keyof JsonSchema, string])[] = [
  ['additionalProperties', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['default', 'must be undefined to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

/** Those that are there even when they are false or empty. */
const UNDEFINED_ONLY: ReadonlySet<string> = new Set([
  'additionalProperties',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
]);

/** One part of a junctor: it may restrict what the structure has, and add nothing. */
function visitPart(
  part: JsonSchema,
  structure: JsonSchema,
  path: string,
  structurePath: string,
  errors: FieldError[],
): void {
  if (part.type !== undefined && part.type !== '')
    errors.push(forbiddenField(`${path}.type`, 'must be empty to be structural'));
  for (const [name, text] of ONLY_OF_STRUCTURE) {
    const value = part[name];
    if (value === undefined || value === false || value === '' || (Array.isArray(value) && value.length === 0)) {
      if (!UNDEFINED_ONLY.has(name) || value === undefined) continue;
    }
    errors.push(forbiddenField(`${path}.${name}`, text));
  }
  if (part['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  for (const [name, each] of Object.entries(part.properties ?? {})) {
    const [at, structureAt] = [`${path}.properties[${name}]`, `${structurePath}.properties[${name}]`];
    const known = propertyOf(structure, name);
    if (known === undefined) errors.push(required(structureAt, `because it is defined in ${at}`));
    else visitPart(each, known, at, structureAt, errors);
  }
  const items = itemsOf(part);
  if (items !== undefined && Object.keys(items).length > 0) {
    const known = itemsOf(structure);
    if (known === undefined) errors.push(required(`${structurePath}.items`, `because it is defined in ${path}.items`));
    else visitPart(items, known, `${path}.items`, `${structurePath}.items`, errors);
  }
  visitJunctors(part, structure, path, structurePath, errors);
}

export const isSchema = (value: unknown): value is JsonSchema => isFields(value);
