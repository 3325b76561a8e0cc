/**
 * Measures what an end costs the node's agent: `npm run bench:deaths` reads the logs of all recordings as the black box does, and
 * prints deaths a second and bytes read of each log. `--against FOLDER` measures another checkout beside it, in turns, so that a
 * busy machine slows both.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemFileSystem } from '../../src/lib/file-system.node.ts';
import { readLogTail } from '../../src/kubelet/deaths/log-tail.ts';

const ROUNDS = 3;
const PADDED_BYTES = 200_000;
const END = Date.parse('2026-01-31T12:00:00Z');

type Read = typeof readLogTail;
const here = resolve(import.meta.dirname, '..', '..');

interface Recorded {
  readonly lines: readonly string[];
}

/** Each log ends as recorded, below more than is read of it. */
function writeLogs(folder: string): readonly string[] {
  const recordings = join(here, 'test', 'why-recordings');
  const files = readdirSync(recordings).filter((name) => name.endsWith('.jsonl'));
  const all = files.flatMap((name) => readFileSync(join(recordings, name), 'utf8').split('\n').filter(Boolean));
  const padding = `${new Date(END - 60_000).toISOString()} stdout F request 7 of shop answered in 3 ms\n`;
  return all.map((text, index) => {
    const { lines } = JSON.parse(text) as Recorded;
    const path = join(folder, `${index}`, '0.log');
    mkdirSync(join(folder, `${index}`));
    const ended = lines.map((line, at) => `${new Date(END - lines.length + at).toISOString()} stderr F ${line}\n`);
    writeFileSync(path, padding.repeat(Math.ceil(PADDED_BYTES / padding.length)) + ended.join(''));
    return path;
  });
}

/** A file system that counts what is read of files. */
function counting(): { readonly fs: typeof systemFileSystem; bytes: () => number } {
  let bytes = 0;
  const fs: typeof systemFileSystem = Object.assign(Object.create(systemFileSystem), {
    openFileBelow: async (root: string, path: string) => {
      const file = await systemFileSystem.openFileBelow(root, path);
      if (file === undefined) return undefined;
      const readAt: typeof file.readAt = async (position, length) => {
        const found = await file.readAt(position, length);
        bytes += found.length;
        return found;
      };
      return { ...file, size: () => file.size(), close: () => file.close(), readAt };
    },
  });
  return { fs, bytes: () => bytes };
}

async function deathsPerSecond(read: Read, logs: readonly string[], decides: unknown): Promise<number> {
  const begin = performance.now();
  const limits = { lines: 40, bytes: 4096, decides } as Parameters<Read>[2];
  for (const log of logs) await read(systemFileSystem, log, limits);
  return (logs.length * 1000) / (performance.now() - begin);
}

function median(figures: readonly number[]): number {
  return Math.round(figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0);
}

const at = process.argv.indexOf('--against');
const other = at === -1 ? undefined : resolve(process.argv[at + 1] ?? '');
const folder = mkdtempSync(join(tmpdir(), 'bench-deaths-'));
try {
  const logs = writeLogs(folder);
  const life = { startedAt: new Date(END - 3_600_000).toISOString(), finishedAt: new Date(END).toISOString() };
  const count = counting();
  for (const log of logs) await readLogTail(count.fs, log, { lines: 40, bytes: 4096, decides: life });
  console.log(`${logs.length} deaths, ${Math.round(count.bytes() / logs.length)} bytes read of each log`);
  const kinds: [string, Read, unknown][] = [['this', readLogTail, life]];
  if (other !== undefined) {
    const theirs = (await import(join(other, 'src/kubelet/deaths/log-tail.ts'))) as { readonly readLogTail: Read };
    // `--old`: a checkout whose agent does not know the times of a life.
    kinds.push(['other', theirs.readLogTail, process.argv.includes('--old') ? true : life]);
  }
  const figures = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, read, decides] of kinds) {
      figures.set(name, [...(figures.get(name) ?? []), await deathsPerSecond(read, logs, decides)]);
    }
  }
  for (const [name, all] of figures)
    console.log(`${name}: ${median(all)} deaths a second (best ${Math.round(Math.max(...all))})`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
