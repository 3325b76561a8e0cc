/** The statements of nft that add and remove elements. Pure. */
import type { ElementName } from './table-state.ts';

/** Elements in one statement: the text of nft's errors stays readable. */
const ELEMENTS_AT_ONCE = 250;

/** @param elements with their values; '' in a set, and for those that are removed */
export function statements(
  verb: 'add' | 'delete',
  table: string,
  elements: readonly (readonly [ElementName, string])[],
): string {
  const bySet = new Map<string, string[]>();
  for (const [name, value] of elements) {
    const space = name.indexOf(' ');
    const set = name.slice(0, space);
    const key = name.slice(space + 1);
    const list = bySet.get(set) ?? [];
    list.push(value === '' ? key : `${key} : ${value}`);
    bySet.set(set, list);
  }
  const out: string[] = [];
  for (const [set, list] of bySet) {
    for (let at = 0; at < list.length; at += ELEMENTS_AT_ONCE) {
      out.push(`${verb} element ip ${table} ${set} { ${list.slice(at, at + ELEMENTS_AT_ONCE).join(', ')} }\n`);
    }
  }
  return out.join('');
}
