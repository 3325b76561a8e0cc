import { expect, it } from 'vitest';
import { RuntimeError } from '../runtime.ts';
import { onceCriKnows } from './once-cri-knows.node.ts';

it.each([
  'failed to set removing state for container "x": container is still running, to stop first',
  'failed to forcibly stop container "x": failed to kill container "x": ttrpc: closed: unknown',
])('tries again while CRI does not know of the end yet: %s', async (message) => {
  const early = () => new RuntimeError('Unknown', message);
  let calls = 0;
  const result = await onceCriKnows(async () => {
    calls += 1;
    if (calls < 3) throw early();
    return 'gone';
  });
  expect([result, calls]).toEqual(['gone', 3]);
});

it('hands on every other refusal at once', async () => {
  let calls = 0;
  const work = async () => {
    calls += 1;
    throw new RuntimeError('Unavailable', 'away');
  };
  await expect(onceCriKnows(work)).rejects.toThrow('away');
  expect(calls).toBe(1);
});
