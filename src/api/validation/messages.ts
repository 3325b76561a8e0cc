/** Words that several validations share, and small checks on them. */
import { type FieldError, invalidValue, notSupported, required } from '../field-error.ts';
import type { NameCheck } from '../names.ts';

export const IMMUTABLE = 'field is immutable';
export const NOT_NEGATIVE = 'must be greater than or equal to 0';
export const POSITIVE = 'must be greater than 0';

/** One error per message of the check. */
export function checkValue(field: string, value: string, check: NameCheck): FieldError[] {
  return check(value).map((message) => invalidValue(field, value, message));
}

/** Must be there, then must pass the check. */
export function requireValue(field: string, value: string | undefined, check?: NameCheck): FieldError[] {
  if (value === undefined || value === '') return [required(field)];
  return check === undefined ? [] : checkValue(field, value, check);
}

export function requireOneOf(field: string, value: string | undefined, supported: readonly string[]): FieldError[] {
  if (value === undefined || value === '') return [required(field)];
  return oneOf(field, value, supported);
}

/** Absent is fine. */
export function oneOf(field: string, value: string | undefined, supported: readonly string[]): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

export function notNegative(field: string, value: number | undefined): FieldError[] {
  return value !== undefined && value < 0 ? [invalidValue(field, value, NOT_NEGATIVE)] : [];
}

/** Deep equality of JSON values; the order of keys doesn't matter. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, position) => equalJson(item, b[position]))
    );
  }
  const names = Object.keys(a).filter((name) => valueOf(a, name) !== undefined);
  return (
    names.length === Object.keys(b).filter((name) => valueOf(b, name) !== undefined).length &&
    names.every((name) => Object.hasOwn(b, name) && equalJson(valueOf(a, name), valueOf(b, name)))
  );
}

function valueOf(object: object, name: string): unknown {
  return (object as Readonly<Record<string, unknown>>)[name];
}

export function immutable(field: string, value: unknown, old: unknown): FieldError[] {
  return equalJson(value, old) ? [] : [invalidValue(field, value ?? null, IMMUTABLE)];
}

/** Length in bytes, as upstream counts. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
