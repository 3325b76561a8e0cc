import { describe, expect, it } from 'vitest';
import { type ContainerStatus, RuntimeError, type SandboxStatus } from '../../cri/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { startPleg, TableRuntime } from './pleg.fixtures.ts';

describe('relist', () => {
  it('knows nothing before the first one, everything after it', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.container('a', 'c1', 'running');
    runtime.pod('foreign', 'other');
    runtime.down = true;
    const { pleg, clock, dirty, stop } = await startPleg(runtime, createManualClock());
    expect([pleg.synced(), pleg.known('a'), pleg.unhealthy()]).toEqual([false, false, 'pleg has yet to be successful']);
    runtime.down = false;
    await clock.advance(1000);
    expect([pleg.synced(), pleg.uids(), pleg.unhealthy()]).toEqual([true, ['a'], undefined]);
    expect(pleg.observation('a')?.containers.map(({ id, state }) => [id, state])).toEqual([['c1', 'running']]);
    expect(dirty).toEqual([['a', 'pleg']]);
    await stop();
  });

  it('inspects only what changed, and reads no final status twice', async () => {
    const runtime = new TableRuntime();
    for (const uid of ['a', 'b']) {
      runtime.pod(uid);
      runtime.container(uid, `c-${uid}`, 'running');
    }
    const { clock, dirty, stop } = await startPleg(runtime, createManualClock());
    runtime.reads.length = 0;
    dirty.length = 0;
    await clock.advance(5000);
    expect([runtime.reads, dirty]).toEqual([[], []]);
    runtime.container('a', 'c-a', 'exited');
    await clock.advance(1000);
    expect([runtime.reads, dirty]).toEqual([['c-a'], [['a', 'pleg']]]);
    runtime.container('a', 'c-a2', 'running', 1);
    await clock.advance(1000);
    expect(runtime.reads).toEqual(['c-a', 'c-a2']);
    await stop();
  });

  it('reports a pod that is gone, and keeps the address of a dead sandbox', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    const { pleg, clock, dirty, stop } = await startPleg(runtime, createManualClock());
    const sandbox = runtime.sandboxes.get('s-a') as SandboxStatus;
    runtime.sandboxes.set('s-a', { ...sandbox, state: 'notready', ips: [] });
    await clock.advance(1000);
    expect(pleg.observation('a')?.sandboxes[0]).toMatchObject({ state: 'notready', ips: ['10.0.0.1'] });
    runtime.sandboxes.clear();
    dirty.length = 0;
    await clock.advance(1000);
    expect([dirty, pleg.observation('a'), pleg.known('a')]).toEqual([[['a', 'pleg']], undefined, true]);
    await stop();
  });

  it('is not stopped by a hung inspection, keeps the old record, and regenerates the event', async () => {
    const runtime = new TableRuntime();
    for (const uid of ['sick', 'well']) {
      runtime.pod(uid);
      runtime.container(uid, `c-${uid}`, 'running');
    }
    const { pleg, clock, dirty, stop } = await startPleg(runtime, createManualClock());
    dirty.length = 0;
    runtime.hang.add('c-sick');
    runtime.container('sick', 'c-sick', 'exited');
    await clock.advance(1000);
    runtime.container('well', 'c-well', 'exited');
    await clock.advance(1000);
    expect(dirty).toEqual([['well', 'pleg']]);
    expect(pleg.observation('sick')?.containers[0]?.state).toBe('running');
    await clock.advance(20_000);
    expect(dirty).toEqual([['well', 'pleg']]);
    runtime.hang.clear();
    await clock.advance(12_000);
    expect(dirty).toEqual([
      ['well', 'pleg'],
      ['sick', 'pleg'],
    ]);
    await stop();
  });

  it('does not call a pod known that could not be read at first', async () => {
    const runtime = new TableRuntime();
    runtime.pod('sick');
    runtime.container('sick', 'c', 'running');
    runtime.hang.add('c');
    const { pleg, clock, stop } = await startPleg(runtime, createManualClock());
    expect(pleg.synced()).toBe(false);
    await clock.advance(10_000);
    expect([pleg.synced(), pleg.known('sick'), pleg.known('nobody'), pleg.uids()]).toEqual([
      true,
      false,
      true,
      ['sick'],
    ]);
    runtime.hang.clear();
    await clock.advance(12_000);
    expect(pleg.known('sick')).toBe(true);
    await stop();
  });

  it('lets no list overwrite a read that began after it', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    const { pleg, clock, stop } = await startPleg(runtime, createManualClock());
    const gate = Promise.withResolvers<void>();
    runtime.gate = gate.promise;
    await clock.advance(1000);
    runtime.gate = undefined;
    runtime.container('a', 'c1', 'running');
    await pleg.inspect('a');
    gate.resolve();
    await settle();
    expect(pleg.observation('a')?.containers.map(({ id }) => id)).toEqual(['c1']);
    await stop();
  });

  it('lets no list hide what an event’s read has shown since', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.container('a', 'c1', 'running');
    const { pleg, clock, metrics, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await clock.advance(19_999);
    const gate = Promise.withResolvers<void>();
    runtime.gate = gate.promise;
    await clock.advance(1);
    runtime.gate = undefined;
    runtime.container('a', 'c2', 'running', 1);
    runtime.emit({ kind: 'started', id: 'c2' });
    runtime.containers.delete('c1');
    runtime.emit({ kind: 'stopped', id: 'c1' });
    await settle();
    gate.resolve();
    await settle();
    expect(pleg.observation('a')?.containers.map(({ id }) => id)).toEqual(['c2']);
    await clock.advance(5000);
    expect(metrics.text()).toContain('mendlet_pleg_silent_streams_total 0');
    await stop();
  });

  it('counts what runs', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.container('a', 'c0', 'exited');
    runtime.container('a', 'c1', 'running', 1);
    const { metrics, stop } = await startPleg(runtime, createManualClock());
    expect(metrics.text()).toContain('kubelet_running_pods 1');
    expect(metrics.text()).toContain('kubelet_running_containers{container_state="exited"} 1');
    await stop();
  });
});

