/** FieldsV1: the JSON in which a set of paths is written into an object. */
import { emptySet, type FieldSet, isEmptySet, sortedElements } from './field-set.ts';
import { readElement } from './path-element.ts';

/** The JSON of a set: `.` is the node itself, a member without children is `{}`. */
export function writeFieldsV1(set: FieldSet): string {
  let text = '';
  for (const element of sortedElements(set.children)) {
    const child = set.children?.get(element);
    if (child === undefined || isEmptySet(child)) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(element)}:${writeNode(child)}`;
  }
  return `{${text}}`;
}

function writeNode(node: FieldSet): string {
  const below = writeFieldsV1(node);
  if (!node.owned || below === '{}') return below;
  return `{".":{},${below.slice(1)}`;
}

/**
 * The set of a FieldsV1 value. Elements of unknown kinds are passed over.
 * @throws SyntaxError for what is none
 */
export function readFieldsV1(value: unknown): FieldSet {
  const set = emptySet();
  for (const [name, child] of fieldsOf(value)) {
    if (name !== '.') addChild(set, name, child);
  }
  return set;
}

function addChild(set: FieldSet, name: string, value: unknown): void {
  const element = readElement(name);
  const fields = fieldsOf(value);
  if (element === undefined) return;
  const node: FieldSet = { owned: fields.length === 0 };
  for (const [inner, child] of fields) {
    if (inner === '.') node.owned = true;
    else addChild(node, inner, child);
  }
  if (!node.owned && node.children === undefined) return;
  set.children ??= new Map();
  set.children.set(element, node);
}

function fieldsOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SyntaxError(`a set of fields must be an object, and this is ${JSON.stringify(value)}`);
  }
  return Object.entries(value);
}
