import { describe, expect, it } from 'vitest';
import { FileError, silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { FULL_REPEAT_MS, LOOK_PERIOD_MS, LOOK_TIMEOUT_MS } from './limits.ts';
import type { DiskLook } from './local-volumes.ts';
import { VolumeWatch } from './volume-watch.ts';

const GOOD: DiskLook = { capacityBytes: 100, names: ['a', 'b'], lost: [], isFull: false };

function world(first: Partial<DiskLook> = {}) {
  const clock = createManualClock();
  const events: string[] = [];
  const lost: string[] = [];
  const state = { changes: 0, look: async (): Promise<DiskLook> => ({ ...GOOD, ...first }), usageFails: false };
  const watch = new VolumeWatch(
    { clock, logger: silentLogger },
    {
      volumes: { dir: '/v', look: () => state.look() },
      events: { node: (type, reason, message) => void events.push(`${type} ${reason} ${message}`) },
      usages: async (names) => {
        if (state.usageFails) throw new FileError('EIO', '/v/a', 'EIO');
        return names.map((name) => ({ name, capacityBytes: 10, usedBytes: 2048 }));
      },
      onLost: (names) => void lost.push(...names),
      onChange: () => void (state.changes += 1),
    },
  );
  const end = new AbortController();
  const running = watch.run(end.signal);
  const pass = async (ms = LOOK_PERIOD_MS): Promise<void> => {
    await clock.advance(ms);
    await settle();
  };
  const stop = async (): Promise<void> => {
    end.abort();
    await running;
  };
  return { watch, events, lost, state, pass, stop };
}

describe('the watch over the disk of the volumes', () => {
  it('knows nothing before its first look, and tells each change once', async () => {
    const w = world();
    expect([w.watch.space(), w.watch.disk()]).toEqual([undefined, undefined]);
    await w.pass(0);
    expect(w.watch.space()).toEqual({ capacityBytes: 100 });
    expect(w.watch.disk()).toMatchObject({ hasProblem: false, reason: 'VolumeDiskWorks' });
    await w.pass();
    expect([w.state.changes, w.events]).toEqual([1, []]);
    await w.stop();
  });

  it.each(['EROFS', 'EIO'])('says %s, takes the space away, and says when it is over', async (code) => {
    const w = world();
    await w.pass(0);
    w.state.look = async () => {
      throw new FileError(code, '/v/.trial', code);
    };
    await w.pass();
    await w.pass();
    expect(w.watch.disk()).toMatchObject({ hasProblem: true });
    expect(w.watch.space()).toEqual({ capacityBytes: 0 });
    w.state.look = async () => GOOD;
    await w.pass();
    expect(w.events.map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual([
      code === 'EROFS' ? 'Warning VolumeDiskReadOnly' : 'Warning VolumeDiskFailing',
      'Normal VolumeDiskWorks',
    ]);
    expect(w.watch.space()).toEqual({ capacityBytes: 100 });
    await w.stop();
  });

  it('says a disk that hangs within ten seconds, and asks it once only', async () => {
    const w = world();
    await w.pass(0);
    let looks = 0;
    const { promise, resolve } = Promise.withResolvers<DiskLook>();
    w.state.look = () => {
      looks += 1;
      return promise;
    };
    expect(LOOK_PERIOD_MS + LOOK_TIMEOUT_MS).toBeLessThan(10_000);
    await w.pass(LOOK_PERIOD_MS);
    await w.pass(LOOK_TIMEOUT_MS);
    expect(w.watch.disk()).toMatchObject({ hasProblem: true, reason: 'VolumeDiskHangs' });
    await w.pass(LOOK_PERIOD_MS + LOOK_TIMEOUT_MS);
    expect(looks).toBe(1);
    resolve(GOOD);
    await w.pass(LOOK_PERIOD_MS);
    expect(w.watch.disk()).toMatchObject({ hasProblem: false });
    await w.stop();
  });

  it('tells of each volume that is lost once, also of one that no look ever found', async () => {
    const w = world({ lost: ['b'] });
    await w.pass(0);
    expect(w.watch.space()).toEqual({ capacityBytes: 100, lost: ['b'] });
    w.state.look = async () => ({ ...GOOD, lost: ['a', 'b'] });
    await w.pass();
    await w.pass();
    expect(w.lost).toEqual(['b', 'a']);
    await w.stop();
  });

  it('names what fills the disk, and again only after a while', async () => {
    const w = world({ isFull: true });
    w.state.usageFails = true;
    await w.pass(0);
    expect(w.events).toEqual([]);
    w.state.usageFails = false;
    await w.pass();
    await w.pass();
    const full =
      'Warning VolumeDiskFull the disk of the volumes, at /v, is almost full; the largest volumes: a has 2Ki, more than its 0Ki; b has 2Ki, more than its 0Ki';
    expect(w.events).toEqual([full]);
    await w.pass(FULL_REPEAT_MS);
    await w.pass();
    expect(w.events).toEqual([full, full]);
    await w.stop();
  });
});
