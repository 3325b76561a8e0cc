/**
 * Derives `src/api/schema/schema.json` from Debian sid's Kubernetes packages. Run it to update the file; `--check` only
 * compares (it needs the network, so it is not part of the tests).
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fetchPackages } from './fetch.ts';
import { type GoField, type GoType, parseGoFile } from './go-types.ts';
import type { Schema, SchemaField, SchemaType } from './schema-format.ts';
import { compareWithApplySchema } from './apply-schema.ts';
import { compareWithProtos } from './protos.ts';

const PACKAGES = ['golang-k8s-api-dev', 'golang-k8s-apimachinery-dev', 'golang-k8s-client-go-dev'];
const ROOT = resolve(import.meta.dirname, '../..');
const TARGET = join(ROOT, 'src/api/schema/schema.json');
const GO_SOURCE = 'usr/share/gocode/src';
const META = 'k8s.io/apimachinery/pkg/apis/meta/v1';

/** Types whose JSON form is not their Go structure. */
const SPECIAL: Readonly<Record<string, string>> = {
  [`${META}.Time`]: 'time',
  [`${META}.MicroTime`]: 'microTime',
  [`${META}.Duration`]: 'duration',
  [`${META}.FieldsV1`]: 'any',
  'k8s.io/apimachinery/pkg/api/resource.Quantity': 'quantity',
  'k8s.io/apimachinery/pkg/util/intstr.IntOrString': 'intOrString',
  'k8s.io/apimachinery/pkg/runtime.RawExtension': 'any',
  'k8s.io/apimachinery/pkg/runtime.Object': 'any',
  any: 'any',
  string: 'string',
  bool: 'boolean',
  int: 'int64',
  int32: 'int32',
  int64: 'int64',
  uint32: 'int64',
  uint64: 'int64',
  float64: 'double',
};

interface GoPackage {
  readonly path: string;
  /** "core.v1" */
  readonly short: string;
  /** "" for core, "rbac.authorization.k8s.io" … */
  readonly group: string;
  readonly version: string;
  readonly types: ReadonlyMap<string, GoType>;
}

function loadPackage(folder: string, path: string): GoPackage {
  const types = new Map<string, GoType>();
  const aside = /^(zz_generated|generated\.pb|types_swagger)|_test\.go$/;
  const files = readdirSync(folder).filter((name) => name.endsWith('.go') && !aside.test(name));
  let group = '';
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [name, type] of parseGoFile(text, path)) types.set(name, type);
    group = /GroupName = "([^"]*)"/.exec(text)?.[1] ?? group;
  }
  const [parent = '', version = ''] = path.split('/').slice(-2);
  return { path, short: `${parent}.${version}`, group, version, types };
}

/** Every stable version (v1, v2 …) of every group, and meta/v1. */
function loadPackages(roots: ReadonlyMap<string, string>): GoPackage[] {
  const at = (name: string) => join(roots.get(name) ?? '', GO_SOURCE);
  const api = join(at('golang-k8s-api-dev'), 'k8s.io/api');
  const helpers = [META, 'k8s.io/apimachinery/pkg/types', 'k8s.io/apimachinery/pkg/version'];
  const found: GoPackage[] = helpers.map((path) => loadPackage(join(at('golang-k8s-apimachinery-dev'), path), path));
  for (const group of readdirSync(api).toSorted()) {
    for (const version of ['v1', 'v2']) {
      const folder = join(api, group, version);
      if (existsSync(join(folder, 'types.go'))) found.push(loadPackage(folder, `k8s.io/api/${group}/${version}`));
    }
  }
  return found;
}

class Deriver {
  readonly #packages: ReadonlyMap<string, GoPackage>;
  constructor(packages: readonly GoPackage[]) {
    this.#packages = new Map(packages.map((entry) => [entry.path, entry]));
  }

  derive(): Pick<Schema, 'kinds' | 'types'> {
    const kinds: Record<string, string> = {};
    const types: Record<string, SchemaType> = {};
    for (const pack of this.#packages.values()) {
      for (const [name, type] of pack.types) {
        const fullName = `${pack.path}.${name}`;
        if (type.kind !== 'struct' || fullName in SPECIAL || type.fields.length === 0) continue;
        const structType = marker(type.markers, 'structType');
        types[`${pack.short}.${name}`] = {
          ...(structType === undefined ? {} : { structType }),
          fields: this.#fields(type.fields),
        };
        if (type.fields.some((field) => field.inline && field.type === `${META}.TypeMeta`)) {
          kinds[`${pack.group === '' ? '' : `${pack.group}/`}${pack.version}/${name}`] = `${pack.short}.${name}`;
        }
      }
    }
    return { kinds: sorted(kinds), types: sorted(reachableOrKind(types)) };
  }

  #fields(fields: readonly GoField[]): Record<string, SchemaField> {
    const result: Record<string, SchemaField> = {};
    for (const field of fields) {
      if (!field.inline) {
        result[field.jsonName] = this.#field(field);
        continue;
      }
      const inner = this.#goType(field.type.replace(/^\*/, ''));
      if (inner.kind !== 'struct') throw new Error(`inlined ${field.type} is no struct`);
      Object.assign(result, this.#fields(inner.fields));
    }
    return result;
  }

