/** Small files of the data folder that are replaced whole. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Writes a small file whole: a reader, and a start after a power cut, finds the old text or the new one. The same text again
 * needs no disk, which may be full. Mode 0600.
 *
 * @throws as the file system does
 */
export function replaceFile(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}
