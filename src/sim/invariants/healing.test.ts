import { describe, expect, it } from 'vitest';
import { HEALING_POLICY, HEALING_STATE, type HealingPolicySpec, type HealingState } from '../../api/index.ts';
import { realEventLoop } from '../event-loop.node.ts';
import { type Fact, Facts } from '../facts.ts';
import { Sim } from '../sim.ts';
import { neverHot } from './hot-loop.ts';
import { climbsOnly } from './ladder.ts';
import { restartsHappen } from './restarts-happen.ts';

const POLICY: HealingPolicySpec = { rungs: [{ scope: 'container' }, { scope: 'pod' }], maxPodRestarts: 2 };

function written(state: HealingState): Fact {
  const annotations = { [HEALING_POLICY]: JSON.stringify(POLICY), [HEALING_STATE]: JSON.stringify(state) };
  return { kind: 'pod-written', revision: 1, pod: { metadata: { uid: 'u', annotations } } };
}

const started: Fact = { kind: 'started', uid: 'u', container: 'main', id: 'x', attempt: 0, sandbox: 's' };

/** Plays one fact every `stepMs`. @returns the message of the first violation, if there is one */
async function play(install: (facts: Facts) => void, given: readonly Fact[], stepMs = 1000): Promise<string> {
  const sim = new Sim({ seed: 1, loop: realEventLoop });
  const facts = new Facts(sim);
  install(facts);
  for (const [index, fact] of given.entries()) sim.after(index * stepMs, 'fact', () => facts.tell(fact));
  return await sim.run(10_000_000).then(
    () => '',
    (error: unknown) => String(error),
  );
}

describe('the ladder', () => {
  const since = '2026-01-01T00:00:00Z';
  const cause = 'main exited with 1';
  it.each<[string, readonly HealingState[], RegExp]>([
    [
      'climbs',
      [{ rung: 'container', since, cause }, { rung: 'pod', since, cause, podRestarts: 1 }, { podRestarts: 1 }],
      /^$/,
    ],
    [
      'falls',
      [
        { rung: 'pod', since, cause },
        { rung: 'container', since, cause },
      ],
      /fell from pod to container/,
    ],
    [
      'begins anew',
      [
        { rung: 'pod', since, cause },
        { rung: 'container', since: 'later', cause },
      ],
      /^$/,
    ],
    ['has too many attempts', [{ rung: 'container', since, cause, attempts: 4, of: 3 }], /4 attempts where 3/],
    ['has too many pod restarts', [{ podRestarts: 3 }], /3 pod restarts where 2/],
    ['forgets pod restarts', [{ podRestarts: 1 }, {}], /fell from 1 to 0/],
    ['says no cause', [{ rung: 'pod', since }], /without a cause/],
  ])('%s', async (_, states, wanted) => expect(await play(climbsOnly, states.map(written))).toMatch(wanted));
});

describe('hot loops', () => {
  const starts = (count: number): readonly Fact[] => [written({}), ...Array.from({ length: count }, () => started)];
  it('are seen', async () => expect(await play(neverHot, starts(9), 100)).toMatch(/hot loop/));
  it('are none at a pace', async () => expect(await play(neverHot, starts(30), 2000)).toBe(''));
});

describe('restarts', () => {
  const pod = { metadata: { uid: 'u', namespace: 'ns', name: 'web' }, spec: { containers: [{ name: 'main' }] } };
  const told: Fact = { kind: 'pod-written', revision: 1, pod };
  const restart = (phase: string, reason = 'Restarted'): Fact => ({
    kind: 'restart-written',
    restart: {
      metadata: { uid: 'r', namespace: 'ns', name: 'web-1' },
      spec: { podName: 'web', scope: 'pod' },
      status: { phase: phase as 'Pending', reason, podUID: 'u' },
    },
  });
  const sandbox: Fact = { kind: 'sandbox-created', uid: 'u', id: 's' };
  it.each<[string, readonly Fact[], RegExp]>([
    ['is done', [told, restart('Pending'), sandbox, started, restart('Succeeded')], /^$/],
    ['was not needed', [told, restart('Succeeded', 'NotNeeded')], /^$/],
    ['started nothing', [told, restart('Pending'), sandbox, restart('Succeeded')], /main did not start/],
    ['kept its sandbox', [told, sandbox, restart('Pending'), started, restart('Succeeded')], /old sandbox/],
  ])('%s', async (_, given, wanted) => expect(await play(restartsHappen, given)).toMatch(wanted));
});
