/** Reads the names that the lines of a configuration define or set, whatever its format is. Pure. */

/** The first word of a statement: "server.modules = (", '"host": ', "- name:", ".host = ". */
const FIRST = /^\s*(?:[-*+.]\s{0,4})?["'`]?([A-Za-z@$][\w.@$-]{1,60})["'`]?(?=[\s:=({["']|$)/;
/** Blocks that have a name of their own: "backend app {", "[program:web]", "upstream api {". */
const BLOCK =
  /^\s*(?:backend|upstream|frontend|listen|server|destination|source|filter|program|module|remote|job|pool|probe|database|user|queue|topic|vhost|zone|acl|resource|cluster|profile|role|table|view)\s+["'`]?([\w.-]{2,60})/i;
const SECTION = /^\s*\[{1,2}\s*(?:[\w.-]{1,40}[:\s]\s*)?["']?([\w./-]{2,60})["']?\s*\]/;
/** "name: api", '"id": "api"', "- api" */
const NAMED = /\b(?:name|id|alias)["']?\s*[:=]\s*["']?([\w.-]{2,60})/i;
const COMMENT = /^\s*(?:#|;|\/\/|--|!)/;

/** The setting whose value stands at this place of the line; undefined: the place is that of the name itself, or no name stands before it. */
export function settingAt(line: string, at: number): string | undefined {
  const before = line.slice(0, at);
  const statement = before.slice(Math.max(...[';', '{', '}'].map((sign) => before.lastIndexOf(sign))) + 1);
  const name = FIRST.exec(`${statement} `)?.[1];
  return name === undefined || /[\w.-]$/.test(before) ? undefined : name;
}

/** The name that a line gives to something: of a section, a block, a setting. */
export function namesDefined(line: string): readonly string[] {
  if (COMMENT.test(line)) return [];
  const text = line.slice(0, 500);
  return [SECTION.exec(text)?.[1], BLOCK.exec(text)?.[1], FIRST.exec(text)?.[1], NAMED.exec(text)?.[1]].flatMap(
    (name) => name ?? [],
  );
}
