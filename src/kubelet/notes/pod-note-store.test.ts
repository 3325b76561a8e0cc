import { describe, expect, it } from 'vitest';
import { type FileSystem, silentLogger } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { emptyMemory, type PodNote } from '../plan/pod-memory.ts';
import { PodNoteStore } from './pod-note-store.ts';

function note(startTime: number): PodNote {
  return { ...emptyMemory('ns', 'pod').note, startTime };
}

/** Writes end when the test says so. */
function slowDisk() {
  const files = new Map<string, string>();
  const log: string[] = [];
  const gates: (() => void)[] = [];
  const slow = async (what: string, effect: () => void): Promise<void> => {
    log.push(`${what} begins`);
    await new Promise<void>((done) => gates.push(done));
    effect();
    log.push(`${what} ends`);
  };
  const fs = {
    mkdir: async () => {},
    writeFile: (path: string, text: string) => slow('write', () => files.set(path, text)),
    remove: (path: string) => slow('remove', () => files.delete(path)),
  } as unknown as FileSystem;
  return { fs, files, log, release: () => gates.shift()?.() };
}

describe('notes that are written while others are asked for', () => {
  it('follow one another, and the last one stays', async () => {
    const { fs, files, log, release } = slowDisk();
    const store = new PodNoteStore({ fs, logger: silentLogger, rootDir: '/r' });
    const first = store.save('u', note(1));
    const second = store.save('u', note(2));
    const same = store.save('u', note(2));
    await settle();
    expect(log).toEqual(['write begins']);
    release();
    await settle();
    expect(log).toEqual(['write begins', 'write ends', 'write begins']);
    release();
    expect(await Promise.all([first, second, same])).toEqual([true, true, true]);
    expect([...files.values()][0]).toContain('"startTime":2');
    expect(await store.save('u', note(2))).toBe(true);
    expect(log.length).toBe(4);
  });

  it('do not come back after the removal', async () => {
    const { fs, files, release } = slowDisk();
    const store = new PodNoteStore({ fs, logger: silentLogger, rootDir: '/r' });
    void store.save('u', note(1));
    const removed = store.remove('u');
    await settle();
    release();
    await settle();
    release();
    await removed;
    expect(files.size).toBe(0);
    await store.settled();
  });
});
