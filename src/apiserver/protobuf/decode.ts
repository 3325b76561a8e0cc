/**
 * Request bodies in Kubernetes' Protobuf form, as their JSON values: typed clients (kubectl's `create namespace`, kubelets,
 * controllers) send them, and read JSON answers. Numbers come from `fields.json`.
 */
import { setOwn } from '../../api/index.ts';
import { decodeText, formatMicroTime, formatTime } from '../../lib/index.ts';
import { MAX_BODY_ENTRIES } from '../limits.ts';
import { DEFINITION_MESSAGES, EITHER } from './definition-fields.ts';
import raw from './fields.json' with { type: 'json' };
import { FieldBudget, packedVarints, ProtobufError, readFields, type WireValue } from './reader.ts';
import { typeOfKind } from './type-of-kind.ts';

export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** "k8s" and a zero: every such body begins with it. */
const MAGIC = [0x6b, 0x38, 0x73, 0x00];
/** A schema in a definition takes two messages for each level of its fields. */
const MAX_DEPTH = 128;

/** The position of a message in the body, and how much more the body may hold. */
interface Place {
  readonly depth: number;
  readonly budget: FieldBudget;
}

type Json = Record<string, unknown>;

interface Field {
  /** "": the fields of the inner message are the outer one's. */
  readonly name: string;
  readonly kind: 'single' | 'list' | 'map';
  readonly type: string;
  /** A pointer in Go: its zero is a value. */
  readonly pointer: boolean;
}

const MESSAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...raw.messages,
  ...DEFINITION_MESSAGES,
};
const compiled = new Map<string, ReadonlyMap<number, Field>>();

/** The body's object with its apiVersion and kind. Throws `ProtobufError`. */
export function decodeProtobuf(body: Uint8Array): Json {
  if (MAGIC.some((byte, index) => body[index] !== byte))
    throw new ProtobufError('the body does not begin as Kubernetes Protobuf');
  let apiVersion = '';
  let kind = '';
  let content: Uint8Array = new Uint8Array();
  const budget = new FieldBudget(MAX_BODY_ENTRIES);
  for (const [number, value] of readFields(body.subarray(MAGIC.length), budget)) {
    if (number === 1) [apiVersion, kind] = readTypeMeta(bytesOf(value), budget);
    else if (number === 2) content = bytesOf(value);
  }
  const type = typeOfKind(apiVersion, kind);
  if (type === undefined || !Object.hasOwn(MESSAGES, type)) {
    throw new ProtobufError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  }
  return { apiVersion, kind, ...decodeMessage(type, content, { depth: 0, budget }) };
}

function inside({ depth, budget }: Place): Place {
  return { depth: depth + 1, budget };
}

function readTypeMeta(bytes: Uint8Array, budget: FieldBudget): [apiVersion: string, kind: string] {
  let apiVersion = '';
  let kind = '';
  for (const [number, value] of readFields(bytes, budget)) {
    if (number === 1) apiVersion = decodeText(bytesOf(value));
    else if (number === 2) kind = decodeText(bytesOf(value));
  }
  return [apiVersion, kind];
}

function decodeMessage(type: string, bytes: Uint8Array, place: Place): Json {
  if (place.depth > MAX_DEPTH) throw new ProtobufError('the message is nested too deeply');
  const fields = fieldsOf(type);
  const result: Json = {};
  for (const [number, value] of readFields(bytes, place.budget)) {
    const field = fields.get(number);
    if (field !== undefined) decodeField(result, field, value, place);
  }
  return result;
}

function decodeField(result: Json, field: Field, value: WireValue, place: Place): void {
  const { name, type } = field;
  if (name === '') {
    Object.assign(result, decodeMessage(type, bytesOf(value), inside(place)));
  } else if (field.kind === 'map') {
    const map = (result[name] ?? {}) as Json;
    result[name] = map;
    const [key, entry] = decodeEntry(type, bytesOf(value), place);
    setOwn(map, key, entry);
  } else if (field.kind === 'list') {
    const items = (result[name] ?? []) as unknown[];
    result[name] = items;
    if (type !== 'int32' && type !== 'int64') items.push(decodeValue(type, value, place));
    else for (const number of packedVarints(value, place.budget)) items.push(signed(number));
  } else {
    const decoded = decodeValue(type, value, place);
    const isZero = decoded === '' || decoded === 0 || decoded === false || decoded === undefined;
    if (!isZero || (field.pointer && decoded !== undefined)) result[name] = decoded;
  }
}

