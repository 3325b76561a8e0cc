import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEALING_SCOPES, type HealingPolicySpec, readHealingPolicy } from '../../../api/index.ts';
import type { HealingNote, LadderAttempt } from '../pod-memory.ts';
import { climb, type LadderAnswer } from './climb.ts';
import type { DeathFacts } from './death-facts.ts';
import { answersOf, calmHealing, countFor, withAnswer } from './ladder-note.ts';

function resolved(spec: HealingPolicySpec) {
  const reading = readHealingPolicy(spec);
  if (!reading.ok) throw new Error(JSON.stringify(reading.errors));
  return reading.policy;
}

const DEATH: DeathFacts = { container: 'web', containerId: 'web-1', exitCode: 1, reason: 'Error' };

/** A note after so many answers, newest last; all of container web unless said otherwise. */
function noteOf(rung: HealingNote['rung'], answers: readonly Partial<LadderAttempt>[], podRestarts = 0): HealingNote {
  let attempts: readonly LadderAttempt[] = [];
  for (const [index, answer] of answers.entries()) {
    attempts = withAnswer(attempts, { scope: rung, container: 'web', containerId: `d${index}`, at: 0, ...answer });
  }
  return { ...calmHealing('p', podRestarts), rung, attempts, since: 0, cause: 'x' };
}

function text(answer: LadderAnswer): string {
  return answer.kind === 'stop' ? answer.reason : `${answer.rung.scope} ${answer.attempt}/${answer.rung.attempts}`;
}

const times = (count: number, answer: Partial<LadderAttempt> = {}) => Array.from({ length: count }, () => answer);
const TWO: HealingPolicySpec = {
  rungs: [
    { scope: 'container', attempts: 2, window: '10m' },
    { scope: 'pod', attempts: 2 },
  ],
};
const ALL: HealingPolicySpec = { rungs: HEALING_SCOPES.map((scope) => ({ scope, attempts: 1 })) };

describe('the ladder answers', () => {
  it.each<[string, HealingPolicySpec, HealingNote, Partial<DeathFacts>, string]>([
    ['a first death with the first rung', TWO, calmHealing('p', 0), {}, 'container 1/2'],
    ['the second on the same rung', TWO, noteOf('container', times(1)), {}, 'container 2/2'],
    ['the third on the next', TWO, noteOf('container', times(2)), {}, 'pod 1/2'],
    ['each container by its own count', TWO, noteOf('container', times(2)), { container: 'other' }, 'container 1/2'],
    ['wider rungs by the count of the pod', TWO, noteOf('pod', times(1)), { container: 'other' }, 'pod 2/2'],
    ['with stop after the last', TWO, noteOf('pod', times(2)), {}, 'AttemptsExhausted'],
    ['not by joined ones', TWO, noteOf('pod', times(2, { uncounted: 'joined' })), {}, 'pod 1/2'],
    ['by lost ones, whoever died', TWO, noteOf('container', times(2, { container: '' })), {}, 'pod 1/2'],
    ['from where the episode stands', TWO, noteOf('pod', []), {}, 'pod 1/2'],
    [
      'no more than the maximum by pod',
      { ...TWO, maxPodRestarts: 1 },
      noteOf('pod', times(1), 1),
      {},
      'MaxPodRestarts',
    ],
    ['never by a pod that may not', { ...TWO, maxPodRestarts: 0 }, noteOf('container', times(2)), {}, 'MaxPodRestarts'],
    ['past rungs that are full', ALL, noteOf('container', times(1)), {}, 'containers 1/1'],
    [
      'as the end that it is',
      TWO,
      { ...noteOf('pod', []), stopped: stop('AttemptsExhausted') },
      {},
      'AttemptsExhausted',
    ],
    ['beside what a rule stopped', TWO, { ...noteOf('container', []), stopped: stop('RuleStop') }, {}, 'container 1/2'],
  ])('%s', (_what, spec, note, death, expected) => {
    const answer = climb({
      policy: resolved(spec),
      note,
      death: { ...DEATH, ...death },
      canMove: false,
      ageMs: () => 0,
    });
    expect(text(answer)).toBe(expected);
  });

  it('within the window alone', () => {
    const note = noteOf('container', times(2));
    const at = (ageMs: number) =>
      text(climb({ policy: resolved(TWO), note, death: DEATH, canMove: false, ageMs: () => ageMs }));
    expect(at(599_999)).toBe('pod 1/2');
    expect(at(600_000)).toBe('container 1/2');
  });

  it.each<[boolean, string]>([
    [true, 'node'],
    [false, 'AttemptsExhausted'],
  ])('with a move where somebody would make the pod anew: %s', (canMove, expected) => {
    const note = noteOf('pod', times(1));
    expect(text(climb({ policy: resolved(ALL), note, death: DEATH, canMove, ageMs: () => 0 }))).toContain(expected);
  });

  it('asks again for another node, whatever a rule wants more', () => {
    const policy = resolved({ rungs: [{ scope: 'node' }], rules: [{ onOutOfMemory: true, action: 'Escalate' }] });
    const death = { ...DEATH, reason: 'OOMKilled' };
    const answer = climb({ policy, note: noteOf('node', times(9)), death, canMove: true, ageMs: () => 0 });
    expect(text(answer)).toContain('node');
  });

  it('and says which rung it left', () => {
    const answer = climb({
      policy: resolved(TWO),
      note: noteOf('container', times(2)),
      death: DEATH,
      canMove: false,
      ageMs: () => 0,
    });
    expect(answer).toMatchObject({ from: { attempts: 2, rung: { scope: 'container', windowMs: 600_000 } } });
  });
});

