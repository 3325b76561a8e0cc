import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { generate } from '../../tools/proto/generate.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'mendlet-gen-csi-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['csi', 'src/csi/gen'],
  ['csi-example', 'test/support/csi-example/gen'],
] as const)(
  'the generated code of %s is what the generator makes of its .proto files now',
  { timeout: 120_000 },
  (speaker, path) => {
    const [made, gen] = [join(folder, speaker), join(root, path)];
    generate(speaker, made);
    const names = readdirSync(gen).toSorted();
    expect(readdirSync(made).toSorted()).toEqual(names);
    for (const name of names)
      expect(readFileSync(join(made, name), 'utf8'), name).toBe(readFileSync(join(gen, name), 'utf8'));
  },
);
