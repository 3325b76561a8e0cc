/**
 * Compares the derived schema with the packages' `generated.proto`: the second source for scalar types. Names inlined in
 * Go differ by nature and are the business of `apply-schema.ts`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from './schema-format.ts';

const SCALARS: Readonly<Record<string, readonly string[]>> = {
  string: ['string'],
  bool: ['boolean'],
  int32: ['int32'],
  int64: ['int64'],
  double: ['double'],
  bytes: ['bytes'],
};

/** Returns one line per difference. */
export function compareWithProtos(schema: Schema, goSources: readonly string[]): string[] {
  const differences: string[] = [];
  const packages = new Set(Object.keys(schema.types).map((name) => name.split('.').slice(0, 2).join('/')));
  for (const path of packages) {
    const folder = path === 'meta/v1' ? 'k8s.io/apimachinery/pkg/apis/meta/v1' : `k8s.io/api/${path}`;
    const file = goSources
      .map((root) => join(root, folder, 'generated.proto'))
      .find((candidate) => existsSync(candidate));
    if (file === undefined) continue;
    for (const [message, body] of messages(readFileSync(file, 'utf8'))) {
      const ours = schema.types[`${path.replace('/', '.')}.${message}`];
      if (ours === undefined) continue;
      for (const [, repeated, type = '', name = ''] of body.matchAll(
        /^\s*(?:optional|required|(repeated)) ([\w.]+) (\w+) = \d+;/gm,
      )) {
        const field = ours.fields[name];
        const expected = SCALARS[type];
        if (field === undefined || expected === undefined) continue;
        const actual = field.type.replace(/^\[\]/, '');
        if (!expected.includes(actual) || (repeated !== undefined) !== field.type.startsWith('[]')) {
          differences.push(`${path}.${message}.${name}: ${field.type} here, ${repeated ?? ''} ${type} in the proto`);
        }
      }
    }
  }
  return differences;
}

function* messages(text: string): Iterable<[string, string]> {
  for (const match of text.matchAll(/^message (\w+) \{([\s\S]*?)^\}/gm)) yield [match[1] ?? '', match[2] ?? ''];
}
