import { describe, expect, it } from 'vitest';
import {
  emptyBook,
  findDeath,
  findSurvival,
  type PodBook,
  totalOf,
  trimBook,
  withAmendment,
  withDeath,
  withDeathForSurvival,
  withGoneAt,
  withSurvival,
} from './death-book.ts';
import { NAMES, testDeath } from './deaths.fixtures.ts';
import { MAX_LAST_DEATHS } from './limits.ts';

const empty = emptyBook(NAMES);

function bookOf(count: number, container = 'main', from: PodBook = empty): PodBook {
  let book = from;
  for (let n = 1; n <= count; n += 1) {
    const log = { tail: 'x'.repeat(1000), truncated: true };
    book = withDeath(book, container, testDeath(n, { containerId: `${container}${n}`, log }));
  }
  return book;
}

const numbers = (book: PodBook, container = 'main') =>
  book.containers.find(({ name }) => name === container)?.deaths.map(({ number }) => number);

describe('a death', () => {
  it('is kept once, by its container', () => {
    const once = withDeath(empty, 'main', testDeath(1));
    expect(withDeath(once, 'main', testDeath(1, { exitCode: 7 }))).toBe(once);
    expect(numbers(once)).toEqual([1]);
  });

  it('has the number of all that died before it', () => {
    expect(numbers(bookOf(3))).toEqual([1, 2, 3]);
    const both = bookOf(2, 'side', bookOf(1));
    expect([numbers(both), numbers(both, 'side'), totalOf(both)]).toEqual([[1], [1, 2], 3]);
  });

  it('stays when it is the first, or one of the last', () => {
    const book = bookOf(MAX_LAST_DEATHS + 10);
    expect(numbers(book)).toEqual([1, ...Array.from({ length: MAX_LAST_DEATHS }, (_, i) => i + 11)]);
    expect(totalOf(book)).toBe(MAX_LAST_DEATHS + 10);
  });
});

describe('what becomes known later', () => {
  const book = withDeath(empty, 'main', testDeath(1));
  const amended = (...amendments: Parameters<typeof withAmendment>[3][]) =>
    findDeath(
      amendments.reduce((next, each) => withAmendment(next, 'main', 'c1', each), book),
      'main',
      'c1',
    );

  it.each([
    ['a delay', [{ backOffSeconds: 10 }], { backOffSeconds: 10 }],
    ['no delay: it runs again', [{ startedAgain: true as const }], { backOffSeconds: 0 }],
    ['a delay, then it runs again', [{ backOffSeconds: 10 }, { startedAgain: true as const }], { backOffSeconds: 10 }],
    ['its message and its rung', [{ message: 'bye' }, { rung: 'pod' }], { message: 'bye', rung: 'pod' }],
    ['an empty message', [{ message: 'bye' }, { message: '' }], { message: 'bye' }],
  ])('%s', (_name, amendments, wanted) => {
    expect(amended(...amendments)).toMatchObject(wanted);
  });

  it('is nothing new twice, and nothing at all of a death that is forgotten', () => {
    const once = withAmendment(book, 'main', 'c1', { message: 'bye' });
    expect(withAmendment(once, 'main', 'c1', { message: 'bye' })).toBe(once);
    expect(withAmendment(book, 'main', 'c9', { message: 'bye' })).toBe(book);
  });
});

describe('a container that outlives a process of it', () => {
  const loss = (kills: number, pid: number) =>
    testDeath(kills, {
      containerId: 'c1',
      survived: true,
      oom: { kills, peakBytes: 10 - kills, processes: [{ name: 'w', pid }], sources: ['cgroup'] },
    });

  it('has one record for each of its lives', () => {
    const book = withSurvival(withSurvival(empty, 'main', loss(1, 5)), 'main', loss(3, 6));
    expect(numbers(book)).toEqual([1]);
    expect(book.containers[0]?.deaths[0]?.oom).toEqual({
      kills: 3,
      peakBytes: 9,
      processes: [
        { name: 'w', pid: 5 },
        { name: 'w', pid: 6 },
      ],
      sources: ['cgroup'],
    });
  });

  it('still has its death to come', () => {
    const book = withDeath(withSurvival(empty, 'main', loss(1, 5)), 'main', testDeath(1));
    expect(numbers(book)).toEqual([1, 2]);
    expect(findDeath(book, 'main', 'c1')?.survived).toBeUndefined();
  });

  it('is its death after all: in its place, or after what that life had survived before', () => {
    const first = withSurvival(bookOf(1), 'main', loss(1, 5));
    const replaced = withDeathForSurvival(first, 'main', testDeath(1), undefined);
    expect(replaced.containers[0]).toMatchObject({
      total: 2,
      deaths: [{ number: 1 }, { number: 2, containerId: 'c1' }],
    });
    expect(findSurvival(replaced, 'main', 'c1')).toBeUndefined();
    expect(withDeathForSurvival(replaced, 'main', testDeath(1), undefined)).toBe(replaced);

    const before = findSurvival(first, 'main', 'c1');
    const again = withDeathForSurvival(withSurvival(first, 'main', loss(3, 6)), 'main', testDeath(1), before);
    expect(numbers(again)).toEqual([1, 2, 3]);
    expect(findSurvival(again, 'main', 'c1')).toBe(before);
    expect(withDeathForSurvival(empty, 'main', testDeath(1), undefined)).toEqual(
      withDeath(empty, 'main', testDeath(1)),
    );
  });
});

describe('trimBook', () => {
  const size = (book: PodBook) => JSON.stringify(book).length;

  it('leaves what fits', () => {
    const book = bookOf(5);
    expect(trimBook(book, size(book))).toBe(book);
  });

  it('drops the oldest between the first and the last', () => {
    const book = bookOf(10);
    expect(numbers(trimBook(book, size(book) - 1500))).toEqual([1, 4, 5, 6, 7, 8, 9, 10]);
    expect(numbers(trimBook(book, 3000))).toEqual([1, 10]);
  });

  it('keeps every first and last death, and then gives up logs: of the first ones last', () => {
    const book = bookOf(3, 'side', bookOf(3));
    const trimmed = trimBook(book, 3300);
    expect([numbers(trimmed), numbers(trimmed, 'side')]).toEqual([
      [1, 3],
      [1, 3],
    ]);
    expect(trimmed.containers.map(({ deaths }) => deaths.map(({ log }) => log !== undefined))).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(size(trimmed)).toBeLessThanOrEqual(3300);
    expect(trimBook(book, 100).containers.flatMap(({ deaths }) => deaths.map(({ log }) => log))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('a pod', () => {
  it('goes, and comes back', () => {
    const gone = withGoneAt(empty, '2026-01-01T00:00:00Z');
    expect(gone.goneAt).toBe('2026-01-01T00:00:00Z');
    expect(withGoneAt(gone, undefined)).toEqual(empty);
    expect(withGoneAt(empty, undefined)).toBe(empty);
  });
});
