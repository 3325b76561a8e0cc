/** The last merged program, kept as a fixture from which upgrades start. `npm run upgrade:fixture` makes it. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

const root = resolve(import.meta.dirname, '..', '..');
export const FIXTURE = 'test/upgrade/landed.json.br';
/** The files that `mendlet up` loads; the licences and kubectl's plugins are not needed. */
export const BUNDLED_FILES: readonly string[] = ['mendlet.js', 'program.js', 'store-worker.js'];

export interface LandedProgram {
  /** The commit that it was built from. */
  readonly revision: string;
  /** The day of that commit. */
  readonly landedAt: string;
  /** Contents by file name. */
  readonly files: Readonly<Record<string, string>>;
}

/** Unpacks the program once below `.cache`. @returns the path of its `mendlet.js` */
export function unpackLandedProgram(): string {
  const program = JSON.parse(brotliDecompressSync(readFileSync(join(root, FIXTURE))).toString()) as LandedProgram;
  const folder = join(root, '.cache/upgrade', program.revision);
  if (!existsSync(folder)) {
    const part = `${folder}.${process.pid}`;
    mkdirSync(part, { recursive: true });
    for (const [name, text] of Object.entries(program.files)) writeFileSync(join(part, name), text);
    // Another suite may have unpacked the same files first.
    try {
      renameSync(part, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
      rmSync(part, { recursive: true });
    }
  }
  return join(folder, 'mendlet.js');
}
