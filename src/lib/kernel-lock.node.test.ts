import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeKernelLock, waitForKernelLock } from './kernel-lock.node.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mendlet-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('has one holder at a time', () => {
  const first = takeKernelLock(path);
  expect(first).toBeDefined();
  expect(takeKernelLock(path)).toBeUndefined();
  first?.release();
  const second = takeKernelLock(path);
  expect(second).toBeDefined();
  second?.release();
});

it('waits for its release', async () => {
  const first = takeKernelLock(path);
  const waits: string[] = [];
  const waiting = waitForKernelLock(path, {
    onWait: () => {
      waits.push('waits');
      setTimeout(() => first?.release(), 50);
    },
  });
  const second = await waiting;
  expect(second).toBeDefined();
  expect(waits).toEqual(['waits']);
  second?.release();
});

it('stops waiting when it is told to', async () => {
  const first = takeKernelLock(path);
  const stop = new AbortController();
  expect(await waitForKernelLock(path, { stop: stop.signal, onWait: () => stop.abort() })).toBeUndefined();
  first?.release();
});
