import { describe, expect, it } from 'vitest';
import { afterStream, isReliedOn, nextMode, NO_HISTORY, probationMs, type StreamHistory } from './stream-history.ts';

const never = { stoodMs: 0, silent: false, spoke: false };
const of = (failures: number, silences = 0): StreamHistory => ({ failures, silences });

describe('afterStream', () => {
  it.each([
    ['an attempt that never stood', of(3), never, of(4)],
    ['one that broke at once', of(3), { ...never, stoodMs: 9999 }, of(4)],
    ['one that stood', of(3), { ...never, stoodMs: 10_000 }, of(1)],
    ['a silent one', of(1), { stoodMs: 3000, silent: true, spoke: false }, of(2, 1)],
    ['one that stood long and never spoke', of(1), { stoodMs: 60_000, silent: true, spoke: false }, of(2, 1)],
    ['one that lost an event', of(3, 1), { stoodMs: 60_000, silent: true, spoke: true }, of(1, 2)],
    ['one that made up for earlier ones', of(1, 5), { stoodMs: 600_000, silent: false, spoke: true }, of(1, 0)],
    ['the first loss after that', of(1, 5), { stoodMs: 600_000, silent: true, spoke: true }, of(1, 1)],
  ])('%s', (_what, before, end, after) => {
    expect(afterStream(before, end)).toEqual(after);
  });
});

describe('the mode', () => {
  it.each([
    ['is not known before anything stood or failed often', undefined, of(4), undefined, undefined],
    ['is Evented once a stream stands', undefined, NO_HISTORY, 0, 'evented'],
    ['stays Evented for one broken stream', 'evented', of(1), undefined, 'evented'],
    ['is Generic after five', 'evented', of(5), undefined, 'generic'],
    ['is Evented again when one stands', 'generic', of(9), 0, 'evented'],
    ['waits after a silent one', 'generic', of(5, 1), 9999, 'generic'],
    ['and comes back', 'generic', of(4, 1), 10_000, 'evented'],
  ] as const)('%s', (_what, told, history, standsMs, mode) => {
    expect(nextMode(told, history, standsMs)).toBe(mode);
  });

  it('makes silent streams prove themselves ever longer, up to five minutes', () => {
    expect([0, 1, 2, 3, 6, 500].map((silences) => probationMs(of(0, silences)))).toEqual([
      0, 10_000, 20_000, 40_000, 300_000, 300_000,
    ]);
    expect(isReliedOn(of(0, 2), 19_999)).toBe(false);
    expect(isReliedOn(NO_HISTORY, undefined)).toBe(false);
  });
});
