import { describe, expect, it } from 'vitest';
import {
  HEALING_POLICY,
  HEALING_POLICY_FROM,
  type HealingPolicy,
  type HealingPolicySpec,
  type Pod,
} from '../../api/index.ts';
import { planPodPolicy } from './plan-pod-policy.ts';
import { planPolicyStatus } from './plan-policy-status.ts';
import { readPolicy } from './read-policies.ts';

const SELECTOR = { matchLabels: { app: 'web' } };

function policy(name: string, spec: HealingPolicySpec = {}): HealingPolicy {
  return { metadata: { name, uid: `u-${name}`, generation: 2 }, spec: { selector: SELECTOR, ...spec } };
}

function pod(annotations: Record<string, string> = {}, phase = 'Running', name = 'web-1'): Pod {
  return { metadata: { name, labels: { app: 'web' }, annotations }, status: { phase } };
}

const by = (text: string, from?: string): Record<string, string> => ({
  [HEALING_POLICY]: text,
  ...(from === undefined ? {} : { [HEALING_POLICY_FROM]: from }),
});
const gone = { [HEALING_POLICY]: null, [HEALING_POLICY_FROM]: null };
const never = { lateRecovery: 'Never' } as const;

describe('the policy of a pod', () => {
  it.each<[string, Pod, readonly HealingPolicy[], unknown]>([
    ['none', pod(), [], undefined],
    ['the only one', pod(), [policy('a')], by('{}', 'a/u-a/2')],
    [
      'says what it says, not whom',
      pod(),
      [policy('a', { ...never, priority: 3 })],
      by('{"lateRecovery":"Never"}', 'a/u-a/2'),
    ],
    ['there already', pod(by('{}', 'a/u-a/2')), [policy('a')], undefined],
    ['of an older generation', pod(by('{}', 'a/u-a/1')), [policy('a')], by('{}', 'a/u-a/2')],
    ['changed by somebody', pod(by('{"x":1}', 'a/u-a/2')), [policy('a')], by('{}', 'a/u-a/2')],
    ['for others', pod(), [policy('a', { selector: { matchLabels: { app: 'db' } } })], undefined],
    ['for all', pod(), [policy('a', { selector: {} })], by('{}', 'a/u-a/2')],
    ['the first by name', pod(), [policy('b'), policy('a')], by('{}', 'a/u-a/2')],
    ['the highest', pod(), [policy('a'), policy('b', { priority: 1 })], by('{}', 'b/u-b/2')],
    ['gone', pod(by('{}', 'a/u-a/2')), [], gone],
    ['no more for it', pod(by('{}', 'a/u-a/2')), [policy('b', { selector: { matchLabels: { app: 'db' } } })], gone],
    ['its own word', pod(by('{"lateRecovery":"Never"}')), [policy('a')], undefined],
    ['too late', pod({}, 'Failed'), [policy('a')], undefined],
    ['kept by what has ended', pod(by('{}', 'a/u-a/1'), 'Succeeded'), [], undefined],
    ['a broken one is none', pod(), [policy('a', { resetAfter: 'soon' }), policy('b')], by('{}', 'b/u-b/2')],
    ['broken meanwhile', pod(by('{}', 'a/u-a/1')), [policy('a', { maxPodRestarts: -1 })], gone],
    [
      'a selector that is none',
      pod(),
      [policy('a', { selector: { matchExpressions: [{ key: 'app', operator: 'Is' }] } })],
      undefined,
    ],
  ])('%s', (_, each, policies, expected) => expect(planPodPolicy(each, policies.map(readPolicy))).toEqual(expected));

  it('leaves a pod that goes alone', () => {
    const going = pod();
    going.metadata = { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(planPodPolicy(going, [readPolicy(policy('a'))])).toBeUndefined();
  });
});

describe('the status of a policy', () => {
  const NOW = '2026-01-01T00:00:00Z';
  const conditionsOf = (each: HealingPolicy, pods: readonly Pod[]) => {
    const { conditions = [], ...rest } = planPolicyStatus(each, pods, NOW);
    const told = conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason} ${message}`.trim());
    return { ...rest, told };
  };

  it('counts the pods that heal by it, and names those that do not', () => {
    const pods = [
      pod(by('{}', 'a/u-a/1')),
      pod(by('{}', 'a/u-a/2'), 'Pending'),
      pod(by('{}', 'a/u-a/2'), 'Failed'),
      pod(by('{}', 'b/u-b/2')),
      pod(by('{}'), 'Running', 'mine'),
      pod(by('{}'), 'Running', 'his'),
    ];
    expect(conditionsOf(policy('a'), pods)).toEqual({
      observedGeneration: 2,
      pods: 2,
      told: [
        'Accepted=True Valid the pods that it selects heal by it',
        'Overridden=True AnnotatedByHand 2 pods heal by annotations of their own: his, mine',
      ],
    });
  });

  it('says what is wrong with it', () => {
    expect(conditionsOf(policy('a', { resetAfter: 'soon' }), []).told).toEqual([
      expect.stringMatching(/^Accepted=False Invalid spec\.resetAfter: Invalid value/),
      'Overridden=False NoneAnnotated no pod that it selects has one of its own',
    ]);
  });

  it('keeps the time of what stays', () => {
    const before = planPolicyStatus(policy('a'), [], '2025-01-01T00:00:00Z');
    const after = planPolicyStatus({ ...policy('a'), status: before }, [pod(by('{}'))], NOW);
    expect(after.conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
      '2025-01-01T00:00:00Z',
      NOW,
    ]);
  });
});
