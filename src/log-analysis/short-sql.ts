/** Shortens a statement of SQL that an error quotes: the cause stands behind it. Pure. */

const BEGIN =
  /(['"`[(]) ?(?:SQL: )?(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE (?:TABLE|INDEX|VIEW)|ALTER TABLE|WITH)\s/i;
const CLOSES: Readonly<Record<string, string>> = { '[': ']', '(': ')' };
/** Longer statements are shortened, to this many characters. */
const LONG = 80;
const KEPT = 60;

/** "cannot compile 'select a, b, c … ': no such table: a" */
export function withShortSql(text: string): string {
  const begin = BEGIN.exec(text);
  if (begin === null) return text;
  const from = begin.index + 1;
  const close = CLOSES[begin[1] ?? ''] ?? begin[1] ?? '';
  let end = -1;
  for (let at = text.indexOf(close, from); at !== -1; at = text.indexOf(close, at + 1)) {
    // A quotation within the statement is followed by more of it.
    if (/^(?:[:;.\])]|,? ?$)/.test(text.slice(at + 1, at + 3))) end = at;
  }
  return end - from <= LONG ? text : `${text.slice(0, from + KEPT).trimEnd()} …${text.slice(end)}`;
}
