import { describe, expect, it } from 'vitest';
import { withList } from './debian.ts';

/** What is done in order; each attempt fails with the next of `failures`, until those are used up. */
function downloads(hasList: boolean, failures: readonly string[], canRefresh = true) {
  const done: string[] = [];
  const left = [...failures];
  const run = (): void =>
    withList({
      hasList,
      refresh: () => {
        done.push('refresh');
        if (!canRefresh) throw new Error('no network');
      },
      attempt: () => {
        done.push('attempt');
        const failure = left.shift();
        if (failure !== undefined) throw new Error(failure);
      },
    });
  return { done, run };
}

describe('the package list', () => {
  it('is used as it is while downloads succeed', () => {
    const { done, run } = downloads(true, []);
    run();
    expect(done).toEqual(['attempt']);
  });

  it('is fetched first when there is none, and then not again', () => {
    const { done, run } = downloads(false, ['404 Not Found']);
    expect(run).toThrow('404 Not Found');
    expect(done).toEqual(['refresh', 'attempt']);
  });

  it('is refreshed once after a download that failed', () => {
    const { done, run } = downloads(true, ['404 Not Found']);
    run();
    expect(done).toEqual(['attempt', 'refresh', 'attempt']);
  });

  it('is refreshed no second time', () => {
    const { done, run } = downloads(true, ['404 Not Found', 'no such package']);
    expect(run).toThrow('no such package');
    expect(done).toEqual(['attempt', 'refresh', 'attempt']);
  });

  it('names both failures when it cannot be refreshed', () => {
    const { done, run } = downloads(true, ['404 Not Found'], false);
    expect(run).toThrow(/404 Not Found\n.*no network/);
    expect(done).toEqual(['attempt', 'refresh']);
  });
});
