/** The fields that an object has, as a set: what who applies it owns (upstream: typed/tofieldset.go). */
import { emptySet, type FieldSet } from './field-set.ts';
import { elementOfItem } from './list-items.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import type { ListPlace, MapPlace, Place } from './place.ts';
import { type Fields, isFields, shapeAt } from './value.ts';

/** Pure. Parts that the schema does not know are as if they were not there. */
export function fieldsOf(value: unknown, place: Place): FieldSet {
  const set = nodeOf(value, place);
  set.owned = false;
  return set;
}

function nodeOf(value: unknown, place: Place): FieldSet {
  switch (shapeAt(place, value)) {
    case 'scalar':
      return { owned: true };
    case 'list':
      if (place.list?.type === 'atomic') return { owned: true };
      return place.list !== undefined && Array.isArray(value) ? nodeOfList(value, place.list) : emptySet();
    case 'map':
      if (place.map?.isAtomic === true) return { owned: true };
      return place.map !== undefined && isFields(value) ? nodeOfMap(value, place.map) : emptySet();
  }
}

function nodeOfList(items: readonly unknown[], list: ListPlace): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const item of items) {
    const named = elementOfItem(list, item);
    if ('problem' in named) continue;
    // The item itself is owned with what is in it.
    children.set(named.element, { ...nodeOf(item, list.element), owned: true });
  }
  return children.size === 0 ? emptySet() : { owned: false, children };
}

function nodeOfMap(fields: Fields, map: MapPlace): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const place = map.child(name);
    if (place === undefined || value === undefined) continue;
    const node = nodeOf(value, place);
    if (value === null || isEmptyMap(value) || !map.isField(name)) node.owned = true;
    if (node.owned || node.children !== undefined) children.set(fieldElement(name), node);
  }
  return children.size === 0 ? emptySet() : { owned: false, children };
}

function isEmptyMap(value: unknown): boolean {
  return isFields(value) && Object.keys(value).length === 0;
}
