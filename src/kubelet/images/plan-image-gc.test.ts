import { describe, expect, it } from 'vitest';
import type { Image } from '../../cri/index.ts';
import { bytesToFree, imagesToRemove, tooOld, trackImages } from './plan-image-gc.ts';

const image = (id: string, sizeBytes = 10, more: Partial<Image> = {}): Image => ({
  id,
  repoTags: [`example.test/${id}:1`],
  repoDigests: [],
  sizeBytes,
  pinned: false,
  ...more,
});

const NEVER = Number.NEGATIVE_INFINITY;

describe('trackImages', () => {
  it('notes when an image was first seen and last used, and forgets what is gone', () => {
    const first = trackImages(new Map(), [image('a'), image('b')], new Set(['a']), 100);
    expect(first.get('a')).toEqual({ firstSeenAt: 100, lastUsedAt: 100 });
    expect(first.get('b')).toEqual({ firstSeenAt: 100, lastUsedAt: NEVER });
    const second = trackImages(first, [image('a')], new Set(), 200);
    expect([...second]).toEqual([['a', { firstSeenAt: 100, lastUsedAt: 100 }]]);
  });

  it('knows a used image by its tag', () => {
    const records = trackImages(new Map(), [image('a')], new Set(['example.test/a:1']), 5);
    expect(records.get('a')?.lastUsedAt).toBe(5);
  });
});

describe('imagesToRemove', () => {
  const images = [image('old'), image('older'), image('never'), image('used'), image('pinned', 10, { pinned: true })];
  const records = new Map([
    ['old', { firstSeenAt: 0, lastUsedAt: 500 }],
    ['older', { firstSeenAt: 0, lastUsedAt: 300 }],
    ['never', { firstSeenAt: 0, lastUsedAt: NEVER }],
    ['used', { firstSeenAt: 0, lastUsedAt: 1000 }],
    ['pinned', { firstSeenAt: 0, lastUsedAt: NEVER }],
  ]);
  const request = { images, records, inUse: new Set(['used']), now: 1000, minimumAgeMs: 100 };

  it.each([
    [0, []],
    [1, ['never']],
    [10, ['never']],
    [11, ['never', 'older']],
    [Number.POSITIVE_INFINITY, ['never', 'older', 'old']],
  ])('frees %d bytes with the longest unused first', (bytes, expected) => {
    expect(imagesToRemove({ ...request, bytesToFree: bytes }).map(({ id }) => id)).toEqual(expected);
  });

  it('leaves images that are younger than the minimum age', () => {
    const young = new Map(records).set('never', { firstSeenAt: 950, lastUsedAt: NEVER });
    const removed = imagesToRemove({ ...request, records: young, bytesToFree: 11 });
    expect(removed.map(({ id }) => id)).toEqual(['older', 'old']);
  });
});

describe('tooOld', () => {
  const images = [image('a'), image('b')];
  const records = new Map([
    ['a', { firstSeenAt: 0, lastUsedAt: NEVER }],
    ['b', { firstSeenAt: 0, lastUsedAt: 900 }],
  ]);
  const request = { images, records, inUse: new Set<string>(), now: 1000, minimumAgeMs: 0 };

  it('is nothing when no maximum is set', () => {
    expect(tooOld({ ...request, maximumAgeMs: 0 })).toEqual([]);
  });

  it('counts from the last use, or from when it was first seen', () => {
    expect(tooOld({ ...request, maximumAgeMs: 500 }).map(({ id }) => id)).toEqual(['a']);
  });
});

describe('bytesToFree', () => {
  const thresholds = { highThresholdPercent: 85, lowThresholdPercent: 80 };
  it.each([
    [{ bytes: 1000, freeBytes: 160 }, 0],
    [{ bytes: 1000, freeBytes: 150 }, 50],
    [{ bytes: 1000, freeBytes: 0 }, 200],
    [{ bytes: 0, freeBytes: 0 }, 0],
  ])('%j → %d', (fs, expected) => {
    expect(bytesToFree(fs, thresholds)).toBe(expected);
  });
});
