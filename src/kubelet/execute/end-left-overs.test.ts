import { expect, it } from 'vitest';
import { silentLogger } from '../../lib/index.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import type { VerbContext } from './context.ts';
import { endLeftOvers } from './end-left-overs.ts';

it('ends the processes of containers that have ended for the runtime, and no others', async () => {
  const states = { gone: 'exited', lost: 'exited', new: 'created', well: 'running', odd: 'unknown' } as const;
  const killed: string[] = [];
  const ports = {
    logger: silentLogger,
    runtime: { listContainers: async () => Object.entries(states).map(([id, state]) => ({ id, state })) },
    cgroups: {
      processes: async ({ containerId }: { containerId: string }) => (containerId === 'gone' ? [] : [7, 8]),
      kill: async ({ containerId }: { containerId: string }) => void killed.push(containerId),
    },
  };
  await endLeftOvers({ ports } as unknown as VerbContext, testPod());
  expect(killed).toEqual(['lost']);
});
