/** An object without some of its fields (upstream: typed/remove.go). */
import { setOwn } from '../schema/set-own.ts';
import { type FieldSet, isEmptySet } from './field-set.ts';
import { elementOfItem } from './list-items.ts';
import { fieldElement } from './path-element.ts';
import type { ListPlace, MapPlace, Place } from './place.ts';
import { isFields, shapeAt } from './value.ts';

/** Pure. A list or map that loses everything becomes null. */
export function removeFields(value: unknown, set: FieldSet, place: Place): unknown {
  if (set.children === undefined || isEmptySet(set)) return value;
  const shape = shapeAt(place, value);
  if (shape === 'list' && place.list !== undefined) return removeItems(value, set, place.list);
  if (shape === 'map' && place.map !== undefined) return removeMembers(value, set, place.map);
  return value;
}

function removeItems(value: unknown, set: FieldSet, list: ListPlace): unknown {
  if (!Array.isArray(value) || value.length === 0 || list.type === 'atomic') return null;
  const kept: unknown[] = [];
  for (const item of value) {
    const named = elementOfItem(list, item);
    const below = 'problem' in named ? undefined : set.children?.get(named.element);
    if (below?.owned === true) continue;
    kept.push(below === undefined ? item : removeFields(item, below, list.element));
  }
  return kept.length === 0 ? null : kept;
}

function removeMembers(value: unknown, set: FieldSet, map: MapPlace): unknown {
  if (!isFields(value) || map.isAtomic) return null;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const below = set.children?.get(fieldElement(name));
    if (below?.owned === true) continue;
    const place = map.child(name);
    const member = value[name];
    setOwn(kept, name, below === undefined || place === undefined ? member : removeFields(member, below, place));
  }
  return Object.keys(kept).length === 0 ? null : kept;
}
