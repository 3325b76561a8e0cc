/** Names a process as a person would, from /proc. */
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** What the kernel calls the process; where that is the name of a thread of a JavaScript engine, the program's file; `undefined`: it has ended. */
export function processName(pid: number): string | undefined {
  try {
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8').replace(/\p{Cc}/gu, '');
    if (name !== '' && !name.includes('MainThread')) return name;
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return undefined;
  }
}
