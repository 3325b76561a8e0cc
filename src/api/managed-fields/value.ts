/** JSON values as the walks of this room see them. */
import type { Place } from './place.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function memberOf(fields: Fields | undefined, name: string): unknown {
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** How a value is treated at a place. */
export type Shape = 'scalar' | 'list' | 'map';

/** The shape of a value at a place: of a place that allows several, that of the value (upstream: deduceAtom). */
export function shapeAt(place: Place, value: unknown): Shape {
  const isOpen = place.scalar !== undefined && (place.list !== undefined || place.map !== undefined);
  if (place.list !== undefined && (!isOpen || Array.isArray(value))) return 'list';
  if (place.map !== undefined && (!isOpen || isFields(value))) return 'map';
  return 'scalar';
}

/** Whether two JSON values are the same, whatever the order of their fields. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at]));
  }
  if (!isFields(a) || !isFields(b)) return false;
  const names = Object.keys(a).filter((name) => a[name] !== undefined);
  if (names.length !== Object.keys(b).filter((name) => b[name] !== undefined).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]));
}
