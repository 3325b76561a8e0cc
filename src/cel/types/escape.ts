/** How field names are written in expressions that are no identifiers there. Pure. */

/** Words of the language, which a field's name is told from by underscores. */
const KEYWORDS = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The name of a field in expressions; `undefined` for names that no expression can use. */
export function escapeFieldName(name: string): string | undefined {
  if (KEYWORDS.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  const escaped = name.replaceAll(/__|[./-]/g, (part) => ESCAPES[part] ?? part);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined;
}
