/** Names what the documents of some kinds say: the same kinds have the same name, in every process. Pure. */
import type { ResourceRow, Steps } from '../../api/index.ts';
import { customRootOf } from './custom-schemas.ts';

/** A row is replaced when its definition changes, and never changed itself. */
const known = new WeakMap<ResourceRow, string>();

/** A step for each row that is not known yet. */
export function* contentHash(rows: readonly ResourceRow[]): Steps<string> {
  const hashes: string[] = [];
  for (const row of rows) {
    if (!known.has(row)) yield;
    hashes.push(hashOfRow(row));
  }
  return hashOf(hashes.join(' '));
}

function hashOfRow(row: ResourceRow): string {
  const before = known.get(row);
  if (before !== undefined) return before;
  const { schema: _, rules: __, ...names } = row;
  const hash = hashOf(JSON.stringify([names, customRootOf(row)]));
  known.set(row, hash);
  return hash;
}

/** FNV-1a in two halves of 32 bits: enough to tell documents apart that nobody forges for a cache of his own. */
function hashOf(text: string): string {
  let [a, b] = [0x811c9dc5, 0xcbf29ce4];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ ((unit << 8) | (unit >>> 8)), 0x01000193);
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}
