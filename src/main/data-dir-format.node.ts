/**
 * The format of a data folder: a number that rises when its contents change shape. A newer one is refused, an older one is
 * migrated step by step, after a copy was put aside.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DataPaths } from './data-dir-path.ts';
import { replaceFile } from './replace-file.node.ts';
import { UserError } from './user-error.ts';

export interface Migration {
  /** Turns a folder of format `from` into one of `from + 1`. May be repeated after a crash in its middle. */
  readonly from: number;
  run(paths: DataPaths): void;
}

export interface Format {
  readonly current: number;
  readonly migrations: readonly Migration[];
}

/** The format that this version of mendlet writes. */
export const dataFormat: Format = { current: 1, migrations: [] };

/** Not copied: images and containers, which are large and are not mendlet's own; the lock, which is held. */
const notCopied = ['containerd', 'images', 'lock', 'lock-holder'];

/** The number in the format file; `undefined` for a folder that has none. */
export function readFormat(paths: DataPaths): number | undefined {
  if (!existsSync(paths.format)) return undefined;
  const text = readFileSync(paths.format, 'utf8').trim();
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new UserError(`${paths.format} holds no format number: "${text.slice(0, 40)}"`);
  return Number(text);
}

export function writeFormat(paths: DataPaths, number: number): void {
  replaceFile(paths.format, `${number}\n`);
}

/** @throws UserError when the folder was written by a newer mendlet */
export function refuseNewer(paths: DataPaths, found: number, format: Format): void {
  if (found <= format.current) return;
  throw new UserError(
    `${paths.dir} was written by a newer mendlet (format ${found}; this one knows up to ${format.current}): ` +
      'use that version, or another --data-dir',
  );
}

/** @returns the folder with the copy, `undefined` when there was nothing to migrate */
export function migrate(paths: DataPaths, found: number, format: Format): string | undefined {
  if (found === format.current) return undefined;
  const copy = join(paths.dir, `before-format-${format.current}`);
  copyAside(paths, copy);
  for (let number = found; number < format.current; number++) {
    const migration = format.migrations.find((candidate) => candidate.from === number);
    if (migration === undefined)
      throw new UserError(`no way leads from format ${number} of ${paths.dir} to this version`);
    migration.run(paths);
    writeFormat(paths, number + 1);
  }
  return copy;
}

/** A whole copy under its final name only when it is complete; one that is there already shows the older state: it stays. */
function copyAside(paths: DataPaths, copy: string): void {
  if (existsSync(copy)) return;
  const part = `${copy}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { mode: 0o700 });
  for (const name of readdirSync(paths.dir)) {
    if (notCopied.includes(name) || name.startsWith('before-format-')) continue;
    cpSync(join(paths.dir, name), join(part, name), { recursive: true, preserveTimestamps: true });
  }
  renameSync(part, copy);
}
