import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { BodyAccounts } from './body-accounts.ts';
import { ByteBudget, openAccount } from './byte-budget.ts';
import { FloodMeter } from './flood-meter.ts';
import { BODY_WAIT_MS, KNOWN_FLOODS, STRANGER_FLOODS, USER_BODY_BYTES } from './limits.ts';

const never = new AbortController().signal;

describe('ByteBudget', () => {
  it('takes what fits every account, or nothing of any', () => {
    const budget = new ByteBudget({ clock: createManualClock() });
    const [wide, narrow] = [openAccount('the server', 100, true), openAccount('user "jane"', 10)];
    expect(budget.take([wide, narrow], 10)).toBeUndefined();
    expect(budget.take([wide, narrow], 1)).toMatchObject({
      code: 429,
      message: 'no room for a request body of up to 1 bytes: user "jane" may have 10 bytes of them under way',
      status: { details: { retryAfterSeconds: 1 } },
    });
    expect(wide.used).toBe(10);
    expect(budget.take([wide], 91)).toMatchObject({ code: 503, status: { details: { retryAfterSeconds: 1 } } });
  });

  it('lets in who waits as soon as there is room, in turn, and nobody waits for another user’s share', async () => {
    const budget = new ByteBudget({ clock: createManualClock() });
    const [jane, joe] = [openAccount('jane', 10), openAccount('joe', 10)];
    budget.take([jane], 10);
    budget.take([joe], 10);
    const order: string[] = [];
    const waits = [
      budget.wait([jane], 6, never).then(() => order.push('jane 1')),
      budget.wait([jane], 6, never).then(() => order.push('jane 2')),
      budget.wait([joe], 6, never).then(() => order.push('joe')),
    ];
    budget.release([joe], 10);
    await waits[2];
    budget.release([jane], 10);
    await waits[0];
    expect([order, budget.waiting]).toEqual([['joe', 'jane 1'], 1]);
    budget.release([jane], 6);
    await waits[1];
    expect([jane.used, joe.used, budget.waiting]).toEqual([6, 6, 0]);
  });

  it('refuses after a while, when the client leaves, when too many wait, and at once what can never fit', async () => {
    const clock = createManualClock();
    const budget = new ByteBudget({ clock, maxWaiting: 2 });
    const account = openAccount('jane', 10);
    budget.take([account], 10);
    const gone = new AbortController();
    const [late, left] = [budget.wait([account], 5, never), budget.wait([account], 5, gone.signal)];
    expect(await budget.wait([account], 5, never)).toMatchObject({ code: 429 });
    expect(await budget.wait([account], 11, never)).toMatchObject({ code: 429 });
    gone.abort();
    expect(await left).toMatchObject({ code: 429 });
    await clock.advance(BODY_WAIT_MS);
    expect(await late).toMatchObject({ code: 429 });
    expect([account.used, budget.waiting, clock.pendingTimers]).toEqual([10, 0, 0]);
  });
});

describe('BodyAccounts', () => {
  it('bound users and strangers apart, keep the last part for agents and masters, and forget who holds nothing', () => {
    const accounts = new BodyAccounts();
    const budget = new ByteBudget({ clock: createManualClock() });
    const connection = openAccount('this connection', Number.POSITIVE_INFINITY);
    const of = (name: string, groups: readonly string[] = []) => accounts.ofUser(connection, { name, groups });
    for (const name of ['a', 'b', 'c']) expect(budget.take(of(name), USER_BODY_BYTES)).toBeUndefined();
    expect(budget.take(of('a'), 1)).toMatchObject({ code: 429 });
    expect(budget.take(of('d'), 1)).toMatchObject({ code: 503 });
    expect(budget.take(accounts.ofStranger(connection, '10.0.0.1'), 1)).toMatchObject({ code: 503 });
    expect(budget.take(of('system:node:n', ['system:nodes']), 1)).toBeUndefined();
    expect(budget.take(of('admin', ['system:masters']), 1)).toBeUndefined();
    for (const name of ['a', 'b', 'c']) {
      const held = of(name);
      budget.release(held, USER_BODY_BYTES);
      accounts.forget(held);
    }
    expect([accounts.used, accounts.owners]).toEqual([2, 4]);
  });
});

describe('FloodMeter', () => {
  it('allows a burst, then a rate, and more once credentials were shown', () => {
    const meter = new FloodMeter();
    const allowed = (kind: 'reset' | 'ping', mono: number, tries: number): number =>
      Array.from({ length: tries }, () => meter.allows(kind, mono)).filter(Boolean).length;
    expect(allowed('reset', 0, 500)).toBe(STRANGER_FLOODS.reset.burst);
    expect(allowed('reset', 2000, 500)).toBe(2 * STRANGER_FLOODS.reset.perSecond);
    expect(allowed('ping', 2000, 500)).toBe(STRANGER_FLOODS.ping.burst);
    meter.trust();
    meter.trust();
    expect(allowed('reset', 2000, 10_000)).toBe(KNOWN_FLOODS.reset.burst);
    expect(meter.allows('wasted', 2000, KNOWN_FLOODS.wasted.burst)).toBe(true);
    expect(meter.allows('wasted', 2000)).toBe(false);
    expect(Array.from({ length: 10_000 }, () => meter.allows('request', 3000)).every(Boolean)).toBe(true);
  });
});
