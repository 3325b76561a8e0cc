/** Reads values and types of the official conformance data. */
import { ArrayList, EntryMap } from './values/containers.ts';
import { parseDuration, parseTimestamp } from './values/time.ts';
import { CelError, TypeValue, Uint, type Value } from './values/value.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  UINT,
} from './types/type.ts';

/** What the data has that expressions of Kubernetes cannot make: messages of protocol buffers. */
export class NotOffered extends Error {}

type Json = Readonly<Record<string, unknown>>;

/** A `cel.expr.Value` in the JSON form of protocol buffers. */
export function fromSpec(json: Json): Value {
  const [[kind, value] = ['nullValue', null]] = Object.entries(json);
  switch (kind) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'stringValue':
      return value as boolean | string;
    case 'int64Value':
      return BigInt(value as string);
    case 'uint64Value':
      return new Uint(BigInt(value as string));
    case 'doubleValue':
      return Number(value);
    case 'bytesValue':
      return Uint8Array.from(atob(value as string), (character) => character.charCodeAt(0));
    case 'typeValue':
      return new TypeValue(value as string);
    case 'listValue':
      return new ArrayList(((value as { values?: Json[] }).values ?? []).map(fromSpec));
    case 'mapValue': {
      const entries = (value as { entries?: { key: Json; value: Json }[] }).entries ?? [];
      const map = EntryMap.of(entries.map((entry) => [fromSpec(entry.key), fromSpec(entry.value)] as const));
      if (map instanceof CelError) throw new NotOffered(map.message);
      return map;
    }
    case 'objectValue':
      return fromAny(value as Json);
    default:
      throw new NotOffered(kind);
  }
}

function fromAny(json: Json): Value {
  const text = String(json['value']);
  if (String(json['@type']).endsWith('/google.protobuf.Timestamp')) return parseTimestamp(text) ?? null;
  if (String(json['@type']).endsWith('/google.protobuf.Duration')) return parseDuration(text) ?? null;
  throw new NotOffered(String(json['@type']));
}

const PRIMITIVES: Readonly<Record<string, CelType>> = {
  BOOL,
  INT64: INT,
  UINT64: UINT,
  DOUBLE,
  STRING,
  BYTES,
};

/** A `cel.expr.Type` in the JSON form of protocol buffers. */
export function typeFromSpec(json: Json): CelType {
  const [[kind, value] = ['dyn', {}]] = Object.entries(json);
  const inner = value as Json;
  switch (kind) {
    case 'dyn':
      return DYN;
    case 'null':
      return NULL;
    case 'primitive':
      return PRIMITIVES[value as string] ?? DYN;
    case 'wellKnown':
      if (value === 'TIMESTAMP') return TIMESTAMP;
      return value === 'DURATION' ? DURATION : DYN;
    case 'listType':
      return listOf(typeFromSpec((inner['elemType'] ?? {}) as Json));
    case 'mapType':
      return mapOf(typeFromSpec((inner['keyType'] ?? {}) as Json), typeFromSpec((inner['valueType'] ?? {}) as Json));
    case 'typeParam':
      return { kind: 'parameter', name: value as string };
    case 'type':
      return { kind: 'type', of: typeFromSpec(inner) };
    case 'abstractType': {
      const [parameter = {}] = (inner['parameterTypes'] ?? []) as Json[];
      return optionalOf(typeFromSpec(parameter));
    }
    default:
      throw new NotOffered(`${kind} ${JSON.stringify(value)}`);
  }
}
