/** Saves what an open store holds when its file was taken away: the kernel keeps the contents until it is closed. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage } from '../lib/index.ts';
import { rowsToKeep, writeLog } from './log-rebuild.node.ts';
import { scanLog } from './log-scan.node.ts';
import type { SqliteLog } from './sqlite-log.node.ts';

const MAX_RESCUES = 100;

/** @returns half a sentence that says where it is, or why it is nowhere */
export function rescueLog(log: SqliteLog, path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = freeName(path);
    const scan = scanLog(log.db);
    const { revision, identity } = log;
    writeLog(file, rowsToKeep(log.db, scan.directory, scan.revisions), {
      compacted: revision,
      swept: revision,
      base: revision,
      identity,
    });
    const lost = scan.lost.filter(({ deleted }) => !deleted).length + scan.unnamed;
    const but = lost === 0 ? '' : `, ${lost} of which could not be read`;
    return `what it held (${[...scan.directory.entries()].length} keys${but}, up to revision ${revision}) was saved in ${file}`;
  } catch (error) {
    return `what it held could not be saved: ${errorMessage(error)}`;
  }
}

function freeName(path: string): string {
  for (let number = 1; number <= MAX_RESCUES; number++) {
    const file = `${path}.rescued-${number}`;
    if (!existsSync(file)) return file;
  }
  throw new Error(`${MAX_RESCUES} rescued files are there already`);
}
