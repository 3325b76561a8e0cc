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
import {
  type Breather,
  decodeText,
  errorMessage,
  type HttpRequest,
  NotInStepsError,
  parseYamlText,
  yamlSteps,
} from '../../lib/index.ts';
import {
  MAX_BODY_ENTRIES,
  MAX_LIST_ENTRIES,
  MAX_REQUEST_BODY_BYTES,
  MAX_YAML_BODY_BYTES,
  MAX_YAML_BODY_LINES,
  MAX_YAML_MARKS,
  YAML_AT_ONCE_CHARACTERS,
} from '../limits.ts';
import { isRecord } from '../registry/object.ts';
import { decodeProtobuf, PROTOBUF_TYPE } from '../protobuf/decode.ts';
import { ProtobufError, TooManyFieldsError } from '../protobuf/reader.ts';
import { refuseTooManyEntries, tooManyEntries } from './entries.ts';
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

/**
 * The same for bodies that may be large: YAML is read in steps, between which others have their turn.
 * @param type the media type, if another one than the request's says how it is read
 */
export async function readBody(
  request: HttpRequest,
  { breather, row, type = contentType(request) }: ReadingOptions,
): Promise<ParsedBody> {
  if (type !== 'application/yaml') return parseBody(request, row);
  const text = bodyText(request);
  const json = asJson(text);
  if (json !== undefined) return json;
  if (text.length > YAML_AT_ONCE_CHARACTERS) {
    const value = await loadInSteps(text, breather);
    if (value !== undefined) return { value: bounded(value), problems: [] };
  }
  return parseYaml(text);
}

export interface ReadingOptions {
  readonly breather: Breather;
  readonly row?: Pick<ResourceRow, 'schema'>;
  readonly type?: string;
}

/** Undefined: it is not made of parts that can be read by themselves. Throws 413 for one part that is too large. */
async function loadInSteps(text: string, breather: Breather): Promise<unknown> {
  if (countMarks(text) > MAX_YAML_MARKS)
    throw requestEntityTooLarge(`limit is ${MAX_YAML_MARKS} lines and commas for YAML`);
  const steps = yamlSteps(text);
  let length = 0;
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      refuseLargeYaml(value.text);
      length = value.text.length;
      await breather.pause('request');
    }
  } catch (error) {
    // What is nearly all of it would be wrong once more as a whole.
    if (error instanceof YAMLException && length > text.length / 2) throw undecodable(error);
    if (error instanceof NotInStepsError || error instanceof YAMLException) return undefined;
    throw error;
  }
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
  const json = asJson(text);
  if (json !== undefined) return json;
  refuseLargeYaml(text);
  return { value: bounded(loadYaml(text)), problems: [] };
}

/** Throws 413 for a text that would be read for long in one go. */
function refuseLargeYaml(text: string): void {
  if (text.length > MAX_YAML_BODY_BYTES) throw requestEntityTooLarge(`limit is ${MAX_YAML_BODY_BYTES} for YAML`);
  if (countMarks(text) > MAX_YAML_BODY_LINES)
    throw requestEntityTooLarge(`limit is ${MAX_YAML_BODY_LINES} lines and commas for YAML`);
}

/** Throws 400 for a value whose aliases make much of a short text, and 413 for one with more entries than JSON may have. */
function bounded(value: unknown): unknown {
  if (exceedsSize(value, MAX_REQUEST_BODY_BYTES))
    throw badRequest('error decoding the body: its aliases make it too large');
  refuseTooManyEntries(value);
  return value;
}

function asJson(text: string): ParsedBody | undefined {
  return text.trimStart().startsWith('{') ? jsonOrNot(text) : undefined;
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
    if (error instanceof YAMLException) throw undecodable(error);
    throw error;
  }
}

function undecodable({ message }: YAMLException): StatusError {
  return badRequest(`error decoding the body: ${message}`);
}
