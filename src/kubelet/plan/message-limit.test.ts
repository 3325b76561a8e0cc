import { expect, it } from 'vitest';
import type { ContainerStatus } from '../../api/index.ts';
import { limitMessages, messageLimit } from './message-limit.ts';
import { testPod } from './plan.fixtures.ts';

const containers = (count: number) => Array.from({ length: count }, (_each, index) => ({ name: `c${index}` }));

it.each([
  [1, 12_288],
  [3, 4096],
  [10, 1228],
])('%i containers: %i bytes each', (count, bytes) => {
  expect(messageLimit(testPod({ containers: containers(count) }))).toBe(bytes);
});

it('counts init and ephemeral containers', () => {
  const pod = testPod({ initContainers: containers(2), ephemeralContainers: [{ name: 'e' }] });
  expect(messageLimit(pod)).toBe(3072);
});

const status = (message: string): ContainerStatus => {
  const terminated = { exitCode: 1, message };
  return {
    name: 'c',
    ready: false,
    restartCount: 0,
    image: '',
    imageID: '',
    state: { terminated },
    lastState: { terminated },
  };
};

it.each([
  ['short', 'abc', 4, 'abc'],
  ['long', 'abcdef', 4, 'abcd'],
  ['cut inside a character', 'aä', 2, 'a'],
])('%s', (_name, message, limit, expected) => {
  const { state, lastState } = limitMessages(status(message), limit);
  expect([state?.terminated?.message, lastState?.terminated?.message]).toEqual([expected, expected]);
});

it('leaves a status alone that says nothing', () => {
  const running: ContainerStatus = { ...status(''), state: { running: {} }, lastState: {} };
  expect(limitMessages(running, 1)).toBe(running);
});
