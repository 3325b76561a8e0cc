/**
 * Restarts whatever happens meanwhile: the agent is killed between any two passes, containers exit, actions fail, the sandbox
 * dies, other restarts are asked for. The model refuses two sandboxes, two containers of a name, and starts beside the life
 * before; in the end each request has its answer and all of the pod runs.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RestartScope } from '../../../api/index.ts';
import { RestartModel, steps } from './restart-model.fixtures.ts';

const SCOPES: readonly RestartScope[] = ['container', 'containers', 'pod'];

type Step =
  | { readonly kind: 'pass' | 'agent-dies' | 'action-fails' | 'sandbox-dies' }
  | { readonly kind: 'exit'; readonly name: string; readonly code: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'ask'; readonly scope: RestartScope; readonly force: boolean; readonly grace: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Step>({ kind: 'pass' }) },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'agent-dies' }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'action-fails' }, { kind: 'sandbox-dies' }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('exit' as const),
      name: fc.constantFrom('main', 'other', 'side'),
      code: fc.constantFrom(0, 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      scope: fc.constantFrom(...SCOPES),
      force: fc.boolean(),
      grace: fc.constantFrom(0, 30),
    }),
  },
);

it('a restart goes on when the agent is killed between any two passes, and is done once', () => {
  for (const scope of SCOPES) {
    const container = scope === 'container' ? { container: 'main' } : {};
    const undisturbed = new RestartModel({ restartPolicy: 'Never' }).settle();
    const mark = undisturbed.log.length;
    undisturbed.ask({ id: 'r', scope, ...container }).settle();
    const wanted = steps(undisturbed.since(mark)).filter((text) => text.startsWith('start'));
    for (let killAt = 0; killAt < 16; killAt += 1) {
      const model = new RestartModel({ restartPolicy: 'Never' }).settle().ask({ id: 'r', scope, ...container });
      for (let i = 0; i < killAt; i += 1) model.pass();
      model.killAgent();
      model.settle();
      model.killAgent();
      model.settle();
      expect(model.running()).toEqual(undisturbed.running());
      expect(steps(model.since(mark)).filter((text) => text.startsWith('start'))).toEqual(wanted);
      expect(model.outcome('r')).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
      expect(model.sandboxes.filter(({ state }) => state === 'ready')).toHaveLength(1);
    }
  }
});

it('keeps its promises whatever happens', () => {
  fc.assert(
    fc.property(fc.constantFrom('Always', 'OnFailure', 'Never'), fc.array(step, { maxLength: 60 }), (policy, walk) => {
      const model = new RestartModel({ restartPolicy: policy }).settle();
      const asked = take(model, walk);
      model.failNext = false;
      for (let i = 0; i < 8; i += 1) model.advance(301_000).settle();
      const isOver = model.lifecycle.state !== 'syncing';
      const last = asked === 0 ? undefined : model.outcome(`r${asked}`);
      if (last !== undefined) expect(last.phase).toBe(last.reason === 'PodFinished' ? 'Failed' : 'Succeeded');
      if (asked > 0) expect(last).toBeDefined();
      expect(model.memory.note.restart).toBeUndefined();
      if (isOver) expect(model.running()).toEqual([]);
      else if (policy === 'Always') expect(names(model)).toEqual(['main', 'other', 'side']);
      expect(model.sandboxes.filter(({ state }) => state === 'ready').length).toBe(isOver ? 0 : 1);
    }),
    { numRuns: 300 },
  );
});

/** @returns how many restarts were asked for */
function take(model: RestartModel, walk: readonly Step[]): number {
  let asked = 0;
  for (const each of walk) {
    switch (each.kind) {
      case 'pass':
        model.pass();
        break;
      case 'agent-dies':
        model.killAgent();
        break;
      case 'action-fails':
        model.failNext = true;
        break;
      case 'sandbox-dies':
        model.breakSandboxes();
        break;
      case 'exit':
        model.exit(each.name, each.code);
        break;
      case 'wait':
        model.advance(each.ms);
        break;
      case 'ask': {
        asked += 1;
        const container = each.scope === 'container' ? { container: 'main' } : {};
        const { scope, force, grace: gracePeriodSeconds } = each;
        model.ask({ id: `r${asked}`, scope, force, gracePeriodSeconds, ...container });
        break;
      }
    }
  }
  return asked;
}

function names(model: RestartModel): readonly string[] {
  return model
    .running()
    .map((text) => text.split(' ')[0] ?? '')
    .toSorted();
}