  #field(field: GoField): SchemaField {
    const optional = field.omitempty || field.omitzero || field.markers.includes('optional');
    const listType = marker(field.markers, 'listType');
    const mapType = marker(field.markers, 'mapType') ?? marker(field.markers, 'structType');
    const keys = field.markers.flatMap((text) =>
      text.startsWith('listMapKey=') ? [text.slice('listMapKey='.length)] : [],
    );
    return {
      type: this.#type(field.type),
      ...(optional ? {} : { required: true as const }),
      ...(this.#isPointer(field.type) ? { pointer: true as const } : {}),
      ...(field.omitempty ? { omitempty: true as const } : {}),
      ...(field.omitzero ? { omitzero: true as const } : {}),
      ...(field.markers.includes('nullable') ? { nullable: true as const } : {}),
      ...(field.patchMergeKey === undefined ? {} : { patchMergeKey: field.patchMergeKey }),
      ...(field.patchStrategy === undefined ? {} : { patchStrategy: field.patchStrategy }),
      ...(listType === undefined ? {} : { listType }),
      ...(keys.length === 0 ? {} : { listMapKeys: keys }),
      ...(mapType === undefined ? {} : { mapType }),
    };
  }

  /** Whether nil stands for absence, so that a zero value is a value. Interfaces count: they have no zero value. */
  #isPointer(goType: string): boolean {
    if (goType.startsWith('*')) return true;
    if (goType in SPECIAL || /^(\[|map\[)/.test(goType)) return false;
    const found = this.#goType(goType);
    return found.kind === 'named' && this.#isPointer(found.type);
  }

  #type(goType: string): string {
    if (goType.startsWith('*')) return this.#type(goType.slice(1));
    if (goType === '[]byte') return 'bytes';
    if (goType.startsWith('[]')) return `[]${this.#type(goType.slice(2))}`;
    const map = /^map\[([^\]]*)\](.*)$/.exec(goType);
    if (map?.[2] !== undefined) return `{}${this.#type(map[2])}`;
    const special = SPECIAL[goType];
    if (special !== undefined) return special;
    const found = this.#goType(goType);
    if (found.kind === 'named') return this.#type(found.type);
    const dot = goType.lastIndexOf('.');
    return `${this.#packages.get(goType.slice(0, dot))?.short}.${goType.slice(dot + 1)}`;
  }

  #goType(name: string): GoType {
    const dot = name.lastIndexOf('.');
    const found = this.#packages.get(name.slice(0, dot))?.types.get(name.slice(dot + 1));
    if (found === undefined) throw new Error(`unknown Go type ${name}`);
    return found;
  }
}

function marker(markers: readonly string[], name: string): string | undefined {
  return markers.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Drops helper structs that no kind reaches (Go-only types), so that the file holds only what can be in a request. */
function reachableOrKind(types: Record<string, SchemaType>): Record<string, SchemaType> {
  const seen = new Set<string>();
  const visit = (name: string) => {
    if (seen.has(name) || types[name] === undefined) return;
    seen.add(name);
    for (const field of Object.values(types[name].fields)) visit(field.type.replace(/^(\[\]|\{\})+/, ''));
  };
  for (const [name, type] of Object.entries(types))
    if ('apiVersion' in type.fields || name.startsWith('meta.')) visit(name);
  return Object.fromEntries(Object.entries(types).filter(([name]) => seen.has(name)));
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** One line per type: small, and a diff shows what changed. */
function print(schema: Schema): string {
  return `{\n"comment": ${JSON.stringify(schema.comment)},\n"sources": ${JSON.stringify(schema.sources, null, 1)},\n"kinds": ${printTable(schema.kinds)},\n"types": ${printTable(schema.types)}\n}\n`;
}

function printTable(record: object): string {
  const lines = Object.entries(record).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{\n${lines.join(',\n')}\n}`;
}

function main(): void {
  const packages = fetchPackages(PACKAGES, 'sid', join(ROOT, '.cache/schema'));
  const roots = new Map(packages.map((entry) => [entry.name, entry.root]));
  const schema: Schema = {
    comment: 'Derived by tools/schema/derive.ts; do not edit. Facts of the Kubernetes API (Apache-2.0), no prose.',
    sources: packages.map((entry) => ({ package: entry.name, version: entry.version, sha256: entry.sha256 })),
    ...new Deriver(loadPackages(roots)).derive(),
  };
  const differences = [
    ...compareWithApplySchema(schema, join(roots.get('golang-k8s-client-go-dev') ?? '', GO_SOURCE)),
    ...compareWithProtos(
      schema,
      [...roots.values()].map((root) => join(root, GO_SOURCE)),
    ),
  ];
  for (const difference of differences) console.error(difference);
  if (differences.length > 0) throw new Error(`${differences.length} differences between the sources`);
  const text = print(schema);
  if (process.argv.includes('--check')) {
    if (readFileSync(TARGET, 'utf8') !== text) throw new Error('schema.json differs from its sources');
    console.log('schema.json is what its sources say');
    return;
  }
  mkdirSync(dirname(TARGET), { recursive: true });
  writeFileSync(TARGET, text);
  console.log(
    `${Object.keys(schema.types).length} types, ${Object.keys(schema.kinds).length} kinds, ${text.length} bytes`,
  );
}

main();
