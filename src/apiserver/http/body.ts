/** Reads request bodies: JSON, YAML and Protobuf. */
import { YAMLException } from 'js-yaml';
import { badRequest, requestEntityTooLarge, unsupportedMediaType } from '../../api/index.ts';
import { decodeText, errorMessage, type HttpRequest, parseYamlText } from '../../lib/index.ts';
import { MAX_REQUEST_BODY_BYTES, MAX_YAML_BODY_BYTES } from '../limits.ts';
import { isRecord } from '../registry/object.ts';
import { decodeProtobuf, PROTOBUF_TYPE } from '../protobuf/decode.ts';
import { ProtobufError } from '../protobuf/reader.ts';
import { duplicateFields } from './duplicate-fields.ts';
import { exceedsSize } from './expanded-size.ts';

export const BODY_TYPES: readonly string[] = ['application/json', 'application/yaml', PROTOBUF_TYPE];

/** The media type of a request's body without its parameters, in lower case; JSON when it says nothing. */
export function contentType(request: HttpRequest): string {
  const given = request.headers['content-type'] ?? '';
  const type = given.split(';')[0]?.trim().toLowerCase() ?? '';
  return type === '' ? 'application/json' : type;
}

/** The body's text. Throws 413 past the limit. */
export function bodyText(request: HttpRequest): string {
  return decodeText(bodyBytes(request));
}

function bodyBytes({ body = new Uint8Array() }: HttpRequest): Uint8Array {
  if (body.length > MAX_REQUEST_BODY_BYTES) throw requestEntityTooLarge(`limit is ${MAX_REQUEST_BODY_BYTES}`);
  return body;
}

export interface ParsedBody {
  readonly value: unknown;
  /** What is wrong with the text although it parses: fields that it names twice. */
  readonly problems: readonly string[];
}

/** The body as a value. Throws 400 for what does not parse and 415 for types that are not read. */
export function parseBody(request: HttpRequest): ParsedBody {
  const type = contentType(request);
  if (type === PROTOBUF_TYPE) return { value: parseProtobuf(bodyBytes(request)), problems: [] };
  const text = bodyText(request);
  if (type === 'application/json') return { value: parseJson(text), problems: duplicateFields(text) };
  if (type === 'application/yaml') {
    if (text.length > MAX_YAML_BODY_BYTES) throw requestEntityTooLarge(`limit is ${MAX_YAML_BODY_BYTES} for YAML`);
    return { value: parseYaml(text), problems: [] };
  }
  throw unsupportedMediaType(BODY_TYPES);
}

/** The body as an object, or `undefined` when it is empty (a DELETE without options). */
export function parseOptionalObject(request: HttpRequest): Readonly<Record<string, unknown>> | undefined {
  if (request.body === undefined || request.body.length === 0) return undefined;
  const { value } = parseBody(request);
  if (!isRecord(value)) throw badRequest('the body of the request must be an object');
  return value;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding the body: ${errorMessage(error)}`);
  }
}

function parseProtobuf(body: Uint8Array): unknown {
  try {
    return decodeProtobuf(body);
  } catch (error) {
    if (error instanceof ProtobufError) throw badRequest(`error decoding the body: ${error.message}`);
    throw error;
  }
}

function parseYaml(text: string): unknown {
  const value = loadYaml(text);
  if (exceedsSize(value, MAX_REQUEST_BODY_BYTES)) {
    throw badRequest('error decoding the body: its aliases make it too large');
  }
  return value;
}

function loadYaml(text: string): unknown {
  try {
    return parseYamlText(text);
  } catch (error) {
    if (error instanceof YAMLException) throw badRequest(`error decoding the body: ${error.message}`);
    throw error;
  }
}
