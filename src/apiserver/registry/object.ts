/** Any API object as the server handles it: metadata is always there, the rest is its kind's business. */
import type { ObjectMeta } from '../../api/index.ts';

export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** `object` with other metadata. */
export function withMeta<T extends ApiObject>(object: T, changes: Partial<ObjectMeta>): T {
  return { ...object, metadata: { ...object.metadata, ...changes } };
}

/** `record` without some of its fields. */
export function omit<T extends object, K extends keyof T>(record: T, ...names: readonly K[]): Omit<T, K> {
  const left = new Set<PropertyKey>(names);
  return Object.fromEntries(Object.entries(record).filter(([name]) => !left.has(name))) as Omit<T, K>;
}

/** The value of an own, plain sub-object, else an empty one: for reading fields of an object of unknown kind. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field's text, "" when it is missing or no string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
