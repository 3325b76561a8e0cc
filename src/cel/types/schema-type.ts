/**
 * The declared type of a structural schema, and how often a rule in it may run at most (upstream: apiserver/pkg/cel/common,
 * SchemaDeclType; apiextensions, MaxCardinality). Pure.
 */
import { ANY_VALUE, type DeclaredType, type ObjectField, type ScalarType } from './declared-type.ts';
import { escapeFieldName } from './escape.ts';

/** The fields of a structural schema that say something about types and sizes, named as in JSON. */
export interface SchemaOfValues {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, SchemaOfValues>>;
  readonly items?: SchemaOfValues;
  readonly additionalProperties?: SchemaOfValues | boolean;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

/** The largest request, bytes: what is not bounded by a schema is bounded by it. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;
const MAX_TIME_LENGTH = 32;
const DATE_LENGTH = 12;
/** Bytes per code point at most: schemas count code points. */
const BYTES_PER_CHARACTER = 4;

/**
 * The declared type of a schema; `undefined` for one that expressions do not see (no type, or items that are not seen).
 * `isRoot`: for the root of a resource, which always has apiVersion, kind, metadata.name and metadata.generateName.
 */
export function declaredTypeOf(schema: SchemaOfValues, isRoot = false, name = 'object'): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { ...ANY_VALUE, maxElements: charactersOf(schema, MAX_REQUEST_BYTES - 2) };
  }
  switch (schema.type) {
    case 'array':
      return listTypeOf(schema, name);
    case 'object':
      return schema.additionalProperties === undefined || typeof schema.additionalProperties === 'boolean'
        ? objectTypeOf(isRoot ? withObjectMeta(schema) : schema, name)
        : mapTypeOf(schema, schema.additionalProperties, name);
    case 'string':
      return stringTypeOf(schema);
    case 'boolean':
      return { kind: 'bool', maxElements: 0, minBytes: 4 };
    case 'number':
      return { kind: 'double', maxElements: 0, minBytes: 1 };
    case 'integer':
      return { kind: 'int', maxElements: 0, minBytes: 1 };
    default:
      return undefined;
  }
}

function listTypeOf(schema: SchemaOfValues, name: string): DeclaredType | undefined {
  if (schema.items === undefined) return undefined;
  const items = declaredTypeOf(schema.items, schema.items['x-kubernetes-embedded-resource'], `${name}.@idx`);
  if (items === undefined) return undefined;
  const declared = schema['x-kubernetes-list-type'];
  return {
    kind: 'list',
    items,
    listType: declared === 'set' || declared === 'map' ? declared : 'atomic',
    mapKeys: schema['x-kubernetes-list-map-keys'] ?? [],
    maxElements: atLeastZero(schema.maxItems) ?? mostItems(items.minBytes),
    minBytes: 2,
  };
}

function mapTypeOf(schema: SchemaOfValues, values: SchemaOfValues, name: string): DeclaredType | undefined {
  const type = declaredTypeOf(values, values['x-kubernetes-embedded-resource'], `${name}.@elem`);
  if (type === undefined) return undefined;
  const maxElements = atLeastZero(schema.maxProperties) ?? mostEntries(type.minBytes);
  return { kind: 'map', values: type, maxElements, minBytes: 2 };
}

function objectTypeOf(schema: SchemaOfValues, name: string): DeclaredType {
  const fields = new Map<string, ObjectField>();
  const required = new Set(schema.required ?? []);
  let minBytes = 2;
  for (const [jsonName, property] of Object.entries(schema.properties ?? {})) {
    const type = declaredTypeOf(property, property['x-kubernetes-embedded-resource'], `${name}.${jsonName}`);
    if (type === undefined) continue;
    const escaped = escapeFieldName(jsonName);
    if (escaped !== undefined) fields.set(escaped, { jsonName, type });
    if (required.has(jsonName) && property.default === undefined) minBytes += jsonName.length + type.minBytes + 4;
  }
  return { kind: 'object', name, fields, maxElements: 0, minBytes };
}

function withObjectMeta(schema: SchemaOfValues): SchemaOfValues {
  const string = { type: 'string' };
  const properties = schema.properties ?? {};
  const metadata = { type: 'object', properties: { name: string, generateName: string } };
  return { ...schema, properties: { ...properties, kind: string, apiVersion: string, metadata } };
}

function stringTypeOf(schema: SchemaOfValues): ScalarType {
  switch (schema.format) {
    case 'byte':
      return { kind: 'bytes', maxElements: atLeastZero(schema.maxLength) ?? MAX_REQUEST_BYTES - 2, minBytes: 2 };
    case 'duration':
      return { kind: 'duration', maxElements: MAX_TIME_LENGTH, minBytes: 3 };
    case 'date':
      return { kind: 'timestamp', isDate: true, maxElements: DATE_LENGTH, minBytes: DATE_LENGTH };
    case 'date-time':
      return { kind: 'timestamp', maxElements: MAX_TIME_LENGTH, minBytes: 21 };
    default:
      return { kind: 'string', maxElements: charactersOf(schema, longestOfEnum(schema)), minBytes: 2 };
  }
}

function longestOfEnum(schema: SchemaOfValues): number {
  if (schema.enum === undefined || schema.enum.length === 0) return MAX_REQUEST_BYTES - 2;
  const lengths = schema.enum.map((value) => (typeof value === 'string' ? new TextEncoder().encode(value).length : 0));
  return Math.max(...lengths);
}

function charactersOf(schema: SchemaOfValues, otherwise: number): number {
  const longest = atLeastZero(schema.maxLength);
  return longest === undefined ? otherwise : longest * BYTES_PER_CHARACTER;
}

function atLeastZero(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(0, value);
}

function mostItems(minBytes: number): number {
  return Math.floor((MAX_REQUEST_BYTES - 2) / (minBytes + 1));
}

function mostEntries(minBytes: number): number {
  return Math.floor((MAX_REQUEST_BYTES - 2) / (minBytes + 6));
}

/**
 * How many values a list or map of the schema may have, as its bounds say; undefined when it has none. 1 for what is neither. The caller
 * multiplies the answers of all schemas on the way down to a rule, and takes `cardinalityWithout` when one is undefined.
 */
export function cardinalityOf(schema: SchemaOfValues): number | undefined {
  if (schema.type === 'array') return atLeastZero(schema.maxItems);
  const isMap = schema.type === 'object' && typeof schema.additionalProperties === 'object';
  return isMap ? atLeastZero(schema.maxProperties) : 1;
}

/** How often values of a type fit into one request: how often a rule may run below a list or map without bounds. */
export function cardinalityWithout(type: DeclaredType): number {
  return Math.floor(MAX_REQUEST_BYTES / (type.minBytes + 1));
}
