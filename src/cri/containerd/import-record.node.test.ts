import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../../lib/index.ts';
import { waitForKernelLock } from '../../lib/kernel-lock.node.ts';
import { ImportRecord } from './import-record.node.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mendlet-record-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (): ImportRecord => new ImportRecord(join(folder, 'imported.json'), waitForKernelLock, silentLogger);

it('shows what another process has added since', async () => {
  const [mine, other] = [open(), open()];
  expect(await mine.entries()).toEqual({});
  await other.add('/a.tar', { mark: '1', images: ['a'] });
  expect(await mine.entries()).toEqual({ '/a.tar': { mark: '1', images: ['a'] } });
});

it('loses nothing when many add at once', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `/${n}.tar`);
  await Promise.all(names.map((name) => open().add(name, { mark: '1', images: [name] })));
  expect(Object.keys(await open().entries()).toSorted()).toEqual(names.toSorted());
});

it('begins anew where the file is no JSON', async () => {
  writeFileSync(join(folder, 'imported.json'), '{');
  const record = open();
  expect(await record.entries()).toEqual({});
  await record.add('/a.tar', { mark: '1', images: ['a'] });
  expect(Object.keys(await record.entries())).toEqual(['/a.tar']);
});
