import { describe, expect, it } from 'vitest';
import { HEALING_POLICY, HEALING_STATE, type HealingState, type Pod } from '../../../api/index.ts';
import { emptyMemory, type HealingNote } from '../pod-memory.ts';
import { calmHealing } from './ladder-note.ts';
import { podPolicy } from './pod-policy.ts';
import { withLadderToldLater } from './told-later.ts';

const SINCE = Date.UTC(2026, 0, 1);

function podTold(state: HealingState): Pod {
  const policy = JSON.stringify({ rungs: [{ scope: 'container' }, { scope: 'pod' }] });
  return { metadata: { annotations: { [HEALING_POLICY]: policy, [HEALING_STATE]: JSON.stringify(state) } } };
}

function noted(change: Partial<HealingNote>): HealingNote {
  const own = podPolicy(podTold({}));
  return { ...calmHealing(own.kind === 'valid' ? own.hash : '', 0), ...change };
}

describe('a note and what was told', () => {
  const since = '2026-01-01T00:00:00Z';
  it.each<[string, Partial<HealingNote> | undefined, HealingState, Partial<HealingNote>]>([
    ['agree', { podRestarts: 1 }, { podRestarts: 1 }, { podRestarts: 1 }],
    ['the note is later', { podRestarts: 2 }, { podRestarts: 1 }, { podRestarts: 2 }],
    ['the note is older', { podRestarts: 1 }, { podRestarts: 2 }, { podRestarts: 2 }],
    ['the note has nothing yet', undefined, { podRestarts: 1 }, { podRestarts: 1 }],
    ['the note is a rung behind', { rung: 'container', since: SINCE + 300 }, { rung: 'pod', since }, { rung: 'pod' }],
    ['the note is a rung ahead', { rung: 'pod', since: SINCE }, { rung: 'container', since }, { rung: 'pod' }],
    [
      'the ladder had stopped',
      { rung: 'container', since: SINCE, stopped: { reason: 'RuleStop', message: '', at: SINCE, containers: {} } },
      { rung: 'stopped', since },
      { rung: 'container' },
    ],
    ['another episode', { rung: 'container', since: SINCE + 5000 }, { rung: 'pod', since }, { rung: 'container' }],
    ['the episode is over', {}, { rung: 'pod', since }, { rung: 'container' }],
  ])('%s', (_, healing, state, expected) => {
    const { note } = emptyMemory('ns', 'web');
    const before = healing === undefined ? note : { ...note, healing: noted(healing) };
    expect(withLadderToldLater(before, podTold(state)).healing).toMatchObject(expected);
  });
});
