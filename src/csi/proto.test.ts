import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { generate } from '../../tools/proto/generate.ts';

const folder = mkdtempSync(join(tmpdir(), 'mendlet-gen-csi-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('the generated code is what the generator makes of our .proto files now', { timeout: 120_000 }, () => {
  generate('csi', folder);
  const gen = join(import.meta.dirname, 'gen');
  const names = readdirSync(gen).toSorted();
  expect(readdirSync(folder).toSorted()).toEqual(names);
  for (const name of names)
    expect(readFileSync(join(folder, name), 'utf8'), name).toBe(readFileSync(join(gen, name), 'utf8'));
});
