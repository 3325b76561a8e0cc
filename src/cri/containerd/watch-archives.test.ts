import { expect, it } from 'vitest';
import { FileError, type Logger, silentLogger } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { LOOK_EVERY_MS, SETTLE_MS, watchArchives } from './watch-archives.ts';

function world() {
  const clock = createManualClock();
  const files = new Map<string, { size: number; mtimeMs: number }>();
  const imported: string[] = [];
  const warnings: unknown[] = [];
  const stop = new AbortController();
  let told = (): void => {};
  const state = { isThere: true, bad: new Set<string>() };
  const gone = () => new FileError('ENOENT', '/images', 'there is no such folder');
  const fs = {
    readdir: async () => {
      if (!state.isThere) throw gone();
      return [...files.keys(), 'notes.txt'];
    },
    stat: async (path: string) => {
      const info = files.get(path.slice('/images/'.length));
      return info && { type: 'file' as const, mode: 0, uid: 0, gid: 0, ...info };
    },
    watch: (_: string, onChange: () => void) => {
      if (!state.isThere) throw gone();
      told = onChange;
      return { close: () => {} };
    },
  };
  const logger: Logger = { ...silentLogger, warn: (_, fields) => void warnings.push(fields?.['error']) };
  const importArchive = async (file: string): Promise<void> => {
    imported.push(file);
    if (state.bad.has(file)) throw new Error('no image in it');
  };
  const done = watchArchives({ folder: '/images', fs, clock, logger, importArchive }, stop.signal);
  const put = async (name: string, size: number): Promise<void> => {
    files.set(name, { size, mtimeMs: size });
    told();
    await clock.advance(0);
  };
  return { clock, files, imported, warnings, state, put, end: () => (stop.abort(), done) };
}

it('imports an archive once it has stopped to grow, and again when it changes', async () => {
  const { clock, imported, put, end } = world();
  await put('a.tar', 1);
  await clock.advance(SETTLE_MS / 2);
  await put('a.tar', 2);
  await clock.advance(SETTLE_MS / 2);
  expect(imported).toEqual([]);
  await clock.advance(2 * SETTLE_MS);
  expect(imported).toEqual(['/images/a.tar']);
  await clock.advance(5 * LOOK_EVERY_MS);
  expect(imported).toHaveLength(1);
  await put('a.tar', 3);
  await clock.advance(3 * SETTLE_MS);
  expect(imported).toHaveLength(2);
  await end();
});

it('says once what cannot be imported, and goes on with the others', async () => {
  const { clock, imported, warnings, state, put, end } = world();
  state.bad.add('/images/bad.tar');
  await put('bad.tar', 1);
  await put('good.tar', 1);
  await clock.advance(5 * LOOK_EVERY_MS);
  expect(imported.toSorted()).toEqual(['/images/bad.tar', '/images/good.tar']);
  expect(warnings).toEqual(['no image in it']);
  await end();
});

it('waits for a folder that is not there yet', async () => {
  const { clock, files, imported, state, end } = world();
  state.isThere = false;
  await clock.advance(LOOK_EVERY_MS);
  state.isThere = true;
  files.set('a.tar', { size: 1, mtimeMs: 1 });
  await clock.advance(2 * LOOK_EVERY_MS);
  expect(imported).toEqual(['/images/a.tar']);
  await end();
});
