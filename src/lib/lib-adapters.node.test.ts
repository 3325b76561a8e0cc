import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.node.ts';
import { systemProcess } from './process.node.ts';
import { systemRandom } from './random.node.ts';
import { seededRandom } from './seeded-random.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function draws(seed: number | string): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: 50 }, () => random.next());
}

describe('Random', () => {
  it('draws what the contract says, seeded or not', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        for (const random of [seededRandom(seed), systemRandom]) {
          const drawn = random.next();
          expect(drawn).toBeGreaterThanOrEqual(0);
          expect(drawn).toBeLessThan(1);
          expect(random.uuid()).toMatch(UUID);
          expect(random.suffix(5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        }
      }),
    );
  });

  it('repeats for the same seed and differs for another', () => {
    expect(draws(7)).toEqual(draws(7));
    expect(draws(7)).not.toEqual(draws(8));
    expect(draws(7)).not.toEqual(draws('seven'));
  });

  it('keeps a split stream apart from what its parent draws', () => {
    const quiet = seededRandom(3);
    const busy = seededRandom(3);
    for (let index = 0; index < 10; index++) busy.next();
    expect(busy.split('disk').next()).toBe(quiet.split('disk').next());
    expect(quiet.split('disk').next()).not.toBe(quiet.split('net').next());
  });

  it('spreads evenly', () => {
    const random = seededRandom(1);
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let index = 0; index < 10_000; index++) {
      const bucket = Math.floor(random.next() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 1000)).toBeLessThan(200);
  });
});

describe('Clock', () => {
  it('never fires early and says how late it was', async () => {
    const start = systemClock.now().mono;
    const lateMs = await new Promise<number>((resolve) => systemClock.setTimer(20, resolve));
    expect(systemClock.now().mono - start).toBeGreaterThanOrEqual(20);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThanOrEqual(systemClock.now().mono - start - 20 + 1);
  });

  it('reports a blocked loop as lateness', async () => {
    const late = new Promise<number>((resolve) => systemClock.setTimer(5, resolve));
    const start = performance.now();
    while (performance.now() - start < 60);
    expect(await late).toBeGreaterThan(40);
  });

  it('does not fire a delay beyond 2^31 ms at once, nor a cancelled timer', async () => {
    let fired = 0;
    const far = systemClock.setTimer(2 ** 40, () => fired++);
    const cancelled = systemClock.setTimer(1, () => fired++);
    cancelled.cancel();
    await systemClock.sleep(20);
    far.cancel();
    expect(fired).toBe(0);
  });

  it('stops sleeping when aborted', async () => {
    const abort = new AbortController();
    const asleep = systemClock.sleep(2 ** 33, abort.signal);
    abort.abort(new Error('enough'));
    await expect(asleep).rejects.toThrow('enough');
    await expect(systemClock.sleep(1, abort.signal)).rejects.toThrow('enough');
  });
});

describe('Process', () => {
  const cases: { name: string; file: string; args: string[]; input?: string; code: number; stdout?: string }[] = [
    { name: 'output and success', file: 'echo', args: ['a b', '$HOME'], code: 0, stdout: 'a b $HOME\n' },
    { name: 'exit code', file: 'sh', args: ['-c', 'exit 7'], code: 7 },
    { name: 'signal', file: 'sh', args: ['-c', 'kill -TERM $$'], code: 143 },
    { name: 'no such program', file: 'mendlet-no-such-program', args: [], code: 127 },
    { name: 'not executable', file: '/etc/passwd', args: [], code: 126 },
    { name: 'input', file: 'cat', args: [], input: 'hello', code: 0, stdout: 'hello' },
    { name: 'input nobody reads', file: 'true', args: [], input: 'x'.repeat(1 << 20), code: 0 },
  ];
  for (const { name, file, args, input, code, stdout } of cases) {
    it(`returns ${name}`, async () => {
      const result = await systemProcess.run(file, args, input === undefined ? {} : { input });
      expect(result.code).toBe(code);
      expect(result.stdout).toBe(stdout ?? '');
    });
  }

  it('drops output past the bound', async () => {
    const result = await systemProcess.run('sh', ['-c', 'head -c 100000 /dev/zero | tr "\\0" x'], {
      maxOutputBytes: 10,
    });
    expect(result).toEqual({ code: 0, stdout: 'x'.repeat(10), stderr: '' });
  });

  it('kills the whole family on time-out', async () => {
    const result = await systemProcess.run('sh', ['-c', 'sleep 600 & sleep 600'], { timeoutMs: 100 });
    expect(result.code).toBe(137);
    expect(result.stderr).toContain('killed after 100 ms');
  });

  it('returns although a daemon keeps its pipes', async () => {
    const result = await systemProcess.run('sh', ['-c', 'setsid sleep 3 & echo done']);
    expect(result).toMatchObject({ code: 0, stdout: 'done\n' });
  });

  it('rejects when aborted and adds to the environment', async () => {
    const abort = new AbortController();
    const running = systemProcess.run('sleep', ['600'], { signal: abort.signal });
    abort.abort(new Error('stop'));
    await expect(running).rejects.toThrow('stop');
    const result = await systemProcess.run('sh', ['-c', 'echo $MENDLET_X; test -n "$PATH"'], {
      env: { MENDLET_X: 'y' },
    });
    expect(result).toMatchObject({ code: 0, stdout: 'y\n' });
  });
});
