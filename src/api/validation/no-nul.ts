/**
 * NUL in texts that reach the machine. A path, an argument or a variable ends at its first NUL for the kernel, so that what was
 * checked and what is opened would be two things.
 */
import { child, type FieldError, index, invalidValue, key } from '../field-error.ts';

const NUL = '\0';

/** One error for each text, and each name of a map, below `path` that has a NUL. Bounded by the value's size. */
export function nulErrors(value: unknown, path: string): FieldError[] {
  // Nearly no object has one: paths are made for those that do.
  return hasNul(value) ? errorsBelow(value, path) : [];
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(NUL);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasNul);
  for (const name in value) {
    if (name.includes(NUL) || hasNul((value as Readonly<Record<string, unknown>>)[name])) return true;
  }
  return false;
}

function errorsBelow(value: unknown, path: string): FieldError[] {
  if (typeof value === 'string') return value.includes(NUL) ? [invalidValue(path, value, 'must not contain NUL')] : [];
  if (Array.isArray(value)) return value.flatMap((item, position) => errorsBelow(item, index(path, position)));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    name.includes(NUL) ? [invalidValue(path, name, 'must not contain NUL')] : errorsBelow(item, at(path, name)),
  );
}

function at(path: string, name: string): string {
  return /^\w+$/.test(name) ? child(path, name) : key(path, name);
}
