/**
 * The OpenAPI v2 document in gnostic's Protobuf form (openapi.v2.Document), which kubectl before 1.26 fetches and nothing
 * else. Only the fields that our documents use; numbers from gnostic's OpenAPIv2.proto.
 */
import type { Steps } from '../../api/index.ts';
import { encodeText } from '../../lib/index.ts';
import type { Operation, PathOperations } from './paths.ts';
import type { Schema } from './schema.ts';
import type { OpenApiV2 } from './v2.ts';

/** Grows by doubling; messages are written back to front nowhere: each is built whole and then framed. */
class Writer {
  #bytes = new Uint8Array(256);
  #length = 0;

  text(field: number, value: string | undefined): this {
    return value === undefined || value === '' ? this : this.#framed(field, encodeText(value));
  }

  message(field: number, value: Writer): this {
    return this.#framed(field, value.finish());
  }

  flag(field: number, value: boolean): this {
    if (!value) return this;
    this.#varint(field << 3);
    this.#varint(1);
    return this;
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Without the room that is kept for more. */
  copy(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** What stands before a message of `length` bytes, which follows. */
  frame(field: number, length: number): this {
    this.#varint((field << 3) | 2);
    this.#varint(length);
    return this;
  }

  #framed(field: number, value: Uint8Array): this {
    this.frame(field, value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  #varint(given: number): void {
    this.#reserve(5);
    let value = given;
    while (value > 127) {
      this.#bytes[this.#length++] = (value & 127) | 128;
      value >>>= 7;
    }
    this.#bytes[this.#length++] = value;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    bytes.set(this.finish());
    this.#bytes = bytes;
  }
}

/** The document in pieces; a step for each path and each definition. */
export function* openApiV2Protobuf(document: OpenApiV2): Steps<Uint8Array[]> {
  const { title, version } = document.info;
  const paths: Uint8Array[] = [];
  for (const entry of document.paths) {
    paths.push(framed(2, named(entry.path, pathItem(entry))));
    yield;
  }
  const definitions: Uint8Array[] = [];
  for (const [name, schema] of document.definitions) {
    definitions.push(framed(1, named(name, schemaMessage(schema))));
    yield;
  }
  const head = new Writer().text(1, '2.0').message(2, new Writer().text(1, title).text(2, version));
  return [head.frame(8, lengthOf(paths)).copy(), ...paths, framing(9, definitions), ...definitions];
}

function framed(field: number, value: Writer): Uint8Array {
  return new Writer().message(field, value).copy();
}

/** What stands before a message of these pieces. */
function framing(field: number, pieces: readonly Uint8Array[]): Uint8Array {
  return new Writer().frame(field, lengthOf(pieces)).copy();
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function named(name: string, value: Writer): Writer {
  return new Writer().text(1, name).message(2, value);
}

/** Extensions travel as YAML, of which JSON is a part. */
function extension(name: string, value: unknown): Writer {
  return named(name, new Writer().text(2, `${JSON.stringify(value)}\n`));
}

function schemaMessage(schema: Schema): Writer {
  const out = new Writer().text(1, schema.$ref).text(2, schema.format).text(4, schema.description);
  for (const field of schema.required ?? []) out.text(19, field);
  if (schema.additionalProperties !== undefined) {
    out.message(21, new Writer().message(1, schemaMessage(schema.additionalProperties)));
  }
  if (schema.type !== undefined) out.message(22, new Writer().text(1, schema.type));
  if (schema.items !== undefined) out.message(23, new Writer().message(1, schemaMessage(schema.items)));
  if (schema.properties !== undefined) {
    const properties = new Writer();
    for (const [name, property] of Object.entries(schema.properties))
      properties.message(1, named(name, schemaMessage(property)));
    out.message(25, properties);
  }
  for (const [name, value] of Object.entries(schema))
    if (name.startsWith('x-')) out.message(31, extension(name, value));
  return out;
}

const METHOD_FIELDS: Readonly<Record<Operation['method'], number>> = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };

function pathItem({ operations, row }: PathOperations): Writer {
  const out = new Writer();
  for (const operation of operations) {
    const { group, version, kind } = row;
    out.message(METHOD_FIELDS[operation.method], operationMessage(operation, { group, version, kind }));
  }
  return out;
}

function operationMessage(operation: Operation, gvk: object): Writer {
  const out = new Writer().text(5, operation.id).text(6, 'application/json');
  for (const type of operation.consumes) out.text(7, type);
  for (const { name, type } of operation.parameters) {
    const query = new Writer().text(2, 'query').text(4, name).text(6, type).flag(20, true);
    out.message(8, new Writer().message(1, new Writer().message(2, new Writer().message(3, query))));
  }
  const ok = new Writer().message(1, new Writer().text(1, 'OK'));
  out.message(9, new Writer().message(1, named('200', ok)));
  out.message(13, extension('x-kubernetes-action', operation.action));
  out.message(13, extension('x-kubernetes-group-version-kind', gvk));
  return out;
}