describe('health', () => {
  it('is lost after three minutes without a relist, in upstream’s words', async () => {
    const runtime = new TableRuntime();
    const { pleg, clock, stop } = await startPleg(runtime, createManualClock());
    runtime.down = true;
    await clock.advance(180_000);
    expect(pleg.unhealthy()).toBeUndefined();
    await clock.advance(5000);
    expect(pleg.unhealthy()).toMatch(/^pleg was last seen active 3m\d(\.\d+)?s ago; threshold is 3m0s$/);
    runtime.down = false;
    await clock.advance(1000);
    expect(pleg.unhealthy()).toBeUndefined();
    await stop();
  });

  it('is not lost by time in which we were away', async () => {
    const runtime = new TableRuntime();
    const { pleg, clock, stop } = await startPleg(runtime, createManualClock());
    runtime.down = true;
    await clock.advance(60_000);
    await clock.suspend(3_600_000);
    expect(pleg.unhealthy()).toBeUndefined();
    await stop();
  });
});

describe('runtime events', () => {
  it('lead to one status read and a dirty pod', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.container('a', 'c1', 'running');
    const { dirty, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await settle();
    dirty.length = 0;
    runtime.reads.length = 0;
    runtime.container('a', 'c1', 'exited');
    runtime.emit({ kind: 'stopped', id: 'c1' });
    await settle();
    expect([dirty, runtime.reads]).toEqual([[['a', 'runtime-event']], ['c1']]);
    await stop();
  });

  it('are read again until the status shows what they announced', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.container('a', 'c1', 'running');
    const { clock, dirty, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await settle();
    dirty.length = 0;
    runtime.emit({ kind: 'stopped', id: 'c1' });
    await clock.advance(40);
    expect(dirty).toEqual([]);
    runtime.container('a', 'c1', 'exited');
    await clock.advance(10);
    expect(dirty).toEqual([['a', 'runtime-event']]);
    await stop();
  });

  it('of an end are read again until the container is put away, and mark the pod twice', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.container('a', 'c1', 'running');
    const { pleg, clock, dirty, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await settle();
    dirty.length = 0;
    runtime.container('a', 'c1', 'exited');
    const ended = runtime.containers.get('c1') as ContainerStatus;
    runtime.containers.set('c1', { ...ended, ending: true });
    runtime.emit({ kind: 'stopped', id: 'c1' });
    await settle();
    expect([dirty.length, pleg.observation('a')?.containers[0]]).toMatchObject([1, { state: 'exited', ending: true }]);
    await clock.advance(30);
    expect(dirty.length).toBe(1);
    runtime.containers.set('c1', ended);
    await clock.advance(10);
    expect([dirty.length, pleg.observation('a')?.containers[0]?.ending]).toEqual([2, undefined]);
    await stop();
  });

  it('of an end that nobody reads to its end is finished by the relist', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.container('a', 'c1', 'exited');
    const ended = runtime.containers.get('c1') as ContainerStatus;
    runtime.containers.set('c1', { ...ended, ending: true });
    const { pleg, clock, dirty, stop } = await startPleg(runtime, createManualClock());
    dirty.length = 0;
    runtime.containers.set('c1', ended);
    await clock.advance(1000);
    expect([dirty, pleg.observation('a')?.containers[0]?.ending]).toEqual([[['a', 'pleg']], undefined]);
    await stop();
  });

  it('are left to the relist after a second', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.container('a', 'c1', 'running');
    const { clock, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await settle();
    runtime.emit({ kind: 'stopped', id: 'c1' });
    await clock.advance(1500);
    const before = runtime.reads.length;
    await clock.advance(60_000);
    expect(runtime.reads.length - before).toBeLessThan(3);
    await stop();
  });

  it('of a new container read it, of a foreign one nothing is kept', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.pod('theirs', 'other');
    const { pleg, dirty, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await settle();
    dirty.length = 0;
    runtime.container('a', 'c1', 'running');
    runtime.container('theirs', 'x1', 'running');
    runtime.emit({ kind: 'started', id: 'c1' });
    runtime.emit({ kind: 'started', id: 'x1' });
    await settle();
    expect(dirty).toEqual([['a', 'runtime-event']]);
    expect([pleg.observation('a')?.containers.length, pleg.observation('theirs')]).toEqual([1, undefined]);
    await stop();
  });

  it('cost nothing when the cache shows it already', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.container('a', 'c1', 'exited');
    const { stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await settle();
    runtime.reads.length = 0;
    runtime.emit({ kind: 'stopped', id: 'c1' });
    await settle();
    expect(runtime.reads).toEqual([]);
    await stop();
  });

  it('come again after the stream broke, with a relist at once', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.container('a', 'c1', 'running');
    const { clock, dirty, metrics, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await settle();
    dirty.length = 0;
    runtime.container('a', 'c1', 'exited');
    for (const stream of runtime.streams) stream.fail(new RuntimeError('Unavailable', 'gone'));
    await clock.advance(100);
    expect(dirty).toEqual([['a', 'pleg']]);
    expect(runtime.streams.length).toBe(2);
    expect(metrics.text()).toContain('kubelet_evented_pleg_connection_error_count 1');
    expect(metrics.text()).toContain('kubelet_evented_pleg_connection_success_count 2');
    await stop();
  });

  it('are given up where the runtime has none', async () => {
    const runtime = new TableRuntime();
    runtime.noEvents = true;
    runtime.pod('a');
    const { pleg, clock, metrics, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await clock.advance(60_000);
    expect(pleg.synced()).toBe(true);
    expect(metrics.text()).toContain('kubelet_evented_pleg_connection_error_count 0');
    await stop();
  });
});

