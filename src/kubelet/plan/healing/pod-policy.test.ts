import { describe, expect, it } from 'vitest';
import { HEALING_POLICY, MAX_POLICY_BYTES } from '../../../api/index.ts';
import { testPod } from '../plan.fixtures.ts';
import { podPolicy } from './pod-policy.ts';

const read = (text: string) => podPolicy(testPod({}, { annotations: { [HEALING_POLICY]: text } }));

describe('the policy of a pod', () => {
  it('is none without the annotation', () => expect(podPolicy(testPod())).toEqual({ kind: 'none' }));

  it('is read as JSON and as YAML, and known by what it says', () => {
    const json = read('{"rungs":[{"scope":"pod","attempts":2}]}');
    const yaml = read('rungs:\n- scope: pod\n  attempts: 2\n');
    expect(json).toMatchObject({ kind: 'valid', policy: { rungs: [{ scope: 'pod', attempts: 2, emptyDirs: [] }] } });
    expect(yaml).toEqual(json);
    expect(read('{"rungs":[{"scope":"pod","attempts":3}]}')).not.toMatchObject({
      hash: json.kind === 'valid' && json.hash,
    });
  });

  it('is the default ladder where it says nothing', () => {
    const policy = read('{}');
    expect(policy.kind === 'valid' && policy.policy.rungs.map(({ scope }) => scope)).toEqual(['container', 'pod']);
  });

  it.each([
    ['rungs: [', /neither JSON nor YAML/],
    ['5', /must be an object/],
    ['', /input is empty/],
    ['{"rungs":[{"scope":"pods"}]}', /^rungs\[0\]\.scope: /],
    ['{"rungs":[{"scope":"pod"}],"reset":"5m"}', /^reset: .*unknown field/],
    ['{"backOff":{"initial":"never"},"resetAfter":"x"}', /and 1 more/],
    [`{"rungs": "${'x'.repeat(MAX_POLICY_BYTES)}"}`, /more than/],
  ])('says what is wrong with %.40s', (text, problem) => {
    const policy = read(text);
    expect(policy.kind === 'invalid' && policy.problem).toMatch(problem);
  });
});
