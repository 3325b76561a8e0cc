import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHealingState, parseHealingState } from './healing-state.ts';
import { type HealingState, MAX_HEALING_STATE_BYTES } from './types.ts';

const at = '2026-01-02T03:04:05.000000Z';
const state: HealingState = {
  rung: 'pod',
  attempts: 2,
  of: 3,
  podRestarts: 4,
  since: at,
  cause: 'web exited with 137 (OOMKilled)',
  recovery: { cause: 'service/db became ready', at },
  move: { id: 'm1', cause: 'died 3 times here', at },
  restarts: [{ id: 'r1', phase: 'Succeeded', reason: 'Restarted', message: 'all of it', at }],
};

describe('where healing stands', () => {
  it('is read as it was written', () => expect(parseHealingState(formatHealingState(state))).toEqual(state));

  it.each([
    undefined,
    '',
    '{',
    'null',
    '[]',
    '{"rung":"sky"}',
    '{"attempts":"2"}',
    '{"restarts":[{"id":"a","phase":"Gone","at":"2026-01-02T03:04:05Z"}]}',
    '{"restarts":[null]}',
    `{"cause":"${'x'.repeat(3000)}"}`,
  ])('is unknown of %j', (text) => expect(parseHealingState(text)).toBeUndefined());

  it('keeps the newest restarts when there is too much to tell', () => {
    const long = 'x'.repeat(900);
    const restarts = ['r3', 'r2', 'r1'].map((id) => ({
      id: id.padEnd(128, 'x'),
      phase: 'Failed' as const,
      reason: 'y'.repeat(400),
      message: long,
      at,
    }));
    const told = parseHealingState(formatHealingState({ ...state, cause: long, restarts }));
    expect(told?.restarts?.map(({ id }) => id.slice(0, 2))).toEqual(['r3', 'r2']);
    expect(told?.cause).toMatch(/^x+…$/);
  });

  it('never takes more room than it may, and always says the rung', () => {
    const text = fc.string({ maxLength: 3000, unit: 'binary' });
    const outcome = fc.record({ id: text, phase: fc.constant('Failed' as const), message: text, at: fc.constant(at) });
    fc.assert(
      fc.property(text, fc.array(outcome, { maxLength: 5 }), text, (cause, restarts, id) => {
        const written = formatHealingState({
          ...state,
          cause,
          restarts,
          move: { id, cause, at },
          recovery: { cause, at },
        });
        expect(Buffer.byteLength(written)).toBeLessThanOrEqual(MAX_HEALING_STATE_BYTES);
        expect(parseHealingState(written)).toMatchObject({ rung: 'pod', attempts: 2, of: 3 });
      }),
      { numRuns: 50 },
    );
  });
});
