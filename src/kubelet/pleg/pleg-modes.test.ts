import { describe, expect, it } from 'vitest';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { MAX_EVENT_READS } from './limits.ts';
import { startPleg, TableRuntime } from './pleg.fixtures.ts';

/** Relists that begin within `ms`. */
async function relistsIn(runtime: TableRuntime, clock: { advance(ms: number): Promise<void> }, ms: number) {
  const before = runtime.lists;
  await clock.advance(ms);
  return runtime.lists - before;
}

function onePod(): TableRuntime {
  const runtime = new TableRuntime();
  runtime.pod('a');
  runtime.container('a', 'c1', 'running');
  return runtime;
}

describe('the mode of PLEG', () => {
  it('is Generic as configured: a relist each second and no stream', async () => {
    for (const options of [
      { runtimeEvents: true, settings: { mode: 'generic' } },
      { runtimeEvents: false, settings: { mode: 'evented' } },
    ] as const) {
      const runtime = onePod();
      const { clock, modes, metrics, stop } = await startPleg(runtime, createManualClock(), options);
      expect(await relistsIn(runtime, clock, 60_000)).toBe(60);
      expect([runtime.streams.length, modes.map(({ mode }) => mode)]).toEqual([0, ['generic']]);
      expect(metrics.text()).toContain('mendlet_pleg_mode{mode="generic"} 1');
      await stop();
    }
  });

  it('is Evented where there is a stream: a relist each 10 s, or as configured', async () => {
    for (const [eventedRelistPeriodMs, expected] of [
      [10_000, 60],
      [300_000, 2],
    ] as const) {
      const runtime = onePod();
      const { pleg, clock, modes, metrics, stop } = await startPleg(runtime, createManualClock(), {
        runtimeEvents: true,
        settings: { eventedRelistPeriodMs },
      });
      await clock.advance(500);
      expect(await relistsIn(runtime, clock, 600_000)).toBe(expected);
      expect(modes.map(({ mode }) => mode)).toEqual(['evented']);
      expect(metrics.text()).toContain('mendlet_pleg_mode{mode="evented"} 1');
      expect(pleg.unhealthy()).toBeUndefined();
      await stop();
    }
  });

  it('is Generic for good where the runtime has no events, and looks for them now and then', async () => {
    const runtime = onePod();
    runtime.noEvents = true;
    const { clock, modes, metrics, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await clock.advance(500);
    expect(await relistsIn(runtime, clock, 50_000)).toBe(50);
    expect(modes.map(({ mode }) => mode)).toEqual(['generic']);
    expect(metrics.text()).toContain('kubelet_evented_pleg_connection_error_count 0');
    runtime.noEvents = false;
    await clock.advance(20_000);
    expect(modes.map(({ mode }) => mode)).toEqual(['generic', 'evented']);
    await stop();
  });

  it('of a runtime without events is a failure where events were asked for', async () => {
    const runtime = onePod();
    runtime.noEvents = true;
    const { clock, modes, metrics, stop } = await startPleg(runtime, createManualClock(), {
      runtimeEvents: true,
      settings: { mode: 'evented' },
    });
    await clock.advance(60_000);
    expect(modes).toEqual([{ mode: 'generic', reason: 'no events', failed: true }]);
    expect(metrics.text()).toMatch(/kubelet_evented_pleg_connection_error_count \d\d/);
    await stop();
  });

  it('falls back after five failed attempts and returns, with a relist at each turn', async () => {
    const runtime = onePod();
    const { clock, dirty, modes, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await clock.advance(5000);
    dirty.length = 0;
    runtime.refuse = true;
    runtime.container('a', 'c1', 'exited');
    runtime.breakStreams();
    await clock.advance(1);
    expect(dirty).toEqual([['a', 'pleg']]);
    // Four attempts are no change of mode; the relist is fast from the first on.
    expect(modes.map(({ mode }) => mode)).toEqual(['evented']);
    await clock.advance(10_000);
    expect(modes.map(({ mode, before, reason }) => [mode, before, reason])).toEqual([
      ['evented', undefined, ''],
      ['generic', 'evented', 'down'],
    ]);
    expect(await relistsIn(runtime, clock, 10_000)).toBe(10);
    runtime.refuse = false;
    await clock.advance(6000);
    expect(modes.at(-1)).toMatchObject({ mode: 'evented', before: 'generic' });
    expect(await relistsIn(runtime, clock, 60_000)).toBe(6);
    await stop();
  });

  it('counts an attempt that never stands as failed', async () => {
    const runtime = onePod();
    runtime.never = true;
    const { clock, modes, metrics, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    expect(await relistsIn(runtime, clock, 60_000)).toBeGreaterThanOrEqual(60);
    expect(modes.map(({ mode }) => mode)).toEqual(['generic']);
    expect(metrics.text()).toMatch(/kubelet_evented_pleg_connection_error_count [5-9]/);
    await stop();
  });
});

describe('a stream that says nothing', () => {
  it('is found out by the relist, and the next must prove itself', async () => {
    const runtime = onePod();
    const { clock, dirty, modes, metrics, stop } = await startPleg(runtime, createManualClock(), {
      runtimeEvents: true,
    });
    await clock.advance(15_000);
    dirty.length = 0;
    runtime.mute = true;
    runtime.die('a', 'c1');
    await clock.advance(10_000);
    expect(dirty).toEqual([['a', 'pleg']]);
    await clock.advance(2500);
    expect(metrics.text()).toContain('mendlet_pleg_silent_streams_total 1');
    expect([runtime.streams.length, modes.length]).toEqual([2, 1]);
    // On probation: each second, until it has stood for 10 s.
    expect(await relistsIn(runtime, clock, 4000)).toBe(4);
    await clock.advance(10_000);
    expect(await relistsIn(runtime, clock, 60_000)).toBe(6);
    await stop();
  });

  it('again and again is Generic PLEG, at one second', async () => {
    const runtime = onePod();
    const { clock, modes, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    runtime.mute = true;
    for (let n = 2; n < 12; n += 1) {
      runtime.container('a', `c${n}`, 'running', n);
      await clock.advance(15_000);
    }
    expect(modes.at(-1)).toMatchObject({ mode: 'generic', before: 'evented' });
    expect(modes.at(-1)?.reason).toContain('nothing came for a change that the relist found (ContainerStarted');
    expect(await relistsIn(runtime, clock, 30_000)).toBeGreaterThanOrEqual(30);
    await stop();
  });

  it('is none while changes are announced, before or after the relist that finds them', async () => {
    const runtime = onePod();
    const { clock, modes, metrics, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    for (let n = 2; n < 40; n += 1) {
      await clock.advance(9300);
      runtime.container('a', `c${n}`, 'running', n);
      await clock.advance(700);
      runtime.emit({ kind: 'started', id: `c${n}` });
      await clock.advance(100);
      runtime.die('a', `c${n}`);
      await clock.advance(3000);
      runtime.containers.delete(`c${n}`);
      runtime.emit({ kind: 'deleted', id: `c${n}` });
    }
    expect(metrics.text()).toContain('mendlet_pleg_silent_streams_total 0');
    expect([runtime.streams.length, modes.length]).toEqual([1, 1]);
    await stop();
  });
});

describe('what is in doubt', () => {
  it('brings the fast relist back: a pod that cannot be read', async () => {
    const runtime = onePod();
    const { clock, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    runtime.hang.add('c1');
    runtime.container('a', 'c1', 'exited');
    await clock.advance(25_000);
    expect(await relistsIn(runtime, clock, 30_000)).toBeGreaterThanOrEqual(29);
    runtime.hang.clear();
    await clock.advance(25_000);
    expect(await relistsIn(runtime, clock, 60_000)).toBe(6);
    await stop();
  });

  it('brings the fast relist back: a relist that failed', async () => {
    const runtime = onePod();
    const { pleg, clock, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await clock.advance(5000);
    const { listContainers } = runtime;
    let tries = 0;
    runtime.listContainers = async () => {
      tries += 1;
      throw new Error('no');
    };
    await clock.advance(30_000);
    expect(tries).toBeGreaterThan(20);
    runtime.listContainers = listContainers;
    await clock.advance(2000);
    expect(await relistsIn(runtime, clock, 60_000)).toBe(6);
    expect(pleg.unhealthy()).toBeUndefined();
    await stop();
  });

  it('brings a relist: an event that its read does not show in time', async () => {
    const runtime = onePod();
    const { clock, dirty, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await clock.advance(1000);
    runtime.emit({ kind: 'stopped', id: 'c1' });
    await clock.advance(1500);
    dirty.length = 0;
    runtime.container('a', 'c1', 'exited');
    await clock.advance(1100);
    expect(dirty).toEqual([['a', 'pleg']]);
    await stop();
  });

  it('brings a relist: events for which there is no room, which are counted', async () => {
    const runtime = new TableRuntime();
    const count = MAX_EVENT_READS + 50;
    for (let n = 0; n < count; n += 1) {
      runtime.pod(`p${n}`);
      runtime.container(`p${n}`, `c${n}`, 'running');
    }
    const { clock, dirty, metrics, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await clock.advance(1000);
    dirty.length = 0;
    const gate = Promise.withResolvers<void>();
    const { containerStatus } = runtime;
    runtime.containerStatus = async (id, options) => {
      await gate.promise;
      return await containerStatus(id, options);
    };
    for (const stream of runtime.streams) Object.assign(stream, { capacity: count });
    for (let n = 0; n < count; n += 1) runtime.die(`p${n}`, `c${n}`);
    await settle();
    expect(metrics.text()).toContain('kubelet_pleg_discard_events 50');
    gate.resolve();
    await clock.advance(1500);
    expect(new Set(dirty.map(([uid]) => uid)).size).toBe(count);
    expect(metrics.text()).toContain('mendlet_pleg_silent_streams_total 0');
    await stop();
  });
});

describe('a pod that a read found gone', () => {
  it('is known to be nothing at once, not with the next relist', async () => {
    const runtime = onePod();
    const { pleg, clock, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await clock.advance(1000);
    runtime.sandboxes.clear();
    runtime.containers.clear();
    await pleg.inspect('a');
    expect([pleg.known('a'), pleg.observation('a'), pleg.uids()]).toEqual([true, undefined, []]);
    await stop();
  });
});
