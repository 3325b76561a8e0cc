import { expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { urgency } from './urgency.ts';

function pod(name: string, phase: string, isReady: boolean, restartCount: number): Pod {
  return {
    metadata: { name },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      containerStatuses: [{ name: 'main', restartCount }],
    },
  } as Pod;
}

it('looks first at pods that are not ready, then at those that restarted most, however often', () => {
  const pods = [
    pod('done', 'Succeeded', false, 9),
    pod('restarted', 'Running', true, 5),
    pod('restless', 'Running', true, 100_000),
    pod('well', 'Running', true, 0),
    pod('waiting', 'Pending', false, 0),
    pod('looping', 'Running', false, 7),
  ];
  const order = pods.toSorted((a, b) => urgency(b) - urgency(a)).map(({ metadata }) => metadata?.name);
  expect(order).toEqual(['looping', 'waiting', 'restless', 'restarted', 'done', 'well']);
});
