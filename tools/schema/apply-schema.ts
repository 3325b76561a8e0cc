/**
 * Compares the derived schema with client-go's structured-merge-diff schema: the second source for field names, list
 * types and map keys. Any difference means that one of the readers is wrong.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { Schema, SchemaField } from './schema-format.ts';

interface SmdType {
  readonly scalar?: string;
  readonly namedType?: string;
  readonly list?: { readonly elementRelationship?: string; readonly keys?: readonly string[] };
  readonly map?: {
    readonly elementRelationship?: string;
    readonly fields?: readonly { name: string; type: SmdType }[];
  };
}
interface SmdDocument {
  readonly types: readonly (SmdType & { readonly name: string })[];
}

/** Returns one line per difference. */
export function compareWithApplySchema(schema: Schema, goSource: string): string[] {
  const text = readFileSync(join(goSource, 'k8s.io/client-go/applyconfigurations/internal/internal.go'), 'utf8');
  const yaml = /YAMLObject\(`([\s\S]*?)`\)/.exec(text)?.[1];
  if (yaml === undefined) throw new Error('no schema in internal.go');
  const differences: string[] = [];
  const atomicTypes = new Set<string>();
  const document = load(yaml) as SmdDocument;
  for (const type of document.types) {
    const name = shortName(type.name);
    const ours = schema.types[name];
    if (ours === undefined || type.map?.fields === undefined) continue;
    if (type.map.elementRelationship === 'atomic') atomicTypes.add(name);
    if ((type.map.elementRelationship === 'atomic') !== (ours.structType === 'atomic'))
      differences.push(`${name}: structType`);
    const theirs = new Map(type.map.fields.map((field) => [field.name, field.type]));
    for (const field of theirs.keys())
      if (ours.fields[field] === undefined) differences.push(`${name}.${field}: missing here`);
    for (const [field, value] of Object.entries(ours.fields)) {
      const other = theirs.get(field);
      if (other === undefined) differences.push(`${name}.${field}: missing there`);
      else differences.push(...compareField(`${name}.${field}`, value, other));
    }
  }
  return differences;
}

function shortName(name: string): string {
  return name.replace(/^io\.k8s\.(api|apimachinery\.pkg\.apis)\./, '');
}

function compareField(name: string, ours: SchemaField, theirs: SmdType): string[] {
  if (theirs.list === undefined) return [];
  const keys = ours.listType === 'map' ? (ours.listMapKeys ?? []) : [];
  const theirType =
    theirs.list.elementRelationship === 'atomic' ? 'atomic' : theirs.list.keys === undefined ? 'set' : 'map';
  const differences: string[] = [];
  if ((ours.listType ?? 'atomic') !== theirType)
    differences.push(`${name}: listType ${ours.listType} here, ${theirType} there`);
  if (keys.join() !== (theirs.list.keys ?? []).join()) differences.push(`${name}: listMapKeys`);
  return differences;
}
