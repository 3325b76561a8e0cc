import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { createMetrics, silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import type { MachineFacts, MachinePressure } from '../figures.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import type { Summary } from '../stats/summary.ts';
import { EvictionManager } from './eviction-manager.ts';

const MIB = 1024 * 1024;
const TIME = '2026-11-21T00:00:00Z';
const FULL = { bytes: 1000, freeBytes: 10, inodes: 0, freeInodes: 0 };
const EMPTY = { bytes: 1000, freeBytes: 900, inodes: 0, freeInodes: 0 };

function pod(name: string): Pod {
  return { metadata: { name, namespace: 'default', uid: name }, spec: { containers: [{ name: 'main' }] } };
}

function machineOf(state: { pressure: MachinePressure }) {
  const facts = { memoryBytes: 1000 * MIB, maxPids: 1000 } as MachineFacts;
  return { facts: async () => facts, pressure: async () => state.pressure };
}

function set(memoryMiB: number, fs = EMPTY): MachinePressure {
  return { memoryAvailableBytes: memoryMiB * MIB, pids: 10, rootFs: fs, imageFs: EMPTY };
}

function world() {
  const clock = createManualClock();
  const state = { pressure: set(500) };
  const pods = [pod('small'), pod('large')];
  const evicted: { readonly name: string; readonly message: string; readonly graceSeconds: number }[] = [];
  const told: string[] = [];
  const freed = { calls: 0, effect: (): void => {} };
  const summary: Summary = {
    node: { nodeName: 'n', startTime: TIME },
    pods: pods.map(({ metadata }) => ({
      podRef: { name: metadata?.name ?? '', namespace: 'default', uid: metadata?.uid ?? '' },
      startTime: TIME,
      containers: [],
      memory: { time: TIME, workingSetBytes: metadata?.name === 'large' ? 200 : 100 },
      'ephemeral-storage': { time: TIME, usedBytes: metadata?.name === 'large' ? 200 : 100 },
    })),
  };
  const changes = { count: 0 };
  const overuse = { bytes: 0, message: 'pvc-1 has 5Gi' };
  const manager = new EvictionManager(
    {
      clock,
      logger: silentLogger,
      metrics: createMetrics(),
      machine: machineOf(state),
    },
    DEFAULT_SETTINGS.eviction,
    {
      stats: { summary: async () => summary, cpuAndMemory: async () => summary },
      events: { pod: (_, __, reason) => void told.push(reason), node: (_, reason) => void told.push(reason) },
      activePods: () => pods,
      terminate: ({ metadata }, request, end) =>
        void evicted.push({
          name: metadata?.name ?? '',
          message: end.message,
          graceSeconds: request.gracePeriodSeconds,
        }),
      freeDisk: async () => {
        freed.calls += 1;
        freed.effect();
      },
      volumeOveruse: async () => overuse,
      onChange: () => void (changes.count += 1),
    },
  );
  const end = new AbortController();
  void manager.run(end.signal);
  const after = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await settle();
  };
  return { clock, state, pods, evicted, told, freed, changes, overuse, manager, after, end };
}

describe('EvictionManager', () => {
  it('evicts the largest pod when memory runs out, one at a time, and tells the node', async () => {
    const { state, evicted, told, changes, manager, after, pods } = world();
    await settle();
    expect(manager.verdict().memory).toBe(false);
    state.pressure = set(50);
    await after(10_000);
    expect(manager.verdict().memory).toBe(true);
    expect(changes.count).toBe(1);
    expect(evicted.map(({ name, graceSeconds }) => [name, graceSeconds])).toEqual([['large', 1]]);
    expect(evicted[0]?.message).toMatch(/^The node was low on resource: memory\. Threshold quantity: 102400Ki/);
    expect(told).toEqual(['EvictionThresholdMet', 'Evicted']);
    await after(10_000);
    expect(evicted).toHaveLength(1);
    pods.splice(1, 1);
    await after(10_000);
    expect(evicted.map(({ name }) => name)).toEqual(['large', 'small']);
  });

  it('goes on to the next when an evicted pod does not end', async () => {
    const { state, evicted, after } = world();
    state.pressure = set(50);
    await after(10_000);
    await after(30_000);
    expect(evicted.length).toBeGreaterThan(1);
  });

  it('evicts nobody for what volumes have beyond their claims, and says whose fault it is', async () => {
    const { state, evicted, told, overuse, manager, after, end } = world();
    await after(0);
    overuse.bytes = 90;
    state.pressure = set(500, FULL);
    await after(20_000);
    expect(manager.verdict().disk).toBe(true);
    expect(evicted).toEqual([]);
    expect(told).toContain('VolumeDiskFull');
    overuse.bytes = 89;
    await after(10_000);
    expect(evicted.map(({ name }) => name)).toEqual(['large']);
    end.abort();
  });

  it('frees disk before it evicts, and evicts nobody when that was enough', async () => {
    const { state, evicted, freed, after } = world();
    freed.effect = () => void (state.pressure = set(500));
    state.pressure = set(500, FULL);
    await after(10_000);
    expect([freed.calls, evicted.length]).toEqual([1, 0]);
    freed.effect = () => {};
    state.pressure = set(500, FULL);
    await after(10_000);
    expect(evicted.map(({ name }) => name)).toEqual(['large']);
  });

  it('keeps the condition for five minutes after the pressure is gone', async () => {
    const { state, manager, after } = world();
    state.pressure = set(500, FULL);
    await after(10_000);
    state.pressure = set(500);
    await after(290_000);
    expect(manager.verdict().disk).toBe(true);
    await after(20_000);
    expect(manager.verdict().disk).toBe(false);
  });
});
