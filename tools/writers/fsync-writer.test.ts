import { expect, it } from 'vitest';
import { firstLost, overlapping, readLog } from './fsync-writer.ts';

const [A, B] = ['aaaaaaaa-0000-4000-8000-000000000000', 'bbbbbbbb-0000-4000-8000-000000000000'];

it('reads whole records, and neither torn lines nor foreign ones', () => {
  const { numbers, writers } = readLog(`\n1 ${A} .\n2 ${A} .\n3 ${A}\n\n3 ${B} .\nnoise\n`);
  expect([...numbers]).toEqual([1, 2, 3]);
  expect(writers).toEqual([A, B]);
});

it('notices a lost record', () => {
  const log = readLog(`1 ${A} .\n3 ${A} .\n`);
  expect([firstLost(log, 1), firstLost(log, 3), firstLost(readLog(''), 1)]).toEqual([undefined, 2, 1]);
});

it('notices a writer that writes beside another', () => {
  expect(overlapping(readLog(`1 ${A} .\n2 ${B} .\n3 ${B} .\n`))).toBeUndefined();
  expect(overlapping(readLog(`1 ${A} .\n2 ${B} .\n3 ${A} .\n`))).toBe(A);
});
