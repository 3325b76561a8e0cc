/**
 * The fields that the creator of an object owns, as text: what `compareObjects` and `writeFieldsV1` find together, in one walk that builds no
 * set. Creations are frequent, and nobody reads the set of a new object soon.
 */
import type { FieldSet } from './field-set.ts';
import { itemsByElement } from './list-items.ts';
import { compareElements, compareText, fieldElement } from './path-element.ts';
import type { ListPlace, MapPlace, Place } from './place.ts';
import { haveSameFields } from './same-fields.ts';
import { type Fields, isFields, memberOf, sameJson, shapeAt } from './value.ts';

/** A new object, and the text of its creator's fields. */
interface Example {
  readonly after: object;
  readonly place: Place;
  readonly text: string;
}

/** Kinds of which several templates are created in turns have an example of each. */
const MAX_EXAMPLES = 4;
/** Larger objects are none of a template, and an example keeps its object in memory. */
const MAX_EXAMPLE_CHARACTERS = 8 * 1024;
/** The most recent ones first, by the emptiest object of their kind. */
const examples = new WeakMap<object, Example[]>();

/**
 * The same as `newFieldsText`, for the fields that objects of this server's kinds have no owner for. Objects of one template, which are
 * created one after the other, share one text: to see that two have the same fields takes much less than to write them down.
 */
export function sharedFieldsText(before: object, after: object, place: Place, nobodys: FieldSet): string {
  const known = examples.get(before) ?? [];
  const found = known.find((one) => one.place === place && haveSameFields(one.after, after, before, place));
  if (found !== undefined) return found.text;
  const text = newFieldsText(before, after, place, nobodys);
  if (text.length <= MAX_EXAMPLE_CHARACTERS) {
    examples.set(before, [{ after, place, text }, ...known.slice(0, MAX_EXAMPLES - 1)]);
  }
  return text;
}

/**
 * The text of what `after` has beyond `before`, "{}" for nothing. Pure.
 * @param before the emptiest object of the kind: it has no lists, and nothing but null where anything may be
 * @param nobodys fields that have no owner; what lies below them may have one
 */
export function newFieldsText(before: object, after: object, place: Place, nobodys: FieldSet): string {
  return textOf(false, membersOf(before, after, place, nobodys)) ?? '{}';
}

/** The text of a node, of which the object before has `before`; undefined: neither it nor anything in it has an owner. */
function nodeText(before: unknown, after: unknown, place: Place, nobodys: FieldSet | undefined): string | undefined {
  const members = membersOf(before, after, place, nobodys);
  // Like a comparison: what was there has an owner only as a leaf that differs now.
  const isChanged = isNew(before, place) || (members === undefined && !sameJson(before, after));
  return textOf(isChanged && nobodys?.owned !== true, members);
}

function isNew(before: unknown, place: Place): boolean {
  const isOpen = place.scalar !== undefined && (place.list !== undefined || place.map !== undefined);
  return before === undefined || (before === null && isOpen);
}

function textOf(isOwned: boolean, members = ''): string | undefined {
  if (members === '') return isOwned ? '{}' : undefined;
  return isOwned ? `{".":{},${members}}` : `{${members}}`;
}

/** The text of all that lies in a node, without brackets; undefined for a leaf. */
function membersOf(before: unknown, after: unknown, place: Place, nobodys?: FieldSet): string | undefined {
  switch (shapeAt(place, after)) {
    case 'scalar':
      return undefined;
    case 'list':
      return place.list === undefined ? undefined : itemsText(after, place.list);
    case 'map':
      return place.map === undefined ? undefined : fieldsText(before, after, place.map, nobodys);
  }
}

function fieldsText(before: unknown, after: unknown, map: MapPlace, nobodys?: FieldSet): string | undefined {
  const left = isFields(before) ? before : undefined;
  const right = isFields(after) ? after : {};
  const names = Object.keys(right);
  if (map.isAtomic || (names.length === 0 && isEmpty(left))) return undefined;
  let text = '';
  for (const name of names.sort(compareText)) {
    const [was, is] = [memberOf(left, name), right[name]];
    const place = map.child(name);
    if (is === undefined || was === is || place === undefined) continue;
    const element = fieldElement(name);
    const node = nodeText(was, is, place, nobodys?.children?.get(element));
    if (node !== undefined) text += member(text, element, node);
  }
  return text;
}

function isEmpty(fields: Fields | undefined): boolean {
  for (const _ in fields) return false;
  return true;
}

function itemsText(after: unknown, list: ListPlace): string | undefined {
  if (list.type === 'atomic' || !Array.isArray(after) || after.length === 0) return undefined;
  const items = itemsByElement(list, after);
  let text = '';
  for (const element of [...items.keys()].sort(compareElements)) {
    const same = items.get(element) ?? [];
    // Of a key that is there twice, nobody can tell which fields are whose.
    const node = same.length === 1 ? nodeText(undefined, same[0], list.element, undefined) : '{}';
    if (node !== undefined) text += member(text, element, node);
  }
  return text;
}

const PLAIN = /^f:[\w./-]*$/;

function member(before: string, element: string, node: string): string {
  // Nearly all elements are names that need no escapes.
  const name = PLAIN.test(element) ? `"${element}"` : JSON.stringify(element);
  return `${before === '' ? '' : ','}${name}:${node}`;
}
