/** Compares the rules of our table with those that it had. Pure. */
import { MAX_KEPT_PICK } from './table-state.ts';

/** "nat-output: jump route": each rule of the table with its chain. Those that come and go with services are left out. */
export function ruleNames(outline: string): ReadonlySet<string> {
  const found = new Set<string>();
  let chain = '';
  for (const line of outline.split('\n').map((each) => each.trim())) {
    const header = /^(?:chain|set|map) (\S+) \{/.exec(line);
    if (header !== null) {
      chain = header[1] ?? '';
      if (!isFleeting(line)) found.add(line);
    } else if (line === '}') {
      chain = '';
    } else if (chain !== '' && !isFleeting(chain) && !isFleeting(line)) {
      found.add(`${chain}: ${line}`);
    }
  }
  return found;
}

/** @param present undefined: the table itself is not there */
export function missingRules(
  whole: ReadonlySet<string>,
  present: ReadonlySet<string> | undefined,
  table: string,
): readonly string[] {
  if (present === undefined) return [`table ${table}`];
  return [...whole].filter((rule) => !present.has(rule));
}

function isFleeting(text: string): boolean {
  const [, targets = 0] = /-pick-(\d+)(?: \{)?$/.exec(text) ?? [];
  if (Number(targets) > MAX_KEPT_PICK) return true;
  return /(?:^|[\s@])(?:hide-)?(?:sticky|held)-/.test(text);
}
