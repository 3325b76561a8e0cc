import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOffKey, crashLoopBackOff, formatBackOff, formatDelay, nominalDelayMs, parseBackOff } from './back-off.ts';
import { testPod } from './plan.fixtures.ts';
import type { BackOffState } from './pod-memory.ts';

const key = 'k';
const state = (delayMs: number, extra: Partial<BackOffState> = {}): BackOffState => ({
  key,
  delayMs,
  lastUpdate: 0,
  ...extra,
});
const at = (mono: number) => ({ wall: mono + 5_000_000, mono });

describe('crashLoopBackOff with a cap of its own', () => {
  it.each([
    ['below the first delay shortens that', undefined, 0, 1000, { restart: true, delayMs: 1000 }],
    ['is never passed', state(1000), 1000, 1000, { restart: true, delayMs: 1000 }],
    [
      'holds for a delay noted under another',
      state(300_000),
      999,
      1000,
      { restart: false, until: 1000, delayMs: 1000 },
    ],
    ['lets the curve rise below it', state(20_000), 20_000, 25_000, { restart: true, delayMs: 25_000 }],
  ] as const)('%s', (_what, before, now, capMs, expected) => {
    const answer = crashLoopBackOff({ key, state: before, lastUpdateMono: 0, exitMono: 0, now: at(now), capMs });
    expect(answer.restart ? { restart: true, delayMs: answer.state.delayMs } : answer).toEqual(expected);
  });
});

describe('crashLoopBackOff', () => {
  it.each([
    ['the first restart is free', undefined, 0, 100, 100, { restart: true, delayMs: 10_000 }],
    [
      'the second waits 10 s from the exit',
      state(10_000),
      0,
      100,
      100,
      { restart: false, until: 10_100, delayMs: 10_000 },
    ],
    ['until the last ms', state(10_000), 0, 100, 10_099, { restart: false, until: 10_100, delayMs: 10_000 }],
    ['and not a ms longer', state(10_000), 0, 100, 10_100, { restart: true, delayMs: 20_000 }],
    ['160 s is followed by the cap', state(160_000), 0, 0, 160_000, { restart: true, delayMs: 300_000 }],
    ['the cap by itself', state(300_000), 0, 0, 300_000, { restart: true, delayMs: 300_000 }],
    [
      'an exit 600 s after the last decision waits',
      state(80_000),
      0,
      600_000,
      600_000,
      { restart: false, until: 680_000, delayMs: 80_000 },
    ],
    ['one later than that starts afresh', state(80_000), 0, 600_001, 600_001, { restart: true, delayMs: 10_000 }],
    ['another key starts afresh', state(80_000, { key: 'other' }), 0, 5, 5, { restart: true, delayMs: 10_000 }],
    [
      'an exit from the future counts as now',
      state(10_000),
      0,
      99_999_999,
      500,
      { restart: false, until: 10_500, delayMs: 10_000 },
    ],
  ] as const)('%s', (_name, before, lastUpdateMono, exitMono, mono, expected) => {
    const now = at(mono);
    const answer = crashLoopBackOff({ key, state: before, lastUpdateMono, exitMono, now });
    if (expected.restart) {
      expect(answer).toMatchObject({ restart: true, state: { key, delayMs: expected.delayMs, lastUpdate: now.wall } });
    } else {
      expect(answer).toEqual(expected);
    }
  });

  it('climbs 0, 10, 20, 40, 80, 160, 300, 300 s for a container that dies at once', () => {
    let entry: BackOffState | undefined;
    let now = 1000;
    let lastUpdateMono = 0;
    const waits: number[] = [];
    for (let crash = 0; crash < 8; crash += 1) {
      const exitMono = now;
      let answer = crashLoopBackOff({ key, state: entry, lastUpdateMono, exitMono, now: at(now) });
      if (!answer.restart) {
        now = answer.until;
        answer = crashLoopBackOff({ key, state: entry, lastUpdateMono, exitMono, now: at(now) });
      }
      if (!answer.restart) throw new Error('the wait did not end when it was due');
      waits.push((now - exitMono) / 1000);
      entry = answer.state;
      lastUpdateMono = now;
    }
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('never waits longer than its nominal length, whatever the clocks say', () => {
    const time = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(time, time, time, fc.constantFrom(10_000, 20_000, 300_000), (last, exit, now, delayMs) => {
        const answer = crashLoopBackOff({
          key,
          state: state(delayMs),
          lastUpdateMono: last,
          exitMono: exit,
          now: at(now),
        });
        if (!answer.restart) expect(answer.until - now).toBeLessThanOrEqual(delayMs);
      }),
    );
  });
});

describe('the annotation', () => {
  it('reads what it wrote', () => {
    expect(parseBackOff(formatBackOff(state(40_000, { lastUpdate: 12 })))).toEqual(state(40_000, { lastUpdate: 12 }));
  });
  it.each([
    undefined,
    '',
    '{',
    '[]',
    'null',
    '{"key":1,"delayMs":1,"lastUpdate":1}',
    '{"key":"k","delayMs":-1,"lastUpdate":1}',
    '{"key":"k","delayMs":1e9,"lastUpdate":1}',
  ])('takes %j for none', (text) => {
    expect(parseBackOff(text)).toBeUndefined();
  });
});

describe('backOffKey', () => {
  const pod = testPod();
  const container = { name: 'main', image: 'a' };
  it('changes with image and resources, not with anything else', () => {
    const base = backOffKey(pod, container);
    expect(backOffKey(pod, { ...container, env: [{ name: 'A', value: '1' }] })).toBe(base);
    expect(backOffKey(pod, { ...container, image: 'b' })).not.toBe(base);
    expect(backOffKey(pod, { ...container, resources: { limits: { cpu: '1' } } })).not.toBe(base);
    expect(backOffKey(testPod({}, { uid: 'other' }), container)).not.toBe(base);
  });
});

it.each([
  [10_000, '10s'],
  [40_000, '40s'],
  [80_000, '1m20s'],
  [160_000, '2m40s'],
  [300_000, '5m0s'],
])('%i ms reads %s', (delayMs, text) => expect(formatDelay(delayMs)).toBe(text));

it.each([
  [0, 0],
  [1, 10_000],
  [2, 20_000],
  [5, 160_000],
  [6, 300_000],
  [1000, 300_000],
])('after %i restarts the delay is %i ms', (restarts, delayMs) => expect(nominalDelayMs(restarts)).toBe(delayMs));
