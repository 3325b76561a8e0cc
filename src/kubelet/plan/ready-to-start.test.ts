import { expect, it } from 'vitest';
import { computePodActions } from './compute-pod-actions.ts';
import { observation, planInput } from './plan.fixtures.ts';

const plan = (change: Parameters<typeof planInput>[0]) =>
  computePodActions(planInput({ observed: observation([]), ...change })).status;
const ready = (status: ReturnType<typeof plan>) =>
  status.conditions?.find(({ type }) => type === 'PodReadyToStartContainers')?.status;
const without = { facts: { volumes: { state: 'preparing' } } } as const;

it('a pod is ready to start containers with its sandbox and its volumes', () => {
  expect(ready(plan({}))).toBe('True');
  expect(ready(plan(without))).toBe('False');
  expect(ready(plan({ observed: undefined }))).toBe('False');
});

it('stays so for an agent that does not know its volumes yet', () => {
  expect(ready(plan({ ...without, previousStatus: plan({}) }))).toBe('True');
  expect(ready(plan({ ...without, observed: undefined, previousStatus: plan({}) }))).toBe('False');
});
