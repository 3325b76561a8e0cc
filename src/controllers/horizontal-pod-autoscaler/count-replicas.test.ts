import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { type CountInput, countReplicas, type Target } from './count-replicas.ts';
import type { Sample } from './group-pods.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const ago = (ms: number): string => new Date(NOW - ms).toISOString();
const HOUR = 3_600_000;

type State = 'ready' | 'unready' | 'starting' | 'pending' | 'deleted' | 'failed';

/** One that asks for `cpu` thousandths. */
function pod(name: string, state: State = 'ready', cpu: string | undefined = '1'): Pod {
  const startTime = ago(state === 'starting' ? 60_000 : HOUR);
  const status = state === 'ready' ? 'True' : 'False';
  const lastTransitionTime = ago(state === 'starting' ? 50_000 : state === 'unready' ? 1000 : HOUR - 5000);
  return {
    metadata: { name, ...(state === 'deleted' ? { deletionTimestamp: ago(1000) } : {}) },
    spec: { containers: [{ name: 'c', ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }) }] },
    status: {
      phase: state === 'pending' ? 'Pending' : state === 'failed' ? 'Failed' : 'Running',
      startTime,
      conditions: [{ type: 'Ready', status, lastTransitionTime }],
    },
  };
}

const sample = (milli: number): Sample => ({ milli, at: NOW - 1000, windowMs: 15_000 });

function count(
  pods: readonly Pod[],
  used: Readonly<Record<string, number>>,
  more: Partial<CountInput> = {},
  target?: Target,
) {
  const samples = new Map(Object.entries(used).map(([name, milli]) => [name, sample(milli)]));
  const tolerance = { up: 0.1, down: 0.1 };
  const input = { current: pods.length, pods, samples, resource: 'cpu', tolerance, now: NOW, ...more };
  return countReplicas(input, target ?? { kind: 'utilization', percent: 50 });
}

const three = [pod('a'), pod('b'), pod('c')];

describe('utilization of requests', () => {
  it.each<[string, Readonly<Record<string, number>>, number, number]>([
    ['twice the target doubles', { a: 1000, b: 1000, c: 1000 }, 6, 100],
    ['the average decides', { a: 2000, b: 500, c: 500 }, 6, 100],
    ['half the target halves, rounded up', { a: 250, b: 250, c: 250 }, 2, 25],
    ['no use leaves none', { a: 0, b: 0, c: 0 }, 0, 0],
    ['within the tolerance above', { a: 550, b: 550, c: 550 }, 3, 55],
    ['within the tolerance below', { a: 450, b: 450, c: 450 }, 3, 45],
    ['just beyond the tolerance', { a: 560, b: 560, c: 560 }, 4, 56],
  ])('%s', (_, used, replicas, utilization) => {
    expect(count(three, used)).toMatchObject({ ok: true, replicas, utilization });
  });

  it('heeds a tolerance of its own each way', () => {
    const used = { a: 700, b: 700, c: 700 };
    expect(count(three, used, { tolerance: { up: 0.5, down: 0 } })).toMatchObject({ replicas: 3 });
    expect(count(three, { a: 490, b: 490, c: 490 }, { tolerance: { up: 0.5, down: 0 } })).toMatchObject({
      replicas: 3,
    });
    expect(count(three, { a: 300, b: 300, c: 300 }, { tolerance: { up: 0.5, down: 0 } })).toMatchObject({
      replicas: 2,
    });
  });
});

describe('pods of which little is known', () => {
  it('without a sample are idle on the way up, and busy on the way down', () => {
    // Two of three at the double of the target: 2000 of 3000 is 66 %.
    expect(count(three, { a: 1000, b: 1000 })).toMatchObject({ replicas: 4, utilization: 100 });
    // The third counts with its whole request: 100 + 100 + 1000 of 3000 is 40 %.
    expect(count(three, { a: 100, b: 100 })).toMatchObject({ replicas: 3 });
  });

  it('never turn the direction', () => {
    expect(count(three, { a: 600 })).toMatchObject({ replicas: 3 });
    expect(count([pod('a'), pod('b')], { a: 400 })).toMatchObject({ replicas: 2 });
  });

  it.each<[State]>([['unready'], ['starting'], ['pending']])('%s ones count as idle on the way up alone', (state) => {
    const pods = [pod('a'), pod('b'), pod('c', state)];
    expect(count(pods, { a: 1000, b: 1000, c: 5000 })).toMatchObject({ replicas: state === 'unready' ? 14 : 4 });
    expect(count(pods, { a: 100, b: 100, ...(state === 'pending' ? {} : { c: 100 }) })).toMatchObject({ replicas: 1 });
  });

  it.each<[State]>([['deleted'], ['failed']])('%s ones do not count', (state) => {
    const pods = [pod('a'), pod('b', state)];
    expect(count(pods, { a: 1000, b: 0 }, { current: 1 })).toMatchObject({ replicas: 2, utilization: 100 });
  });

  it('memory is believed from the start', () => {
    const spec = { containers: [{ name: 'c', resources: { requests: { memory: '1Ki' } } }] };
    const pods = [{ ...pod('a', 'starting'), spec }];
    expect(count(pods, { a: 1_024_000 }, { resource: 'memory' })).toMatchObject({ replicas: 2, utilization: 100 });
  });
});

describe('nothing to count by', () => {
  it.each<[string, readonly Pod[], Readonly<Record<string, number>>]>([
    ['no pods returned by selector while calculating replica count', [], {}],
    ['did not receive metrics for targeted pods (pods might be unready)', [pod('a', 'starting')], { a: 1 }],
    ['did not receive metrics for targeted pods (pods might be unready)', [pod('a')], { other: 1 }],
    ['missing request for cpu in container c of Pod a', [pod('a', 'ready', undefined)], { a: 1 }],
  ])('%s', (problem, pods, used) => {
    const given = pods.map((each) =>
      problem.startsWith('missing') ? { ...each, spec: { containers: [{ name: 'c' }] } } : each,
    );
    expect(count(given, used)).toEqual({ ok: false, problem });
  });
});

describe('an average value', () => {
  const target: Target = { kind: 'value', milli: 500 };
  it('needs no requests', () => {
    const pods = [pod('a', 'ready', undefined), pod('b', 'ready', undefined)];
    expect(count(pods, { a: 1000, b: 1000 }, {}, target)).toEqual({ ok: true, replicas: 4, averageMilli: 1000 });
  });
  it('takes pods without a sample for what is wanted on the way down', () => {
    expect(count(three, { a: 100, b: 100 }, {}, target)).toMatchObject({ replicas: 2 });
  });
});
