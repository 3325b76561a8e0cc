/** Names a process as a person would, from /proc. */
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** What the kernel calls the process; where that is the name of a thread of a JavaScript engine, the program's file; `undefined`: it has ended. */
export function processName(pid: number): string | undefined {
  try {
    const name = shown(readFileSync(`/proc/${pid}/comm`, 'utf8'));
    if (name !== '' && !name.includes('MainThread')) return name;
    return shown(basename(readlinkSync(`/proc/${pid}/exe`)));
  } catch {
    return undefined;
  }
}

/** Processes and files are named by their pod, also with characters that steer a terminal. */
function shown(name: string): string {
  return name.replace(/\p{Cc}/gu, '');
}
