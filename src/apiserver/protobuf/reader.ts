/** The wire format of Protobuf, read as far as request bodies need it. */

/** Bytes that are no Protobuf. */
export class ProtobufError extends Error {
  override readonly name: string = 'ProtobufError';
}

export type WireValue =
  | { readonly wire: 'varint'; readonly value: bigint }
  | { readonly wire: 'fixed'; readonly bytes: Uint8Array }
  | { readonly wire: 'bytes'; readonly bytes: Uint8Array };

/** More fields than a body may have: reading all of them would make others wait. */
export class TooManyFieldsError extends ProtobufError {}

/** How many fields and elements a body may have. */
export class FieldBudget {
  #left: number;

  constructor(fields: number) {
    this.#left = fields;
  }

  /** Takes one. Throws `TooManyFieldsError` when there is none left. */
  take(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new TooManyFieldsError('the message has too many fields');
  }
}

/** The fields of one message in their order. Throws `ProtobufError`. */
export function* readFields(
  bytes: Uint8Array,
  budget: FieldBudget,
): Generator<readonly [number: number, value: WireValue], void, undefined> {
  const cursor = { bytes, at: 0 };
  while (cursor.at < bytes.length) {
    budget.take();
    const tag = Number(readVarint(cursor));
    yield [tag >>> 3, readValue(cursor, tag & 7)];
  }
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function readValue(cursor: Cursor, wireType: number): WireValue {
  switch (wireType) {
    case 0:
      return { wire: 'varint', value: readVarint(cursor) };
    case 1:
      return { wire: 'fixed', bytes: take(cursor, 8) };
    case 2:
      return { wire: 'bytes', bytes: take(cursor, Number(readVarint(cursor))) };
    case 5:
      return { wire: 'fixed', bytes: take(cursor, 4) };
    default:
      throw new ProtobufError(`illegal wire type ${wireType}`);
  }
}

function readVarint(cursor: Cursor): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = cursor.bytes[cursor.at];
    if (byte === undefined) throw new ProtobufError('unexpected end of the message');
    cursor.at += 1;
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return value;
  }
  throw new ProtobufError('a number is too long');
}

function take(cursor: Cursor, length: number): Uint8Array {
  const end = cursor.at + length;
  if (end > cursor.bytes.length) throw new ProtobufError('unexpected end of the message');
  const taken = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return taken;
}

/** All numbers of a repeated field, packed or not. */
export function packedVarints(value: WireValue, budget: FieldBudget): readonly bigint[] {
  if (value.wire === 'varint') return [value.value];
  const cursor = { bytes: value.bytes, at: 0 };
  const numbers: bigint[] = [];
  while (cursor.at < value.bytes.length) {
    budget.take();
    numbers.push(readVarint(cursor));
  }
  return numbers;
}