describe('inspect', () => {
  it('shows what is there now, reports a change, and rejects when the runtime does', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    const { pleg, clock, dirty, stop } = await startPleg(runtime, createManualClock());
    dirty.length = 0;
    runtime.container('a', 'c1', 'running');
    expect((await pleg.inspect('a'))?.containers.length).toBe(1);
    expect(dirty).toEqual([['a', 'pleg']]);
    expect(await pleg.inspect('nobody')).toBeUndefined();
    runtime.down = true;
    await expect(pleg.inspect('a')).rejects.toThrow(RuntimeError);
    expect(pleg.observation('a')?.containers.length).toBe(1);
    runtime.down = false;
    await clock.advance(1000);
    await stop();
  });

  it('never brings a dead container back to life', async () => {
    const runtime = new TableRuntime();
    runtime.pod('a');
    runtime.container('a', 'c1', 'running');
    const { pleg, stop } = await startPleg(runtime, createManualClock(), { runtimeEvents: true });
    await settle();
    runtime.container('a', 'c1', 'exited');
    runtime.emit({ kind: 'stopped', id: 'c1' });
    await settle();
    runtime.container('a', 'c1', 'running');
    expect((await pleg.inspect('a'))?.containers[0]?.state).toBe('exited');
    await stop();
  });
});
