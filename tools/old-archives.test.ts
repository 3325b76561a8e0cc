import { expect, it } from 'vitest';
import { oldArchives } from './old-archives.ts';

const HOUR_MS = 3_600_000;
const archive = (name: string, modifiedMs: number) => ({ name, modifiedMs });

it('keeps the newest two archives of the image, and leaves all else alone', () => {
  const found = [
    archive('redis-7-aaaaaaaaaaaa.tar', 1),
    archive('redis-7-bbbbbbbbbbbb.tar', 4),
    archive('redis-7-cccccccccccc.tar', 2),
    archive('redis-7-dddddddddddd.tar', 3),
    archive('redis-7-bullseye-aaaaaaaaaaaa.tar', 0),
    archive('redis-7-notes.tar', 0),
    archive('postgres-15-aaaaaaaaaaaa.tar', 0),
    archive('apt.log', 0),
  ];
  expect(oldArchives('redis-7', found, 10)).toEqual(['redis-7-cccccccccccc.tar', 'redis-7-aaaaaaaaaaaa.tar']);
});

it('removes a part whose writer was killed, not one that is being written', () => {
  const found = [
    archive('redis-7-aaaaaaaaaaaa.tar', 0),
    archive('redis-7-bbbbbbbbbbbb.tar.17', 0),
    archive('redis-7-cccccccccccc.tar.18', HOUR_MS),
  ];
  expect(oldArchives('redis-7', found, HOUR_MS + 1)).toEqual(['redis-7-bbbbbbbbbbbb.tar.17']);
});
