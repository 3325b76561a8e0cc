/**
 * Derives `src/apiserver/protobuf/fields.json` from the same packages as the schema: field numbers of every message that a
 * served kind is made of, from `generated.proto`, and which fields are pointers in Go (their zero means zero, not "unset").
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RESOURCES } from '../../src/api/index.ts';
import { fetchPackages } from './fetch.ts';
import { parseGoFile } from './go-types.ts';
import type { Schema } from './schema-format.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TARGET = join(ROOT, 'src/apiserver/protobuf/fields.json');
const GO_SOURCE = 'usr/share/gocode/src';
const META = 'k8s.io/apimachinery/pkg/apis/meta/v1';

/** Messages with a JSON form of their own. */
const SPECIAL: Readonly<Record<string, string>> = {
  'meta.v1.Time': 'time',
  'meta.v1.MicroTime': 'microTime',
  'meta.v1.Duration': 'duration',
  'meta.v1.FieldsV1': 'raw',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intOrString',
  'runtime.RawExtension': 'raw',
};
const SCALARS = new Set(['string', 'bool', 'int32', 'int64', 'double', 'bytes']);

interface ProtoField {
  readonly number: number;
  readonly name: string;
  /** A scalar, a special, or a message's name; with "[]" or "{}" before it. */
  readonly type: string;
}

type Messages = Map<string, readonly ProtoField[]>;

function readMessages(text: string, pack: string, messages: Messages): void {
  for (const [, name = '', body = ''] of text.matchAll(/^message (\w+) \{([\s\S]*?)^\}/gm)) {
    const fields = [
      ...body.matchAll(/^\s*(optional |required |repeated |)(?:map<string, ([\w.]+)>|([\w.]+)) (\w+) = (\d+);/gm),
    ];
    messages.set(
      `${pack}.${name}`,
      fields.map(([, label, mapValue, type = '', field = '', number]) => ({
        number: Number(number),
        name: field,
        type: `${mapValue === undefined ? (label === 'repeated ' ? '[]' : '') : '{}'}${typeName(mapValue ?? type, pack)}`,
      })),
    );
  }
}

/** ".k8s.io.api.core.v1.Pod" → "core.v1.Pod"; a bare name is of the same package. */
function typeName(type: string, pack: string): string {
  if (SCALARS.has(type)) return type;
  const parts = type.split('.');
  const full =
    parts.length === 1 ? `${pack}.${type}` : parts.slice(/^v\d/.test(parts.at(-2) ?? '') ? -3 : -2).join('.');
  return SPECIAL[full] ?? full;
}

/** "core.v1.Pod.spec" of every field that is a pointer in Go. */
function readPointers(folder: string, path: string, pack: string, pointers: Set<string>): void {
  const aside = /^(zz_generated|generated\.pb|types_swagger)|_test\.go$/;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.go') && !aside.test(name))) {
    for (const [name, type] of parseGoFile(readFileSync(join(folder, file), 'utf8'), path)) {
      if (type.kind !== 'struct') continue;
      for (const field of type.fields)
        if (field.type.startsWith('*')) pointers.add(`${pack}.${name}.${field.jsonName}`);
    }
  }
}

/** A few fields are spelt otherwise in Protobuf: `uID` is `uid` in JSON. */
function jsonName(schema: Schema, message: string, field: string): string {
  const names = Object.keys(schema.types[message]?.fields ?? {});
  if (names.includes(field)) return field;
  return names.find((name) => name.toLowerCase() === field.toLowerCase()) ?? field;
}

function main(): void {
  const packages = fetchPackages(
    ['golang-k8s-api-dev', 'golang-k8s-apimachinery-dev'],
    'sid',
    join(ROOT, '.cache/schema'),
  );
  const schema = JSON.parse(readFileSync(join(ROOT, 'src/api/schema/schema.json'), 'utf8')) as Schema;
  const messages: Messages = new Map();
  const pointers = new Set<string>();
  const paths = new Set([
    META,
    ...Object.keys(schema.types).map((name) => `k8s.io/api/${name.split('.').slice(0, 2).join('/')}`),
  ]);
  for (const path of paths) {
    const folder = packages
      .map(({ root }) => join(root, GO_SOURCE, path))
      .find((entry) => existsSync(join(entry, 'generated.proto')));
    if (folder === undefined) continue;
    const pack = path.split('/').slice(-2).join('.');
    readMessages(readFileSync(join(folder, 'generated.proto'), 'utf8'), pack, messages);
    readPointers(folder, path, pack, pointers);
  }
  const result: Record<string, Record<string, string>> = {};
  const visit = (name: string): void => {
    const fields = messages.get(name);
    if (result[name] !== undefined) return;
    if (fields === undefined) throw new Error(`no message ${name}`);
    result[name] = {};
    for (const { number, name: protoField, type } of fields) {
      const field = jsonName(schema, name, protoField);
      const inner = type.replace(/^(\[\]|\{\})/, '');
      const isMessage = inner.includes('.');
      // A field that JSON does not have is an embedded struct: its fields are the parent's.
      const embedded = schema.types[name] !== undefined && schema.types[name].fields[field] === undefined;
      if (embedded && (!isMessage || type !== inner)) throw new Error(`${name}.${field} has no JSON form`);
      result[name][number] = `${embedded ? '' : field}:${type}${pointers.has(`${name}.${field}`) ? '*' : ''}`;
      if (isMessage) visit(inner);
    }
  };
  const kinds = RESOURCES.flatMap((row) => [row, ...row.subresources.map((entry) => ({ ...row, ...entry }))]);
  for (const { group, version, kind } of [...kinds, { group: '', version: 'v1', kind: 'DeleteOptions' }]) {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const type =
      schema.kinds[`${apiVersion}/${kind}`] ?? (kind === 'DeleteOptions' ? 'meta.v1.DeleteOptions' : undefined);
    if (type !== undefined && messages.has(type)) visit(type);
  }
  const lines = Object.entries(result)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, fields]) => `  ${JSON.stringify(name)}: ${JSON.stringify(fields)}`);
  const sources = packages.map(({ name, version, sha256 }) => ({ package: name, version, sha256 }));
  const comment =
    'Derived by tools/schema/derive-protobuf.ts; do not edit. Field numbers of the Kubernetes API (Apache-2.0).';
  writeFileSync(
    TARGET,
    `{\n"comment": ${JSON.stringify(comment)},\n"sources": ${JSON.stringify(sources)},\n"messages": {\n${lines.join(',\n')}\n}\n}\n`,
  );
}

main();
