import { describe, expect, it } from 'vitest';
import { seededRandom } from './seeded-random.ts';

describe('seededRandom', () => {
  it('repeats itself, and splits into streams of their own', () => {
    const draw = (random: ReturnType<typeof seededRandom>): number[] => Array.from({ length: 5 }, () => random.next());
    expect(draw(seededRandom(7))).toEqual(draw(seededRandom(7)));
    expect(draw(seededRandom(7))).not.toEqual(draw(seededRandom(8)));
    const used = seededRandom(7);
    draw(used);
    expect(draw(used.split('a'))).toEqual(draw(seededRandom(7).split('a')));
    expect(draw(seededRandom(7).split('a'))).not.toEqual(draw(seededRandom(7).split('b')));
  });

  it('is roughly uniform', () => {
    const random = seededRandom('uniform');
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 10_000; i += 1) {
      const bucket = Math.floor(random.next() * 10);
      buckets[bucket] = (buckets[bucket] as number) + 1;
    }
    for (const count of buckets) expect(count).toSatisfy((n: number) => n > 850 && n < 1150);
  });

  it('makes version 4 UUIDs and generateName suffixes', () => {
    const random = seededRandom(1);
    for (let i = 0; i < 100; i += 1) {
      expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(random.suffix(5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    }
  });
});
