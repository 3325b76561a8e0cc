import { describe, expect, it } from 'vitest';
import { KeyedLines } from './keyed-lines.ts';

interface Held {
  readonly work: () => Promise<string>;
  end(error?: Error): void;
}

/** Work that ends when the test ends it. */
function held(name: string, log: string[]): Held {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return {
    work: () => {
      log.push(`${name} begins`);
      return promise.finally(() => log.push(`${name} ends`));
    },
    end: (error) => (error === undefined ? resolve(name) : reject(error)),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('KeyedLines', () => {
  it('runs work of one key one after another, of two keys side by side', async () => {
    const lines = new KeyedLines();
    const log: string[] = [];
    const [a, b, other] = [held('a', log), held('b', log), held('other', log)];
    const results = [lines.run('x', a.work), lines.run('x', b.work), lines.run('y', other.work)];
    expect(log).toEqual(['a begins', 'other begins']);
    expect(lines.size).toBe(2);
    b.end();
    other.end();
    await turn();
    expect(log).toEqual(['a begins', 'other begins', 'other ends']);
    a.end();
    expect(await Promise.all(results)).toEqual(['a', 'b', 'other']);
    expect(log.slice(3)).toEqual(['a ends', 'b begins', 'b ends']);
    await turn();
    expect(lines.size).toBe(0);
  });

  it('goes on after work that failed or threw at once, and tells only whoever asked', async () => {
    const lines = new KeyedLines();
    const log: string[] = [];
    const a = held('a', log);
    const failed = lines.run('x', a.work);
    const thrown = lines.run('x', () => {
      throw new Error('at once');
    });
    const last = lines.run('x', async () => 'last');
    a.end(new Error('late'));
    await expect(failed).rejects.toThrow('late');
    await expect(thrown).rejects.toThrow('at once');
    expect(await last).toBe('last');
    const alone = lines.run('y', () => {
      throw new Error('alone');
    });
    await expect(alone).rejects.toThrow('alone');
  });

  it('is settled when what was begun has ended, whatever begins after', async () => {
    const lines = new KeyedLines();
    const log: string[] = [];
    const [a, b] = [held('a', log), held('b', log)];
    void lines.run('x', a.work);
    void lines.settled('x').then(() => log.push('x settled'));
    void lines.settled('z').then(() => log.push('z settled'));
    void lines.run('y', b.work);
    void lines.settled().then(() => log.push('all settled'));
    await turn();
    expect(log).toEqual(['a begins', 'b begins', 'z settled']);
    a.end();
    await turn();
    expect(log.slice(3)).toEqual(['a ends', 'x settled']);
    b.end();
    await turn();
    expect(log.slice(5)).toEqual(['b ends', 'all settled']);
  });
});
