/** How far the traffic to pods that leave has gone. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { EndpointSlice } from '../../api/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import type { SeenConnection } from './fresh-connections.ts';
import { LocalVerdicts } from './local-verdicts.ts';
import type { ServiceDirectory } from './service-directory.ts';
import { Withdrawals } from './withdrawals.ts';

let slices: readonly EndpointSlice[];
let synced: boolean;
let isApplied: boolean;
let verdicts: LocalVerdicts;
let withdrawals: Withdrawals;
let told: string[];
let connections: SeenConnection[];
let changed: () => void;
let clock: ReturnType<typeof createManualClock>;

function slice(uid: string, conditions: { readonly ready?: boolean; readonly terminating?: boolean }): EndpointSlice {
  const targetRef = { kind: 'Pod', uid, name: uid };
  return { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'], conditions, targetRef }] };
}

beforeEach(() => {
  slices = [slice('a', { ready: true })];
  synced = true;
  isApplied = false;
  told = [];
  verdicts = new LocalVerdicts();
  clock = createManualClock();
  const directory = {
    get synced() {
      return synced;
    },
    slicesOfPod: (uid: string) =>
      slices.filter(({ endpoints }) => endpoints?.some(({ targetRef }) => targetRef?.uid === uid)),
    slices: () => slices,
    onChange: (listener: () => void) => {
      changed = listener;
      return () => {};
    },
  } as unknown as ServiceDirectory;
  connections = [];
  withdrawals = new Withdrawals({
    clock,
    directory,
    verdicts,
    isApplied: () => isApplied,
    connections: async () => connections,
  });
  withdrawals.onChange((uid) => told.push(uid));
});

it('waits for this node’s rules and for all slices', async () => {
  withdrawals.judge('a', 'leaving');
  expect(verdicts.of('a')).toBe('leaving');
  expect(withdrawals.of('a')).toMatchObject({ agreedAt: undefined, reachedAt: undefined });
  slices = [slice('a', { ready: false, terminating: true }), slice('a', { ready: true })];
  isApplied = true;
  changed();
  expect(told).toEqual([]);
  slices = [slice('a', { ready: false, terminating: true })];
  isApplied = false;
  changed();
  expect(told).toEqual([]);
  await clock.advance(70);
  isApplied = true;
  withdrawals.look();
  withdrawals.look();
  expect(told).toEqual(['a']);
  expect(withdrawals.of('a')).toMatchObject({ agreedAt: clock.now().mono });
});

it('waits for nobody where the pod is in no slice', () => {
  withdrawals.judge('b', 'leaving');
  expect(withdrawals.of('b')).toBeUndefined();
  withdrawals.judge('a', 'dead');
  expect(withdrawals.of('a')).toBeUndefined();
});

it('keeps the verdict on a pod that is gone until no slice names it', () => {
  withdrawals.judge('a', 'gone');
  withdrawals.forget('a');
  expect(verdicts.of('a')).toBe('gone');
  synced = false;
  slices = [];
  changed();
  expect(verdicts.of('a')).toBe('gone');
  synced = true;
  changed();
  expect(verdicts.of('a')).toBeUndefined();
});

it('forgets nothing of a pod that came back', () => {
  withdrawals.forget('a');
  withdrawals.judge('a', 'unready');
  slices = [];
  changed();
  expect(verdicts.of('a')).toBe('unready');
  withdrawals.judge('a', undefined);
  expect(verdicts.of('a')).toBeUndefined();
});

it('a pod with another address is gone from the one that slices still name', () => {
  withdrawals.judge('a', undefined, ['10.0.0.1']);
  expect([verdicts.of('a'), verdicts.of('a', '10.0.0.1')]).toEqual([undefined, undefined]);
  const changes: string[] = [];
  verdicts.onChange((uid) => changes.push(uid));
  withdrawals.judge('a', undefined, ['10.0.0.2']);
  withdrawals.judge('a', undefined, ['10.0.0.2']);
  expect(changes).toEqual(['a']);
  expect([verdicts.of('a', '10.0.0.1'), verdicts.of('a', '10.0.0.2')]).toEqual(['gone', undefined]);
  // Addresses that are not known change nothing.
  withdrawals.judge('a', 'dead');
  expect([verdicts.of('a', '10.0.0.1'), verdicts.of('a', '10.0.0.2')]).toEqual(['gone', 'dead']);
  withdrawals.forget('a');
  slices = [];
  changed();
  expect(verdicts.of('a', '10.0.0.1')).toBeUndefined();
});

it('sees that clients still come, as long as a signal could wait for it', async () => {
  const reached = (): number | undefined => withdrawals.of('a')?.reachedAt;
  connections = [{ from: '10.9.9.9', fromPort: 1, answeredBy: '10.0.0.1' }];
  withdrawals.judge('a', 'leaving');
  await clock.advance(250);
  expect(reached()).toBeUndefined();
  connections.push({ from: '10.9.9.9', fromPort: 2, answeredBy: '10.0.0.1' });
  await clock.advance(100);
  const first = reached();
  expect(first).toBeGreaterThan(0);
  await clock.advance(500);
  expect(reached()).toBe(first);
  await clock.advance(3000);
  connections.push({ from: '10.9.9.9', fromPort: 3, answeredBy: '10.0.0.1' });
  await clock.advance(500);
  expect(reached()).toBe(first);
});

describe('before the first list of slices', () => {
  beforeEach(() => {
    synced = false;
    slices = [];
    isApplied = true;
  });
  const sync = (...found: EndpointSlice[]): void => {
    slices = found;
    synced = true;
    changed();
  };

  it('waits for it: the pod may be in a slice', async () => {
    withdrawals.judge('a', 'leaving', ['10.0.0.1']);
    changed();
    expect([withdrawals.of('a'), told]).toMatchObject([{ agreedAt: undefined }, []]);
    sync(slice('a', { ready: true }));
    expect([withdrawals.of('a'), told]).toMatchObject([{ agreedAt: undefined }, []]);
    await clock.advance(40);
    sync(slice('a', { ready: false, terminating: true }));
    expect([withdrawals.of('a'), told]).toMatchObject([{ agreedAt: clock.now().mono }, ['a']]);
  });

  it('ends the wait where it shows that the pod is in no slice', () => {
    withdrawals.judge('a', 'leaving');
    sync(slice('b', { ready: true }));
    expect([withdrawals.of('a'), told]).toEqual([undefined, ['a']]);
  });

  it('watches for connections at the addresses of the pod, then at those of its slices', async () => {
    withdrawals.judge('a', 'leaving', ['10.0.0.7']);
    await clock.advance(150);
    connections = [{ from: '10.9.9.9', fromPort: 1, answeredBy: '10.0.0.7' }];
    await clock.advance(100);
    const first = withdrawals.of('a')?.reachedAt;
    expect(first).toBeGreaterThan(0);
    sync(slice('a', { ready: true }));
    await clock.advance(100);
    connections = [{ from: '10.9.9.9', fromPort: 2, answeredBy: '10.0.0.1' }];
    await clock.advance(100);
    expect(withdrawals.of('a')?.reachedAt).toBeGreaterThan(first ?? 0);
  });
});

it('a pod that restarts has left when the slices call it unready', () => {
  isApplied = true;
  withdrawals.judge('a', 'leaving');
  expect(withdrawals.of('a')?.agreedAt).toBeUndefined();
  slices = [slice('a', { ready: false })];
  changed();
  expect(withdrawals.of('a')?.agreedAt).toBe(clock.now().mono);
});

it.each<[string, readonly [string, boolean][], boolean]>([
  [
    'another serves',
    [
      ['a', true],
      ['b', true],
    ],
    true,
  ],
  ['it serves alone', [['a', true]], false],
  [
    'another is not ready',
    [
      ['a', true],
      ['b', false],
    ],
    false,
  ],
  [
    'this node knows that the other is dead',
    [
      ['a', true],
      ['c', true],
    ],
    false,
  ],
  [
    'it is not ready itself',
    [
      ['a', false],
      ['b', true],
    ],
    false,
  ],
  ['it is in no slice', [['b', true]], false],
])('who may leave to restart: %s', (_, pods, wanted) => {
  const endpoints = pods.map(([uid, ready], at) => ({
    addresses: [`10.0.0.${at}`],
    conditions: { ready },
    targetRef: { kind: 'Pod', uid, name: uid },
  }));
  const labels = { 'kubernetes.io/service-name': 'web' };
  slices = [{ metadata: { namespace: 'team', labels }, addressType: 'IPv4', endpoints }];
  verdicts.give('c', 'dead');
  expect(withdrawals.canLeave('a')).toBe(wanted);
});