describe('a rule', () => {
  const rules: HealingPolicySpec['rules'] = [
    { onExitCodes: { operator: 'In', values: [78] }, action: 'Stop' },
    { containers: ['db'], action: 'Escalate', rung: 'pod' },
    { onOutOfMemory: true, action: 'Escalate' },
    { onProbeFailure: ['Liveness'], onExitCodes: { operator: 'NotIn', values: [0] }, action: 'Escalate', rung: 'pod' },
  ];
  const policy = resolved({ ...ALL, rules });
  it.each<[string, HealingNote, Partial<DeathFacts>, string]>([
    ['stops by exit code', calmHealing('p', 0), { exitCode: 78 }, 'RuleStop'],
    ['escalates to its rung at once', calmHealing('p', 0), { container: 'db' }, 'pod 1/1'],
    ['escalates to the next rung', calmHealing('p', 0), { reason: 'OOMKilled', exitCode: 137 }, 'containers 1/1'],
    ['and from there on', noteOf('containers', []), { reason: 'OOMKilled', exitCode: 137 }, 'pod 1/1'],
    ['and in the end stops', noteOf('pod', []), { reason: 'OOMKilled', exitCode: 137 }, 'AttemptsExhausted'],
    ['never comes down', noteOf('pod', times(1)), { container: 'db' }, 'AttemptsExhausted'],
    ['by a failed probe', calmHealing('p', 0), { probe: 'Liveness', exitCode: 137 }, 'pod 1/1'],
    ['of which all must fit', calmHealing('p', 0), { probe: 'Liveness', exitCode: 0 }, 'container 1/1'],
    ['by that probe alone', calmHealing('p', 0), { probe: 'Startup', exitCode: 137 }, 'container 1/1'],
    ['the first that fits decides', calmHealing('p', 0), { container: 'db', exitCode: 78 }, 'RuleStop'],
  ])('%s', (_what, note, death, expected) => {
    expect(text(climb({ policy, note, death: { ...DEATH, ...death }, canMove: false, ageMs: () => 0 }))).toBe(expected);
  });
});

function stop(reason: NonNullable<HealingNote['stopped']>['reason']): NonNullable<HealingNote['stopped']> {
  return { reason, message: '', at: 0, containers: { x: { containerId: 'x', key: 'k' } } };
}

const rungs = fc.subarray([...HEALING_SCOPES], { minLength: 1 }).chain((scopes) =>
  fc.tuple(
    ...scopes.map((scope) =>
      fc.record({
        scope: fc.constant(scope),
        attempts: fc.integer({ min: 1, max: 5 }),
        window: fc.constantFrom(undefined, '5s', '1m'),
      }),
    ),
  ),
);
const deaths = fc.array(
  fc.record({
    container: fc.constantFrom('a', 'b', 'c'),
    exitCode: fc.constantFrom(0, 1, 42, 137),
    reason: fc.constantFrom('Error', 'OOMKilled'),
    afterMs: fc.integer({ min: 0, max: 20_000 }),
  }),
  { maxLength: 60 },
);

it('climbs, never comes down, and keeps to its attempts, whatever dies when', () => {
  fc.assert(
    fc.property(
      rungs,
      deaths,
      fc.option(fc.integer({ min: 0, max: 3 })),
      fc.boolean(),
      (ladder, dying, max, canMove) => {
        const policy = resolved({
          rungs: ladder.map(({ window, ...rung }) => ({ ...rung, ...(window === undefined ? {} : { window }) })),
          ...(max === null ? {} : { maxPodRestarts: max }),
          rules: [{ onOutOfMemory: true, containers: ['a'], action: 'Escalate' }],
        });
        let note = calmHealing('p', 0);
        let now = 0;
        const ageMs = ({ at }: LadderAttempt) => now - at;
        for (const [index, { afterMs, ...facts }] of dying.entries()) {
          now += afterMs;
          const death = { ...facts, containerId: `d${index}` };
          const answer = climb({ policy, note, death, canMove, ageMs });
          if (answer.kind === 'stop') {
            expect(canMove && ladder.some(({ scope }) => scope === 'node')).toBe(false);
            return;
          }
          const { rung } = answer;
          expect(policy.rungs).toContain(rung);
          const level = HEALING_SCOPES.indexOf(rung.scope);
          if (note.since !== undefined) expect(level).toBeGreaterThanOrEqual(HEALING_SCOPES.indexOf(note.rung));
          const attempts = withAnswer(note.attempts, {
            scope: rung.scope,
            container: death.container,
            containerId: death.containerId,
            at: now,
          });
          const podRestarts = note.podRestarts + (rung.scope === 'pod' ? 1 : 0);
          note = { ...note, rung: rung.scope, attempts, podRestarts, since: note.since ?? now };
          if (rung.scope !== 'node') {
            expect(countFor(answersOf(note, rung, ageMs), rung.scope, death.container)).toBeLessThanOrEqual(
              rung.attempts,
            );
          }
          expect(podRestarts).toBeLessThanOrEqual(policy.maxPodRestarts ?? Number.POSITIVE_INFINITY);
        }
      },
    ),
  );
});
