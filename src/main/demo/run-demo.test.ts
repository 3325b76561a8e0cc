import { expect, it } from 'vitest';
import { createInMemoryApi } from '../../../test/support/in-memory-api.ts';
import { PODS } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { seededRandom, silentLogger } from '../../lib/index.ts';
import { runDemo } from './run-demo.ts';

// Vitest fails for a rejection that nobody handles.
it('ends in good order when it is told to while it makes its pods', async () => {
  const { client, clock } = await createInMemoryApi();
  const stop = new AbortController();
  const stopping: KubeClient = {
    ...client,
    create: (resource, object, signal) => {
      if (resource.resource === PODS.resource) stop.abort('SIGINT');
      return client.create(resource, object, signal);
    },
  };
  const shown: string[] = [];
  const ended = runDemo(
    {
      client: stopping,
      clock,
      random: seededRandom('demo'),
      logger: silentLogger,
      runtime: 'containerd 1.6.20',
      kubeconfig: '/k',
      stage: { terminal: undefined, color: false, out: (text) => void shown.push(text) },
    },
    stop.signal,
  );
  expect(await ended).toBe('No death yet.');
  expect(stop.signal.aborted).toBe(true);
  expect(shown).toEqual([
    'look for yourself: kubectl --kubeconfig /k -n demo describe pod crasher\n',
    'or on a page, in a browser: mendlet dashboard --kubeconfig /k\n',
  ]);
});
