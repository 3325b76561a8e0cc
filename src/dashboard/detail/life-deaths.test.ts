import { describe, expect, it } from 'vitest';
import type { PodHistory } from '../../api/index.ts';
import { lifeDeaths } from './life-deaths.ts';

const AT = Date.parse('2026-11-23T12:00:00Z');
const iso = (at: number): string => new Date(at).toISOString();

/** A pod whose container died at these times, and ran again half a second later. */
function historyOf(...deaths: readonly number[]): PodHistory {
  const records = deaths.map((at, index) => ({
    number: index + 1,
    containerId: `c${index}`,
    restartCount: index,
    startedAt: iso((deaths[index - 1] ?? at - 10_000) + 500),
    finishedAt: iso(at),
    exitCode: 1,
    reason: 'Error',
  }));
  return {
    metadata: { name: 'api-0' },
    containers: [{ name: 'main', total: deaths.length, deaths: records }],
  } as unknown as PodHistory;
}

const last = { pod: 'api-0', container: 'main', at: AT, words: 'exit code 1', healedMs: 700 };

describe('lifeDeaths', () => {
  it('knows from the next life how long healing took, and of the last death from the row', () => {
    const told = lifeDeaths([historyOf(AT - 60_000, AT + 400)], last);
    expect(told.map(({ at, healedMs }) => [at, healedMs])).toEqual([
      [AT + 400, 700],
      [AT - 60_000, 500],
    ]);
  });

  it('shows the last death where its node tells nothing', () => {
    expect(lifeDeaths([], last)).toMatchObject([{ ...last, exit: 'its node tells no more of it' }]);
    expect(lifeDeaths([historyOf(AT - 60_000)], last).map(({ at }) => at)).toEqual([AT, AT - 60_000]);
  });

  it('has none where nobody died', () => expect(lifeDeaths([], undefined)).toEqual([]));

  it('leaves a death open that is not healed', () => {
    const { healedMs: _, ...open } = last;
    expect(lifeDeaths([historyOf(AT)], open)[0]).not.toHaveProperty('healedMs');
  });
});
