import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { MASTERS_GROUP, NODES_GROUP } from './authentication.ts';
import { connectionShares } from './connection-shares.ts';
import { addressKey, type ConnectionPhase, ConnectionTable, LOOPBACK } from './connection-table.ts';

describe('addressKey', () => {
  it.each([
    ['127.0.0.1', LOOPBACK],
    ['127.9.8.7', LOOPBACK],
    ['::1', LOOPBACK],
    ['::ffff:127.0.0.1', LOOPBACK],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('%s is %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});

describe('connectionShares', () => {
  it.each([
    [undefined, 4096],
    [1_048_576, 4096],
    [20_000, 4096],
    [4096, 896],
    [1024, 128],
    [256, 64],
  ])('of a process that may open %s files are %s', (files, all) => {
    expect(connectionShares(files).all).toBe(all);
  });

  it('leave room for everybody, however few there are', () => {
    for (const files of [0, 100, 700, 1024, 5000, 100_000]) {
      const { all, strangers, strangersPerAddress, ordinary, perUser, perKeptUser } = connectionShares(files);
      expect(Math.min(strangers, strangersPerAddress, ordinary, perUser, perKeptUser)).toBeGreaterThan(0);
      expect(strangers + strangersPerAddress + ordinary).toBeLessThan(all);
      expect(perUser).toBeLessThan(ordinary);
    }
  });
});

class Held {
  phase: ConnectionPhase;
  readonly since: number;
  readonly address: string;
  isOut = false;
  constructor(address: string, since = 0, phase: ConnectionPhase = 'idle') {
    this.address = address;
    this.since = since;
    this.phase = phase;
  }
  crowdOut(): void {
    this.isOut = true;
  }
}

const shares = { all: 20, strangers: 6, strangersPerAddress: 3, ordinary: 8, perUser: 4, perKeptUser: 6 };
const agent = (n: number) => ({ name: `system:node:${n}`, groups: [NODES_GROUP] });
const user = (name: string) => ({ name, groups: [] });

describe('ConnectionTable', () => {
  it('ends the weakest of an address that has its share: silent ones, idle ones, handshakes; the oldest first', () => {
    const table = new ConnectionTable<Held>(shares);
    const handshake = new Held('10.0.0.1', 1, 'handshake');
    const idle = new Held('10.0.0.1', 2, 'idle');
    const silent = new Held('10.0.0.1', 3, 'silent');
    const other = new Held('10.0.0.2', 0, 'silent');
    const busy = (): Held => new Held('10.0.0.1', 4, 'busy');
    for (const each of [handshake, idle, silent, other, busy(), busy()]) table.accept(each);
    expect([handshake, idle, silent, other].map(({ isOut }) => isOut)).toEqual([false, true, true, false]);
    table.accept(busy());
    expect(handshake.isOut).toBe(true);
    expect(table.count('stranger')).toBe(4);
  });

  it('takes from the address that has most when strangers have all of theirs, and never from this machine', () => {
    const table = new ConnectionTable<Held>(shares);
    const local = [1, 2, 3].map((at) => new Held(LOOPBACK, at, 'silent'));
    const many = [1, 2, 3].map((at) => new Held('10.0.0.1', at));
    const few = [1, 2].map((at) => new Held('10.0.0.2', at));
    for (const each of [...local, ...many, ...few, new Held('10.0.0.3'), new Held('10.0.0.4')]) table.accept(each);
    expect(many.map(({ isOut }) => isOut)).toEqual([true, false, false]);
    expect([...few, ...local].some(({ isOut }) => isOut)).toBe(false);
  });

  it('never ends who has shown credentials for a stranger', () => {
    const table = new ConnectionTable<Held>(shares);
    const known = new Held('10.0.0.1');
    table.accept(known);
    expect(table.promote(known, user('jane'))).toBe(true);
    for (let n = 0; n < 100; n += 1) table.accept(new Held('10.0.0.1', n));
    expect(known.isOut).toBe(false);
    expect([table.count('stranger'), table.count('known')]).toEqual([3, 1]);
  });

  it('gives one user no more than a share: idle ones make room, watches do not', () => {
    const table = new ConnectionTable<Held>(shares);
    const open = (phase: ConnectionPhase, since = 0): { held: Held; ok: boolean } => {
      const held = new Held('10.0.0.1', since, phase);
      table.accept(held);
      return { held, ok: table.promote(held, user('jane')) };
    };
    const idle = open('idle', 1);
    for (let n = 0; n < 3; n += 1) open('busy');
    expect(open('busy').ok).toBe(true);
    expect(idle.held.isOut).toBe(true);
    expect(open('busy').ok).toBe(false);
  });

  it('keeps places for agents and masters whatever ordinary users hold', () => {
    const table = new ConnectionTable<Held>(shares);
    for (let n = 0; n < 12; n += 1) {
      const held = new Held('10.0.0.1', n, 'busy');
      table.accept(held);
      table.promote(held, user(`user-${n % 4}`));
      if (table.classOf(held) === 'stranger') table.remove(held);
    }
    expect(table.count('known')).toBe(8);
    const kept = [agent(1), agent(2), { name: 'admin', groups: [MASTERS_GROUP] }].map((each) => {
      const held = new Held('10.0.0.9', 0, 'busy');
      table.accept(held);
      return table.promote(held, each);
    });
    expect(kept).toEqual([true, true, true]);
  });

  it('makes an agent out of a user, and never less of an agent', () => {
    const table = new ConnectionTable<Held>(shares);
    const held = new Held('10.0.0.1');
    table.accept(held);
    table.promote(held, user('jane'));
    table.promote(held, agent(1));
    expect(table.classOf(held)).toBe('kept');
    table.promote(held, user('jane'));
    expect(table.classOf(held)).toBe('kept');
  });

  it('holds its bounds whatever happens, and nothing in the end', () => {
    const step = fc.record({
      act: fc.constantFrom('accept', 'jane', 'joe', 'agent', 'master', 'close'),
      address: fc.constantFrom(LOOPBACK, '10.0.0.1', '10.0.0.2', '10.0.0.3'),
      phase: fc.constantFrom<ConnectionPhase>('silent', 'handshake', 'idle', 'busy'),
      pick: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const table = new ConnectionTable<Held>(shares);
        for (const [at, { act, address, phase, pick }] of steps.entries()) {
          const open = [...table.connections];
          const chosen = open[pick % Math.max(1, open.length)];
          if (act === 'accept') table.accept(new Held(address, at, phase));
          else if (chosen === undefined) continue;
          else if (act === 'close') table.remove(chosen);
          else if (act === 'agent') table.promote(chosen, agent(pick % 3));
          else if (act === 'master') table.promote(chosen, { name: 'admin', groups: [MASTERS_GROUP] });
          else table.promote(chosen, user(act));
          const strangers = [...table.connections].filter((each) => table.classOf(each) === 'stranger');
          const foreign = strangers.filter((each) => each.address !== LOOPBACK).length;
          expect(foreign).toBeLessThanOrEqual(shares.strangers);
          expect(strangers.length - foreign).toBeLessThanOrEqual(shares.strangersPerAddress);
          expect(table.count('known')).toBeLessThanOrEqual(shares.ordinary);
          expect([...table.connections].length).toBeLessThanOrEqual(shares.all + shares.strangersPerAddress);
          expect([...table.connections].every(({ isOut }) => !isOut)).toBe(true);
        }
        for (const each of table.connections) table.remove(each);
        expect([table.count('stranger'), table.count('known'), table.count('kept')]).toEqual([0, 0, 0]);
      }),
    );
  });
});
