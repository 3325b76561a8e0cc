/** Writes the little TOML that containerd's configuration needs: tables of strings, numbers, booleans and string lists. */
export type TomlValue = string | number | boolean | readonly string[] | TomlTable;
export interface TomlTable {
  readonly [key: string]: TomlValue | undefined;
}

const BARE_KEY = /^[A-Za-z0-9_-]+$/;

/** The document; members that are `undefined` are left out. Values come before tables, as TOML wants it. */
export function toToml(table: TomlTable, path: readonly string[] = []): string {
  const entries = Object.entries(table).filter((entry): entry is [string, TomlValue] => entry[1] !== undefined);
  const values = entries
    .filter(([, value]) => !isTable(value))
    .map(([name, value]) => `${key(name)} = ${scalar(value)}\n`);
  const header = path.length > 0 && values.length > 0 ? `\n[${path.map(key).join('.')}]\n` : '';
  const tables = entries.map(([name, value]) => (isTable(value) ? toToml(value, [...path, name]) : ''));
  return header + values.join('') + tables.join('');
}

function isTable(value: TomlValue): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value);
}

function scalar(value: TomlValue): string {
  return Array.isArray(value)
    ? `[${value.map((one: string) => JSON.stringify(one)).join(', ')}]`
    : JSON.stringify(value);
}

function key(name: string): string {
  return BARE_KEY.test(name) ? name : JSON.stringify(name);
}
