import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { decodeText, type HttpResponse, readAll } from '../../lib/index.ts';
import type { PodDirectory, PodView } from '../types.ts';
import { heldRoutes } from './held-routes.ts';
import { parseCall } from './routes.ts';

function view(spec: object = {}): PodView {
  const pod: Pod = { metadata: { namespace: 'default', name: 'web', uid: 'u' }, spec: { containers: [], ...spec } };
  const containers = ['a', 'b'].map((name) => ({
    name,
    id: name,
    state: 'running',
    startedAt: 1,
    logPath: '',
    labels: {},
    annotations: {},
  }));
  return { pod, observation: { containers } } as unknown as PodView;
}

async function get(query: string, found: PodView = view()): Promise<unknown> {
  const directory: PodDirectory = { pods: () => [], find: (_, name) => (name === 'web' ? found : undefined) };
  const [route] = heldRoutes({
    directory,
    cgroups: { processes: async ({ containerId }) => [containerId === 'a' ? 7 : 8] },
    held: {
      of: async ([pid]) => (pid === 7 ? 'frozen' : undefined),
      stopped: async ([pid]) => (pid === 8 ? { process: 'node', pid: 3 } : undefined),
    },
  });
  const call = parseCall({ method: 'GET', url: `/mendlet/v1/held${query}`, headers: {} });
  const answer = (await Promise.resolve(route?.answer?.(call))) as HttpResponse;
  return JSON.parse(decodeText(await readAll(answer.body, 10_000)));
}

describe('the containers of a pod that are held', () => {
  it('are named with how', async () => {
    expect(await get('?namespace=default&pod=web')).toMatchObject({
      kind: 'HeldContainers',
      containers: [{ name: 'a', hold: 'frozen' }],
      stopped: [{ container: 'b', process: 'node', pid: 3 }],
    });
  });

  it.each<[string, string, PodView, string]>([
    ['of no pod', '?namespace=default', view(), 'a pod needs its name'],
    ['of another pod', '?namespace=default&pod=other', view(), 'nobody can tell'],
    ['in another kernel', '?namespace=default&pod=web', view({ runtimeClassName: 'x' }), 'nobody can tell'],
  ])('are not told %s', async (_, query, found, text) => {
    await expect(get(query, found)).rejects.toThrow(text);
  });
});
