/** Writes `src/api/types.gen.ts` from `src/api/schema/schema.json`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Schema } from './schema-format.ts';
import { printTypes } from './type-script.ts';

const api = resolve(import.meta.dirname, '../../src/api');
const schema = JSON.parse(readFileSync(resolve(api, 'schema/schema.json'), 'utf8')) as Schema;
writeFileSync(resolve(api, 'types.gen.ts'), printTypes(schema));
