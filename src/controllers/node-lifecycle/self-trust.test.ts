import { describe, expect, it } from 'vitest';
import { beginTrust, describe as told, doubt, hear, look, mayEvictAt, recover, type Trust } from './self-trust.ts';

const SETTINGS = { graceMs: 50_000, periodMs: 10_000, toleranceMs: 5_000, silenceMs: 25_000 };
const at = (mono: number, wall = mono): { wall: number; mono: number } => ({ mono, wall });
const well = (trust: Partial<Trust> = {}): Trust => ({
  ...recover(beginTrust(at(0)), 0),
  dueAt: 10_000,
  heardAt: 0,
  others: 3,
  ...trust,
});

describe('trust in ourselves', () => {
  it('begins with our own first heartbeat, and gives everybody a grace', () => {
    const begun = beginTrust(at(0));
    expect(mayEvictAt(begun, 0, SETTINGS)).toBe(Number.POSITIVE_INFINITY);
    expect(mayEvictAt(recover(begun, 100), 100, SETTINGS)).toBe(50_100);
  });

  it.each<[string, number, number, string | undefined]>([
    ['in time', 10_000, 10_000, undefined],
    ['a hiccup', 14_900, 14_900, undefined],
    ['our loop stood', 15_100, 15_100, 'the controller did not run for 5.1 s'],
    ['the machine slept', 10_000, 70_000, 'the clock jumped by 60.0 s'],
    ['somebody set the clock back', 10_000, -50_000, 'the clock jumped by -60.0 s'],
  ])('%s', (_, mono, wall, expected) => {
    const next = look(well(), at(mono, wall), SETTINGS);
    expect(next.wellSince === undefined ? told(next.suspicion) : undefined).toBe(expected);
  });

  it('keeps its first reason until it is well again', () => {
    const ill = doubt(doubt(well(), { cause: 'api', error: 'cut' }), { cause: 'watch', behind: 'x' });
    expect(told(ill.suspicion)).toBe("the API server did not take the controller's own heartbeat: cut");
    expect(recover(ill, 99_000).wellSince).toBe(99_000);
    expect(recover(well(), 99_000).wellSince).toBe(0);
  });

  it('gives everybody a new grace at the first word after a silence of all', () => {
    expect(hear(well(), 24_000, SETTINGS).wellSince).toBe(0);
    const again = hear(well(), 26_000, SETTINGS);
    expect([again.wellSince, told(again.suspicion)]).toEqual([26_000, 'no node was heard of for 26.0 s']);
    expect(hear(well({ others: 1 }), 26_000, SETTINGS).wellSince).toBe(0);
    expect(hear(well({ wellSince: undefined }), 26_000, SETTINGS).wellSince).toBeUndefined();
  });

  it('sends nobody away while all that were there fell silent together', () => {
    const together = well({ heardAt: 60_000, together: 2 });
    expect(mayEvictAt(together, 84_000, SETTINGS)).toBe(50_000);
    expect(mayEvictAt(together, 90_000, SETTINGS)).toBe(Number.POSITIVE_INFINITY);
    expect(mayEvictAt(together, 900_000, SETTINGS)).toBe(Number.POSITIVE_INFINITY);
  });

  it('waits a second grace for the last one of all', () => {
    expect(mayEvictAt(well({ heardAt: 60_000 }), 70_000, SETTINGS)).toBe(50_000);
    expect(mayEvictAt(well({ heardAt: 60_000 }), 90_000, SETTINGS)).toBe(160_000);
    expect(mayEvictAt(well({ heardAt: undefined }), 90_000, SETTINGS)).toBe(50_000);
  });
});
