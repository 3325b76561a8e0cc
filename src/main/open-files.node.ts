/** How many files this process may open, which bounds its connections. */
import { readFileSync } from 'node:fs';

/** The soft RLIMIT_NOFILE; undefined: there is none, or it cannot be read (not Linux). */
export function maxOpenFiles(read: () => string = () => readFileSync('/proc/self/limits', 'utf8')): number | undefined {
  let text: string;
  try {
    text = read();
  } catch {
    return undefined;
  }
  const soft = /^Max open files\s+(\S+)/m.exec(text)?.[1];
  return soft !== undefined && /^\d+$/.test(soft) ? Number(soft) : undefined;
}
