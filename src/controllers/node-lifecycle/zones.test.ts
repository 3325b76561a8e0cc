import { describe, expect, it } from 'vitest';
import type { Node } from '../../api/index.ts';
import { DEFAULT_NODE_LIFECYCLE } from './settings.ts';
import { newZoneLimiter, nextAt, taken, withRate } from './zone-limiter.ts';
import { evictionRate, planDisruption, type ZoneState, zoneOf, zoneState } from './zones.ts';

const node = (name: string, ready: boolean | undefined, labels: Record<string, string> = {}): Node => ({
  metadata: { name, labels },
  status: ready === undefined ? {} : { conditions: [{ type: 'Ready', status: ready ? 'True' : 'Unknown' }] },
});
const nodes = (count: number, ready: boolean, zone = ''): Node[] =>
  Array.from({ length: count }, (_, i) =>
    node(`${zone}${ready}${i}`, ready, zone === '' ? {} : { 'topology.kubernetes.io/zone': zone }),
  );

describe('zoneOf', () => {
  it.each<[Record<string, string>, string]>([
    [{}, ''],
    [{ 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'z' }, 'r:\u0000:z'],
    [{ 'topology.kubernetes.io/zone': 'z' }, ':\u0000:z'],
    [{ 'failure-domain.beta.kubernetes.io/zone': 'old' }, ':\u0000:old'],
  ])('%j', (labels, expected) => {
    expect(zoneOf(node('n', true, labels))).toBe(expected);
  });
});

describe('zoneState', () => {
  it.each<[number, number, ZoneState]>([
    [0, 0, 'normal'],
    [3, 0, 'normal'],
    [0, 1, 'full disruption'],
    [1, 2, 'normal'],
    [2, 3, 'partial disruption'],
    [3, 3, 'normal'],
    [9, 11, 'partial disruption'],
    [10, 12, 'normal'],
    [0, 80, 'full disruption'],
  ])('%i ready, %i not: %s', (ready, notReady, expected) => {
    expect(zoneState({ ready, notReady }, 0.55)).toBe(expected);
  });
});

describe('evictionRate', () => {
  it.each<[ZoneState, number, number]>([
    ['normal', 3, 0.1],
    ['partial disruption', 50, 0],
    ['partial disruption', 51, 0.01],
    ['full disruption', 3, 0.1],
  ])('%s of %i nodes: %d', (state, size, expected) => {
    expect(evictionRate(state, size, DEFAULT_NODE_LIFECYCLE)).toBe(expected);
  });
});

describe('planDisruption', () => {
  const states = (all: Node[]): unknown => {
    const { zones, everywhere } = planDisruption(all, DEFAULT_NODE_LIFECYCLE);
    return [everywhere, ...[...zones].map(([zone, { state, rate }]) => `${zone.replace(':\0:', '')} ${state} ${rate}`)];
  };
  it('lets a lost zone be emptied while another lives', () => {
    expect(states([...nodes(3, false, 'a'), ...nodes(3, true, 'b')])).toEqual([
      false,
      'a full disruption 0.1',
      'b normal 0.1',
    ]);
  });
  it('stops everything when nothing lives', () => {
    expect(states([...nodes(3, false, 'a'), ...nodes(3, false, 'b')])).toEqual([
      true,
      'a full disruption 0',
      'b full disruption 0',
    ]);
    expect(states([node('only', false)])).toEqual([true, ' full disruption 0']);
  });
  it('slows down in a large zone, and stops in a small one', () => {
    expect(states([...nodes(60, false), ...nodes(40, true)])).toEqual([false, ' partial disruption 0.01']);
    expect(states([...nodes(6, false), ...nodes(4, true)])).toEqual([false, ' partial disruption 0']);
  });
  it('counts nodes that never told of themselves, and leaves out those that are excluded', () => {
    const excluded = node('x', false, { 'node.kubernetes.io/exclude-disruption': '' });
    expect(states([node('new', undefined), excluded])).toEqual([true, ' full disruption 0']);
    expect(states([excluded])).toEqual([false]);
    expect(states([])).toEqual([false]);
  });
});

describe('a zone’s limiter', () => {
  it('gives one at once, and the next at the rate', () => {
    const fresh = newZoneLimiter(0.1, 0);
    expect(nextAt(fresh, 0)).toBe(0);
    const used = taken(fresh, 0);
    expect(nextAt(used, 0)).toBe(10_000);
    expect(nextAt(used, 4_000)).toBe(10_000);
    expect(nextAt(used, 10_000)).toBe(10_000);
  });
  it('gives none at a rate of zero, and starts to wait when it has one again', () => {
    const waiting = withRate(taken(newZoneLimiter(0.1, 0), 0), 0, 1_000);
    expect(nextAt(waiting, 1_000)).toBe(Number.POSITIVE_INFINITY);
    expect(nextAt(withRate(waiting, 0.1, 100_000), 100_000)).toBe(110_000);
  });
  it('does not make those wait who had no need to', () => {
    expect(nextAt(withRate(newZoneLimiter(0.1, 0), 0.01, 5_000), 5_000)).toBe(5_000);
  });
});
