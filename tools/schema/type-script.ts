/** Prints the schema as TypeScript interfaces with upstream's names. Pure: a test prints again and compares. */
import type { Schema, SchemaField } from './schema-format.ts';

/** On a clash of names the group that stands first here keeps the plain one; the others get their group as a prefix. */
const PRECEDENCE = ['meta.v1', 'core.v1', 'apps.v1', 'batch.v1', 'discovery.v1', 'networking.v1', 'autoscaling.v2'];

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  bytes: 'Base64',
  quantity: 'Quantity',
  intOrString: 'IntOrString',
  time: 'Time',
  microTime: 'MicroTime',
  duration: 'Duration',
  any: 'unknown',
};

const HEADER = `/* Printed from schema/schema.json by tools/schema/print-types.ts; do not edit. */

/** A decimal number with a suffix, canonical once stored ("100m", "1Gi"). Requests may carry a bare number. */
export type Quantity = string;
export type IntOrString = number | string;
/** RFC 3339, whole seconds. */
export type Time = string;
/** RFC 3339, microseconds. */
export type MicroTime = string;
/** Go's notation ("1m30s"). */
export type Duration = string;
export type Base64 = string;
`;

export function printTypes(schema: Schema): string {
  const names = chooseNames(Object.keys(schema.types));
  const parts = [HEADER];
  for (const [fullName, type] of Object.entries(schema.types)) {
    const fields = Object.entries(type.fields).map(([name, field]) => `  ${printField(name, field, names)}\n`);
    parts.push(`\n/** ${fullName} */\nexport interface ${names.get(fullName)} {\n${fields.join('')}}\n`);
  }
  return parts.join('');
}

/** Full name → TypeScript name. */
export function chooseNames(fullNames: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Map<string, string>();
  const names = new Map<string, string>();
  for (const fullName of fullNames.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))) {
    const [group = '', version = '', local = ''] = fullName.split('.');
    const prefix = capital(group);
    const name = [local, `${prefix}${local}`, `${prefix}${capital(version)}${local}`].find(
      (candidate) => !taken.has(candidate),
    );
    if (name === undefined) throw new Error(`no free name for ${fullName}`);
    taken.set(name, fullName);
    names.set(fullName, name);
  }
  return names;
}

function rank(fullName: string): number {
  const index = PRECEDENCE.indexOf(fullName.slice(0, fullName.lastIndexOf('.')));
  return index === -1 ? PRECEDENCE.length : index;
}

function printField(name: string, field: SchemaField, names: ReadonlyMap<string, string>): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${key}${field.required ? '' : '?'}: ${printType(field.type, names)}${isWrittenNull(field) ? ' | null' : ''};`;
}

/**
 * Whether a server answers null where there is no value: in fields that are always written and have no other zero. A required
 * field is never null in an accepted object.
 */
function isWrittenNull({ type, pointer, required, omitempty, omitzero }: SchemaField): boolean {
  if (omitzero === true) return false;
  if (pointer !== true && (type === 'time' || type === 'microTime')) return true;
  return required !== true && omitempty !== true && (pointer === true || /^(\[\]|\{\}|bytes$)/.test(type));
}

function printType(type: string, names: ReadonlyMap<string, string>): string {
  if (type.startsWith('[]')) return `${printType(type.slice(2), names)}[]`;
  if (type.startsWith('{}')) return `Record<string, ${printType(type.slice(2), names)}>`;
  const name = SCALARS[type] ?? names.get(type);
  if (name === undefined) throw new Error(`unknown type ${type}`);
  return name;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
