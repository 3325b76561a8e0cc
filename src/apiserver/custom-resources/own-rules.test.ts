/** The definition of HealingPolicies refuses what agents refuse as an annotation, and nothing else. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type HealingPolicy,
  type KubeObject,
  ownRowOf,
  readHealingPolicy,
  schemaOf,
  validateHealingPolicy,
} from '../../api/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { celRuleEngine } from './rule-engine.ts';

const engine = celRuleEngine(createManualClock());
const row = ownRowOf('mendlet.dev', 'v1alpha1', 'HealingPolicy');
if (row === undefined) throw new Error('no such kind');
const schema = schemaOf(row);
const root = schema.describe({ types: () => undefined, json: (found) => found }) ?? {};

/** What a server of ours finds. */
async function problemsOf(spec: object): Promise<readonly string[]> {
  const metadata = { name: 'a', namespace: 'n' };
  const body = { apiVersion: 'mendlet.dev/v1alpha1', kind: 'HealingPolicy', metadata, spec };
  const { object, unknownFields } = schema.prune(body);
  const policy = schema.setDefaults(object) as unknown as HealingPolicy & KubeObject;
  const errors = [...schema.checkNew(policy)];
  if (errors.length === 0)
    errors.push(...validateHealingPolicy(policy), ...(await engine.check(root, policy, undefined)));
  return [...unknownFields, ...errors.map(({ field, body: text }) => `${field}: ${text}`)];
}

/** Mostly good values, so that whole policies are good now and then. */
const mostly = <T>(good: fc.Arbitrary<T>, ...bad: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 50, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...(bad as [T, ...T[]])) });
const span = mostly(
  fc.constantFrom('1s', '100s', '1m30s', '1h'),
  '0',
  '99ms',
  '30h',
  '1000h',
  'soon',
  '',
  '1d',
  '-1s',
  '.5m',
  '1.5h',
);
const wait = mostly(fc.constantFrom('100ms', '1s', '5m', '1h'), '99ms', '61m', '0s', '1e3s', '1µs');
const names = mostly(
  fc.constantFrom<string[]>(['a'], ['a', 'b']),
  [],
  ['a', 'a'],
  ['A'],
  ['*'],
  [''],
  ['x'.repeat(64)],
  ['x'.repeat(63)],
);
const dirs = mostly(fc.constantFrom<string[]>([], ['*'], ['a', 'b']), ['*', 'a'], ['a', 'a'], ['-'], ['y'.repeat(64)]);
const scope = mostly(fc.constantFrom('container', 'containers', 'pod', 'node'), 'house', '');
const count = mostly(fc.integer({ min: 1, max: 100 }), 0, -1, 101, 1.5, 10_001);
const share = mostly(fc.constantFrom(0, 0.5, 1), -0.1, 1.1, 10);
const some = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }, ...requiredKeys: (keyof T)[]) =>
  fc.record(model, { requiredKeys });
const rung = some({ scope, attempts: count, window: span, emptyDirs: dirs }, 'scope');
const curve = some({
  initial: wait,
  factor: mostly(fc.constantFrom(1, 2.5, 10), 0.9, 10.1),
  cap: wait,
  resetAfter: span,
  jitter: share,
});
const codes = mostly(
  fc.constantFrom<object>({ operator: 'In', values: [1] }, { operator: 'NotIn', values: [0, 137] }),
  {
    operator: 'Of',
    values: [1],
  },
  { operator: 'In', values: [] },
  { operator: 'In' },
  { values: [1] },
  { operator: 'In', values: Array.from({ length: 256 }, () => 1) },
);
const rule = some({
  containers: names,
  onExitCodes: codes,
  onOutOfMemory: mostly(fc.constant(true), false),
  onProbeFailure: mostly(fc.constantFrom<string[]>(['Liveness'], ['Startup', 'Liveness']), [], ['Readiness']),
  action: mostly(fc.constantFrom('BackOff', 'Escalate', 'Stop'), 'Wait'),
  rung: scope,
  backOff: curve,
});
const selector = mostly(
  fc.constantFrom<object>(
    {},
    { matchLabels: { app: 'web' } },
    { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
  ),
  { matchLabels: { 'a b': 'c' } },
  { matchExpressions: [{ key: 'a', operator: 'Like' }] },
  { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] },
);
const policy = some(
  {
    selector,
    priority: fc.integer({ min: -5, max: 5 }),
    rungs: fc.array(rung, { maxLength: 5 }),
    maxPodRestarts: mostly(fc.integer({ min: 0, max: 10_000 }), -1, 10_001),
    resetAfter: span,
    backOff: curve,
    backOffAfterSuccess: curve,
    rules: fc.array(rule, { maxLength: 3 }),
    lateRecovery: mostly(fc.constantFrom('Always', 'Never'), 'Sometimes'),
    volumes: some({ giveUpAfter: mostly(fc.constantFrom('10s', '720h'), '9s', '721h') }),
  },
  'selector',
);

it('as agents do', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(policy, async (spec) => {
      const read = readHealingPolicy(spec, 'spec');
      const problems = await problemsOf(spec);
      if (read.ok) accepted++;
      expect({ problems, spec, ok: problems.length === 0 }).toEqual({ problems, spec, ok: read.ok });
    }),
    { numRuns: 400 },
  );
  // Neither of them says the same of everything.
  expect(accepted).toBeGreaterThan(5);
  expect(accepted).toBeLessThan(395);
});
