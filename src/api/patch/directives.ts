/** The directives of strategic merge patches: keys beginning with `$` that say how, not what. */
import { isRecord, PatchError } from './patch-error.ts';

export const PATCH = '$patch';
export const RETAIN_KEYS = '$retainKeys';
export const SET_ELEMENT_ORDER = '$setElementOrder/';
export const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList/';

export function isDirective(name: string): boolean {
  return (
    name === PATCH ||
    name === RETAIN_KEYS ||
    name.startsWith(SET_ELEMENT_ORDER) ||
    name.startsWith(DELETE_FROM_PRIMITIVE_LIST)
  );
}

/** The result of a part of a patch where there was nothing before: without directives, nulls and deletions. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isElementDirective(item)).map(withoutDirectives);
  if (!isRecord(value)) return value;
  if (value[PATCH] === 'delete') return {};
  const kept = Object.entries(value).filter(([name, item]) => !isDirective(name) && item !== null);
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutDirectives(item)]));
}

/** A list element that is only an instruction for the list: a deletion, or a lone `$patch: replace`. */
function isElementDirective(item: unknown): boolean {
  if (!isRecord(item) || item[PATCH] === undefined) return false;
  return item[PATCH] === 'delete' || Object.keys(item).length === 1;
}

export function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new PatchError('malformed', `${name} must be a list`);
}
