/** Warnings about definitions that are valid and may not do what was meant. Pure. */
import { isKnownFormat } from '../structural/formats.ts';
import { nodesOf } from '../structural/json-schema.ts';
import type { CustomResourceDefinition } from './definition.ts';

/** Formats of numbers, which say how they are stored. */
const OF_NUMBERS: ReadonlySet<string> = new Set(['int32', 'int64', 'float', 'double', 'int-or-string']);
const MAX_TOLD = 10;

/** Formats that nobody checks are told (upstream: unrecognized format). */
export function definitionWarnings({ spec }: CustomResourceDefinition): readonly string[] {
  const found: string[] = [];
  for (const [position, { schema }] of (spec.versions ?? []).entries()) {
    if (schema?.openAPIV3Schema === undefined) continue;
    const formats = new Set(nodesOf(schema.openAPIV3Schema).map(({ format = '' }) => format));
    for (const format of formats)
      if (format !== '' && !OF_NUMBERS.has(format) && !isKnownFormat(format))
        found.push(`spec.versions[${position}].schema.openAPIV3Schema: unrecognized format ${JSON.stringify(format)}`);
  }
  return found.slice(0, MAX_TOLD);
}
