/** What this process uses, from Node.js and Linux. */
import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessUsage } from './process-metrics.ts';

const PAGE_BYTES = 4096;

/** A figure that the system does not give is left out, or 0. */
export function ownProcessUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  const [pages = '0'] = textOf('/proc/self/statm').split(' ');
  const most = Number(/^Max open files\s+(\d+)/m.exec(textOf('/proc/self/limits'))?.[1] ?? Number.NaN);
  const openFiles = countOf('/proc/self/fd');
  return {
    startedAt: Date.now() - process.uptime() * 1000,
    cpuNanoseconds: (user + system) * 1000,
    virtualBytes: Number(pages) * PAGE_BYTES,
    residentBytes: process.memoryUsage.rss(),
    ...(openFiles === undefined ? {} : { openFiles }),
    ...(Number.isNaN(most) ? {} : { maxOpenFiles: most }),
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function countOf(folder: string): number | undefined {
  try {
    return readdirSync(folder).length;
  } catch {
    return undefined;
  }
}
