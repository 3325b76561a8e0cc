/**
 * Errors of validation: a field path and what is wrong with it, worded as upstream's `field.Error` so that clients and
 * people see what they know. Pure data; `invalid` (status-error.ts) makes a 422 of a list of them.
 */
import { shorten } from './echo.ts';

export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

export interface FieldError {
  readonly type: FieldErrorType;
  /** "spec.containers[0].image" */
  readonly field: string;
  /** "Required value", "Invalid value: \"x\": must be …": the message without the path. */
  readonly body: string;
}

/** `parent.name`, or `name` at the root (''). */
export function child(path: string, ...names: readonly string[]): string {
  // Every field of every object that is validated comes by here: no list is made.
  let joined = path;
  for (const name of names) {
    if (name !== '') joined = joined === '' ? name : `${joined}.${name}`;
  }
  return joined;
}

export function index(path: string, position: number): string {
  return `${path}[${position}]`;
}

export function key(path: string, name: string): string {
  return `${path}[${name}]`;
}

export function required(field: string, detail = ''): FieldError {
  return { type: 'FieldValueRequired', field, body: join('Required value', detail) };
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, body: join(`Invalid value: ${printValue(value)}`, detail) };
}

export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueTypeInvalid', field, body: join(`Invalid value: ${printValue(value)}`, detail) };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail =
    supported.length === 0 ? '' : `supported values: ${supported.map((text) => JSON.stringify(text)).join(', ')}`;
  return { type: 'FieldValueNotSupported', field, body: join(`Unsupported value: ${printValue(value)}`, detail) };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { type: 'FieldValueDuplicate', field, body: `Duplicate value: ${printValue(value)}` };
}

export function notFoundValue(field: string, value: unknown, detail = ''): FieldError {
  return { type: 'FieldValueNotFound', field, body: join(`Not found: ${printValue(value)}`, detail) };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field, body: join('Forbidden', detail) };
}

export function tooLong(field: string, maxLength: number): FieldError {
  const unit = maxLength === 1 ? 'byte' : 'bytes';
  return { type: 'FieldValueTooLong', field, body: `Too long: may not be more than ${maxLength} ${unit}` };
}

export function tooMany(field: string, actual: number, maximum: number): FieldError {
  const unit = maximum === 1 ? 'item' : 'items';
  return { type: 'FieldValueTooMany', field, body: `Too many: ${actual}: must have at most ${maximum} ${unit}` };
}

/** One error as upstream prints it: "spec.containers[0].image: Required value". */
export function printFieldError(error: FieldError): string {
  return `${error.field === '' ? '<nil>' : error.field}: ${error.body}`;
}

/** All errors as one text: a single one bare, several (without repeats) in brackets. */
export function printFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(printFieldError))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

function join(head: string, detail: string): string {
  return detail === '' ? head : `${head}: ${detail}`;
}

function printValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(shorten(value)) : shorten(JSON.stringify(value) ?? 'null');
}
