import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { aPod } from '../cluster/cluster.testing.ts';
import { podInfo } from '../cluster/pod-info.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

const named = (name: string, priority = 0) => podInfo(aPod({ priority }, undefined, { name, uid: name }));

function setUp(earlyRetries = { burst: 0, perSecond: 0 }) {
  const clock = createManualClock();
  let ready = 0;
  const incoming: string[] = [];
  const queue = new SchedulingQueue({
    clock,
    earlyRetries,
    onReady: () => {
      ready += 1;
    },
    onIncoming: (place, event) => incoming.push(`${place} ${event}`),
  });
  const popAll = (): string[] => {
    const names: string[] = [];
    for (let pod = queue.pop(); pod !== undefined; pod = queue.pop()) names.push(pod.key.replace('default/', ''));
    return names;
  };
  const refuse = (name: string): void => {
    const pod = queue.get(`default/${name}`);
    if (pod === undefined) throw new Error(`no ${name}`);
    queue.hold(pod, new Set(['NodeResourcesFit']));
    queue.release(pod);
  };
  return { clock, queue, popAll, refuse, incoming, readies: () => ready };
}

describe('SchedulingQueue', () => {
  it('gives the most important first, then who came first', () => {
    const { queue, popAll } = setUp();
    for (const [name, priority] of [
      ['a', 0],
      ['b', 5],
      ['c', 0],
      ['d', 5],
      ['e', -1],
    ] as const) {
      queue.add(named(name, priority), 'x');
    }
    expect(popAll()).toEqual(['b', 'd', 'a', 'c', 'e']);
  });

  it('keeps what fits nowhere until something may help, and its back-off is over: 1 s, doubling to 10', async () => {
    const { clock, queue, popAll, refuse } = setUp();
    queue.add(named('a'), 'x');
    for (const waits of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
      expect(popAll()).toEqual(['a']);
      refuse('a');
      queue.move('NodeAdd', () => true);
      expect(queue.sizes).toEqual({ active: 0, backoff: 1, unschedulable: 0 });
      await clock.advance(waits - 2);
      expect(popAll()).toEqual([]);
      await clock.advance(2);
    }
    expect(popAll()).toEqual(['a']);
    refuse('a');
    await clock.advance(20_000);
    expect(popAll()).toEqual([]);
    queue.move('NodeAdd', () => true);
    expect(popAll()).toEqual(['a']);
  });

  it('lets nobody wait for others that are not there, within bounds', async () => {
    const { clock, queue, popAll, refuse, readies } = setUp({ burst: 2, perSecond: 1 });
    for (const name of ['a', 'b', 'c']) queue.add(named(name), 'x');
    expect(popAll()).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'b', 'c']) refuse(name);
    const before = readies();
    queue.move('NodeAdd', () => true);
    expect(readies()).toBe(before + 3);
    queue.add(named('d'), 'x');
    expect(popAll()).toEqual(['d', 'a', 'b']);
    await clock.advance(1000);
    expect(popAll()).toEqual(['c']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('asks whom it may help', () => {
    const { queue, popAll, refuse } = setUp();
    queue.add(named('a'), 'x');
    queue.add(named('b'), 'x');
    popAll();
    refuse('a');
    refuse('b');
    queue.move('NodeAdd', ({ key }) => key === 'default/b');
    expect(queue.sizes).toEqual({ active: 0, backoff: 1, unschedulable: 1 });
  });

  it('tries everything again after five minutes, and has no timer when nothing waits', async () => {
    const { clock, queue, popAll, refuse } = setUp();
    queue.add(named('a'), 'x');
    popAll();
    refuse('a');
    await clock.advance(299_000);
    expect(popAll()).toEqual([]);
    await clock.advance(1000);
    expect(popAll()).toEqual(['a']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('forgets nothing that happens while room is being made', () => {
    const { queue, incoming } = setUp();
    queue.add(named('a'), 'x');
    const pod = queue.pop();
    if (pod === undefined) throw new Error('none');
    queue.hold(pod, new Set(['NodeResourcesFit']));
    queue.move('AssignedPodDelete', () => true);
    expect(queue.sizes).toEqual({ active: 0, backoff: 0, unschedulable: 0 });
    queue.release(pod);
    expect(queue.sizes).toEqual({ active: 0, backoff: 1, unschedulable: 0 });
    expect(incoming).toEqual(['active x', 'backoff ScheduleAttemptFailure']);
  });

  it('tries soon again what failed for no fault of the pod', async () => {
    const { clock, queue, popAll } = setUp();
    queue.add(named('a'), 'x');
    const pod = queue.pop();
    if (pod === undefined) throw new Error('none');
    queue.fail(pod);
    await clock.advance(50);
    expect(popAll()).toEqual(['a']);
  });

  it('drops whom it is told to drop, wherever it is, and keeps its successor', () => {
    const { queue, popAll } = setUp();
    queue.add(named('a'), 'x');
    const first = queue.pop();
    queue.delete('default/a');
    queue.add(named('a'), 'x');
    if (first === undefined) throw new Error('none');
    queue.done(first);
    queue.fail(first);
    queue.hold(first, new Set());
    queue.release(first);
    expect(popAll()).toEqual(['a']);
  });

  it('is told of one pod alone: noted in flight, moved when it waits, and nothing where it has its turn anyway', async () => {
    const { clock, queue, popAll, refuse, incoming } = setUp();
    queue.add(named('a'), 'x');
    queue.add(named('b'), 'x');
    queue.moveOne('default/a', 'PodUpdate');
    queue.moveOne('default/nobody', 'PodUpdate');
    expect(incoming).toEqual(['active x', 'active x']);
    expect(popAll()).toEqual(['a', 'b']);
    // The pod is in flight: this event counts when the pod is refused afterwards.
    queue.moveOne('default/a', 'PodUpdate');
    refuse('a');
    refuse('b');
    expect(queue.sizes).toEqual({ active: 0, backoff: 1, unschedulable: 1 });
    await clock.advance(1000);
    expect(popAll()).toEqual(['a']);
    queue.moveOne('default/b', 'PodUpdate');
    expect(popAll()).toEqual(['b']);
    expect(incoming.at(-1)).toBe('active PodUpdate');
  });

  it('keeps the order of those that wait when their priority changes', () => {
    const { queue, popAll } = setUp();
    for (const name of ['a', 'b', 'c']) queue.add(named(name), 'x');
    queue.update(named('c', 7));
    queue.update(named('nobody', 9));
    queue.add(named('b', 5), 'a new version');
    expect(queue.sizes.active).toBe(3);
    expect(popAll()).toEqual(['c', 'b', 'a']);
  });

  it('lets nobody out early whose failure was not for want of room', async () => {
    const { clock, queue, popAll } = setUp({ burst: 5, perSecond: 5 });
    queue.add(named('a'), 'x');
    const pod = queue.pop();
    if (pod === undefined) throw new Error('none');
    queue.fail(pod);
    expect([popAll(), queue.sizes.backoff]).toEqual([[], 1]);
    await clock.advance(50);
    expect(popAll()).toEqual(['a']);
  });

  it('counts decisions and failures in a row, and a refusal ends the row', () => {
    const { queue } = setUp();
    queue.add(named('a'), 'x');
    const pod = queue.pop();
    if (pod === undefined) throw new Error('none');
    queue.fail(pod);
    expect([pod.attempts, pod.errors, pod.place]).toEqual([1, 1, 'backoff']);
    queue.hold(pod, new Set(['NodePorts']));
    queue.release(pod);
    expect([pod.errors, [...pod.rejectedBy]]).toEqual([0, ['NodePorts']]);
  });

  it('has no timers and calls nobody once it is closed', async () => {
    const { clock, queue, popAll, refuse, readies } = setUp();
    for (const name of ['a', 'b']) queue.add(named(name), 'x');
    popAll();
    refuse('a');
    refuse('b');
    queue.move('NodeAdd', ({ key }) => key === 'default/b');
    expect(clock.pendingTimers).toBe(2);
    queue.close();
    expect(clock.pendingTimers).toBe(0);
    const before = readies();
    queue.add(named('c'), 'x');
    queue.move('NodeAdd', () => true);
    await clock.advance(600_000);
    expect([readies(), clock.pendingTimers]).toEqual([before, 0]);
  });

  it('gives everybody in order, whatever is added and taken away', () => {
    const step = fc.oneof(
      fc.record({
        op: fc.constant('add' as const),
        name: fc.integer({ min: 0, max: 9 }),
        priority: fc.integer({ min: 0, max: 3 }),
      }),
      fc.record({ op: fc.constant('delete' as const), name: fc.integer({ min: 0, max: 9 }) }),
      fc.record({ op: fc.constant('pop' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { queue } = setUp();
        let waiting: { key: string; priority: number; order: number }[] = [];
        let order = 0;
        for (const each of steps) {
          if (each.op === 'add') {
            const info = named(`p${each.name}`, each.priority);
            if (queue.get(info.key) !== undefined) continue;
            queue.add(info, 'x');
            order += 1;
            waiting.push({ key: info.key, priority: each.priority, order });
          } else if (each.op === 'delete') {
            queue.delete(`default/p${each.name}`);
            waiting = waiting.filter(({ key }) => key !== `default/p${each.name}`);
          } else {
            waiting = waiting.toSorted((a, b) => b.priority - a.priority || a.order - b.order);
            const pod = queue.pop();
            expect(pod?.key).toBe(waiting[0]?.key);
            waiting = waiting.slice(1);
            if (pod !== undefined) queue.done(pod);
          }
        }
      }),
    );
  });
});
