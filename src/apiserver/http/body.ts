/** Reads request bodies: JSON, YAML and Protobuf. */
import { YAMLException } from 'js-yaml';
import {
  badRequest,
  MAX_JSON_DEPTH,
  requestEntityTooLarge,
  type ResourceRow,
  StatusError,
  unsupportedMediaType,
} from '../../api/index.ts';
import { decodeText, errorMessage, type HttpRequest, parseYamlText } from '../../lib/index.ts';
import {
  MAX_BODY_ENTRIES,
  MAX_LIST_ENTRIES,
  MAX_REQUEST_BODY_BYTES,
  MAX_YAML_BODY_BYTES,
  MAX_YAML_BODY_LINES,
} from '../limits.ts';
import { isRecord } from '../registry/object.ts';
import { decodeProtobuf, PROTOBUF_TYPE } from '../protobuf/decode.ts';
import { ProtobufError, TooManyFieldsError } from '../protobuf/reader.ts';
import { tooManyEntries } from './entries.ts';
import { exceedsSize } from './expanded-size.ts';
import { duplicateFields, shapeOfJson } from './json-text.ts';

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
  /** Problems of a text that parses: fields that it names twice. */
  readonly problems: readonly string[];
}

/** The types of custom objects, whose messages nobody numbers. */
const CUSTOM_TYPES: readonly string[] = BODY_TYPES.filter((type) => type !== PROTOBUF_TYPE);

/**
 * The body as a value. Throws 400 for what does not parse and 415 for types that are not read.
 * @param row of the object that it is
 */
export function parseBody(request: HttpRequest, row?: Pick<ResourceRow, 'schema'>): ParsedBody {
  const type = contentType(request);
  if (type === PROTOBUF_TYPE && row?.schema !== undefined) throw unsupportedMediaType(CUSTOM_TYPES);
  if (type === PROTOBUF_TYPE) return { value: parseProtobuf(bodyBytes(request)), problems: [] };
  const text = bodyText(request);
  if (type === 'application/json') return parseJson(text);
  if (type === 'application/yaml') return parseYaml(text);
  throw unsupportedMediaType(BODY_TYPES);
}

/** The body as an object, or `undefined` when it is empty (a DELETE without options). */
export function parseOptionalObject(request: HttpRequest): Readonly<Record<string, unknown>> | undefined {
  if (request.body === undefined || request.body.length === 0) return undefined;
  const { value } = parseBody(request);
  if (!isRecord(value)) throw badRequest('the body of the request must be an object');
  return value;
}

/**
 * The value of a JSON text. The text's shape is checked first: one that nests too deep or has too many entries is not parsed.
 * Throws 400 and 413.
 */
export function parseJson(text: string): ParsedBody {
  const limits = { depth: MAX_JSON_DEPTH, entries: MAX_BODY_ENTRIES, widest: MAX_LIST_ENTRIES };
  const shape = shapeOfJson(text, limits);
  if (shape.depth > limits.depth) throw badRequest('error decoding the body: json: exceeded max depth');
  if (shape.widest > limits.widest || shape.entries > limits.entries) throw tooManyEntries(shape);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding the body: ${errorMessage(error)}`);
  }
  return { value, problems: duplicateFields(text, value, shape) };
}

function parseProtobuf(body: Uint8Array): unknown {
  try {
    return decodeProtobuf(body);
  } catch (error) {
    if (error instanceof TooManyFieldsError) throw tooManyEntries({ widest: 0 });
    if (error instanceof ProtobufError) throw badRequest(`error decoding the body: ${error.message}`);
    throw error;
  }
}

/** Throws 400 and 413. Text that is JSON, which many send as YAML, is read as that: in a tenth of the time. */
export function parseYaml(text: string): ParsedBody {
  const json = text.trimStart().startsWith('{') ? jsonOrNot(text) : undefined;
  if (json !== undefined) return json;
  if (text.length > MAX_YAML_BODY_BYTES) throw requestEntityTooLarge(`limit is ${MAX_YAML_BODY_BYTES} for YAML`);
  if (countMarks(text) > MAX_YAML_BODY_LINES)
    throw requestEntityTooLarge(`limit is ${MAX_YAML_BODY_LINES} lines and commas for YAML`);
  const value = loadYaml(text);
  if (exceedsSize(value, MAX_REQUEST_BODY_BYTES)) {
    throw badRequest('error decoding the body: its aliases make it too large');
  }
  return { value, problems: [] };
}

/** Undefined for what is no JSON. */
function jsonOrNot(text: string): ParsedBody | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof StatusError && error.code === 400) return undefined;
    throw error;
  }
}

/** How many lines a text has, and commas: each entry of a YAML text needs one of them. */
function countMarks(text: string): number {
  let marks = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13 || code === 44) marks += 1;
  }
  return marks;
}

function loadYaml(text: string): unknown {
  try {
    return parseYamlText(text);
  } catch (error) {
    if (error instanceof YAMLException) throw badRequest(`error decoding the body: ${error.message}`);
    throw error;
  }
}