function decodeEntry(type: string, bytes: Uint8Array, place: Place): [key: string, value: unknown] {
  let key = '';
  let value: unknown = type === 'string' || type === 'bytes' ? '' : {};
  for (const [number, part] of readFields(bytes, place.budget)) {
    if (number === 1) key = decodeText(bytesOf(part));
    else if (number === 2) value = decodeValue(type, part, place);
  }
  return [key, value];
}

function decodeValue(type: string, value: WireValue, place: Place): unknown {
  switch (type) {
    case 'string':
      return decodeText(bytesOf(value));
    case 'bytes':
      return base64(bytesOf(value));
    case 'bool':
      return varintOf(value) !== 0n;
    case 'int32':
    case 'int64':
      return signed(varintOf(value));
    case 'double':
      return doubleOf(value);
    case 'quantity':
      return textField(bytesOf(value), 1);
    case 'intOrString':
      return intOrString(bytesOf(value));
    case 'time':
    case 'microTime':
      return timeOf(bytesOf(value), type);
    case 'duration':
      return `${numberField(bytesOf(value), 1) / 1e9}s`;
    case 'raw':
    case 'json':
      return rawOf(bytesOf(value));
    default:
      return EITHER.has(type)
        ? eitherOf(decodeMessage(type, bytesOf(value), inside(place)))
        : decodeMessage(type, bytesOf(value), inside(place));
  }
}

/** A schema, or what stands in its place. */
function eitherOf({ schema, instead }: Json): unknown {
  return schema ?? instead ?? {};
}

function bytesOf(value: WireValue): Uint8Array {
  if (value.wire !== 'bytes') throw new ProtobufError('a number stands where a text or a message must be');
  return value.bytes;
}

function varintOf(value: WireValue): bigint {
  if (value.wire !== 'varint') throw new ProtobufError('something else stands where a number must be');
  return value.value;
}

function signed(value: bigint): number {
  return Number(BigInt.asIntN(64, value));
}

function doubleOf(value: WireValue): number {
  if (value.wire !== 'fixed' || value.bytes.length !== 8)
    throw new ProtobufError('something else stands where a number must be');
  return new DataView(value.bytes.buffer, value.bytes.byteOffset, 8).getFloat64(0, true);
}

/** Times, quantities and the like have two or three fields. */
function smallMessage(): FieldBudget {
  return new FieldBudget(16);
}

function textField(bytes: Uint8Array, wanted: number): string {
  for (const [number, value] of readFields(bytes, smallMessage()))
    if (number === wanted) return decodeText(bytesOf(value));
  return '';
}

function numberField(bytes: Uint8Array, wanted: number): number {
  for (const [number, value] of readFields(bytes, smallMessage()))
    if (number === wanted) return signed(varintOf(value));
  return 0;
}

/** { 1: type (0 number, 1 text), 2: number, 3: text } */
function intOrString(bytes: Uint8Array): number | string {
  return numberField(bytes, 1) === 1 ? textField(bytes, 3) : numberField(bytes, 2);
}

/** { 1: seconds, 2: nanoseconds }; undefined for Go's zero time, which is written as nothing. */
function timeOf(bytes: Uint8Array, type: 'time' | 'microTime'): string | undefined {
  if (bytes.length === 0) return undefined;
  const ms = numberField(bytes, 1) * 1000;
  if (type === 'time') return formatTime(ms);
  const micros = Math.trunc(numberField(bytes, 2) / 1000);
  return formatMicroTime(ms).replace(/\.\d+Z$/, `.${String(micros).padStart(6, '0')}Z`);
}

/** { 1: JSON } */
function rawOf(bytes: Uint8Array): unknown {
  const text = textField(bytes, 1);
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ProtobufError('an embedded object is no JSON');
  }
}

/** Bytes that are written at once: whole groups of three, and fewer than a call may have arguments. */
const BASE64_PIECE = 3 * 4096;

function base64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += BASE64_PIECE)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + BASE64_PIECE))));
  return pieces.join('');
}

function fieldsOf(type: string): ReadonlyMap<number, Field> {
  const known = compiled.get(type);
  if (known !== undefined) return known;
  const message = Object.hasOwn(MESSAGES, type) ? MESSAGES[type] : undefined;
  if (message === undefined) throw new ProtobufError(`unknown message ${type}`);
  const fields = new Map(Object.entries(message).map(([number, text]) => [Number(number), parseField(text)] as const));
  compiled.set(type, fields);
  return fields;
}

/** "name:[]type*" */
function parseField(text: string): Field {
  const [, name = '', shape = '', type = '', star = ''] = /^([^:]*):(\[\]|\{\}|)([^*]*)(\*?)$/.exec(text) ?? [];
  return { name, kind: shape === '[]' ? 'list' : shape === '{}' ? 'map' : 'single', type, pointer: star === '*' };
}
