import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LifecycleInput, type PodLifecycle, stepLifecycle } from './lifecycle.ts';
import type { TerminationRequest } from './pod-memory.ts';

const request = (gracePeriodSeconds: number): TerminationRequest => ({
  reason: 'Deleted',
  message: '',
  gracePeriodSeconds,
  requestedAt: 0,
});
const input = (change: Partial<LifecycleInput> = {}): LifecycleInput => ({
  ready: true,
  request: undefined,
  requestedAtMono: 1000,
  alive: true,
  wanted: true,
  reclaimed: false,
  ...change,
});
const terminating = (grace: number, deadline: number): PodLifecycle => ({
  state: 'terminating',
  request: request(grace),
  deadline,
});

describe('stepLifecycle', () => {
  it.each<[string, PodLifecycle, Partial<LifecycleInput>, PodLifecycle['state']]>([
    ['waits until it may start', { state: 'waiting' }, { ready: false }, 'waiting'],
    ['syncs once it may', { state: 'waiting' }, {}, 'syncing'],
    ['stays syncing', { state: 'syncing' }, {}, 'syncing'],
    ['ends a pod that never started', { state: 'waiting' }, { ready: false, request: request(30) }, 'terminating'],
    ['stops first', { state: 'syncing' }, { request: request(30) }, 'terminating'],
    ['is terminated when nothing lives', { state: 'syncing' }, { request: request(30), alive: false }, 'terminated'],
    ['stays terminated while wanted', { state: 'terminated', request: request(30) }, { reclaimed: true }, 'terminated'],
    [
      'stays terminated until reclaimed',
      { state: 'terminated', request: request(30) },
      { wanted: false },
      'terminated',
    ],
    ['finishes', { state: 'terminated', request: request(30) }, { wanted: false, reclaimed: true }, 'finished'],
    ['never comes back', { state: 'finished', request: request(30) }, { wanted: true, ready: true }, 'finished'],
  ])('%s', (_name, current, change, expected) => {
    expect(stepLifecycle(current, input(change)).state).toBe(expected);
  });

  it.each<[string, number, number, number]>([
    ['a shorter grace overtakes', 5, 2000, 7000],
    ['grace 0 ends it now', 0, 2000, 2000],
    ['a longer grace changes nothing', 300, 2000, 31_000],
    ['the same grace asked again changes nothing', 30, 9000, 31_000],
    ['a smaller number that would end later changes nothing', 29, 9000, 31_000],
  ])('%s', (_name, grace, requestedAtMono, deadline) => {
    const next = stepLifecycle(terminating(30, 31_000), input({ request: request(grace), requestedAtMono }));
    expect(next).toMatchObject({ state: 'terminating', deadline });
  });

  it('only goes forward, and its deadline only comes nearer', () => {
    const order = ['waiting', 'syncing', 'terminating', 'terminated', 'finished'];
    const arbitrary = fc.record({
      ready: fc.boolean(),
      request: fc.option(fc.integer({ min: 0, max: 60 }).map(request), { nil: undefined }),
      requestedAtMono: fc.integer({ min: 0, max: 100_000 }),
      alive: fc.boolean(),
      wanted: fc.boolean(),
      reclaimed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 12 }), (inputs) => {
        let lifecycle: PodLifecycle = { state: 'waiting' };
        for (const each of inputs) {
          const next = stepLifecycle(lifecycle, each);
          expect(order.indexOf(next.state)).toBeGreaterThanOrEqual(order.indexOf(lifecycle.state));
          if (lifecycle.state === 'terminating' && next.state === 'terminating') {
            expect(next.deadline).toBeLessThanOrEqual(lifecycle.deadline);
          }
          lifecycle = next;
        }
      }),
    );
  });
});
