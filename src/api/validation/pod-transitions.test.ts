import { expect, it } from 'vitest';
import { formatHealingState } from '../healing/healing-state.ts';
import type { ContainerRestartRule, Pod, PodCondition } from '../types.gen.ts';
import { validateStateTransitions } from './pod-transitions.ts';

const restarting = (status: string): PodCondition => ({ type: 'mendlet.dev/Restarting', status });
const healing = (state: Parameters<typeof formatHealingState>[0]): Record<string, string> => ({
  'mendlet.dev/healing': formatHealingState(state),
});
const at = '2026-01-01T00:00:00Z';
const all: ContainerRestartRule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [9] } };

interface Case {
  readonly policy?: string;
  readonly exitCode?: number;
  readonly rules?: ContainerRestartRule[];
  readonly before?: PodCondition;
  readonly after?: PodCondition;
  readonly annotations?: Record<string, string>;
}

function pods({ policy = 'Never', exitCode = 0, rules, before, after, annotations }: Case): [Pod, Pod] {
  const sibling = { name: 'b', ...(rules === undefined ? {} : { restartPolicyRules: rules }) };
  const spec = { restartPolicy: policy, containers: [{ name: 'a' }, sibling] };
  const status = { name: 'a', image: '', imageID: '', ready: false, restartCount: 0 };
  const old: Pod = {
    spec,
    status: {
      containerStatuses: [{ ...status, state: { terminated: { exitCode } } }],
      ...(before === undefined ? {} : { conditions: [before] }),
    },
  };
  const pod: Pod = {
    ...(annotations === undefined ? {} : { metadata: { annotations } }),
    spec,
    status: {
      containerStatuses: [{ ...status, restartCount: 1, state: { running: {} } }],
      ...(after === undefined ? {} : { conditions: [after] }),
    },
  };
  return [pod, old];
}

it.each<[string, Case, boolean]>([
  ['a pod that always restarts', { policy: 'Always' }, true],
  ['a failed container under OnFailure', { policy: 'OnFailure', exitCode: 1 }, true],
  ['one that is done, under OnFailure', { policy: 'OnFailure' }, false],
  ['one that failed, under Never', { exitCode: 1 }, false],
  ['one that is done while another may restart them all', { rules: [all] }, true],
  ['one that is done while another has rules of its own', { rules: [{ ...all, action: 'Restart' }] }, false],
  ['a pod that is being restarted', { after: restarting('True') }, true],
  ['a pod that was being restarted', { before: restarting('True') }, true],
  ['a pod whose restart began and ended unseen, with a condition', { after: restarting('False') }, true],
  ['the same, told by a request', { annotations: healing({ restarts: [{ id: 'r', phase: 'Succeeded', at }] }) }, true],
  ['the same, told by the ladder', { annotations: healing({ podRestarts: 1 }) }, true],
  ['a pod that has a policy and no restart', { annotations: healing({ rung: 'container', podRestarts: 0 }) }, false],
  ['a pod with another condition', { after: { type: 'mendlet.dev/Healing', status: 'True' } }, false],
])('a terminated container comes back: %s', (_, given, may) => {
  expect(validateStateTransitions(...pods(given)).length === 0).toBe(may);
});
