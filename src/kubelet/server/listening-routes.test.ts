import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { decodeText, type HttpResponse, readAll } from '../../lib/index.ts';
import type { PodDirectory, PodView } from '../types.ts';
import { listeningRoutes } from './listening-routes.ts';
import { parseCall } from './routes.ts';

function view(spec: object = {}): PodView {
  const pod: Pod = { metadata: { namespace: 'default', name: 'web', uid: 'u' }, spec: { containers: [], ...spec } };
  const container = { name: 'c', id: 'abc', state: 'running', startedAt: 1, logPath: '', labels: {}, annotations: {} };
  return { pod, observation: { containers: [container] } } as unknown as PodView;
}

async function get(query: string, found: PodView | undefined = view()): Promise<unknown> {
  const asked: unknown[] = [];
  const directory: PodDirectory = { pods: () => [], find: (_, name) => (name === 'web' ? found : undefined) };
  const [route] = listeningRoutes({
    directory,
    cgroups: {
      processes: async (group) => {
        asked.push(group.containerId);
        return [7];
      },
    },
    listeners: {
      of: async () => undefined,
      ofPod: async ([container], protocol) =>
        container?.pids[0] === 7 && protocol === 'UDP'
          ? [{ port: 8125, container: container.name, process: 'statsd' }]
          : container?.pids[0] === 7
            ? [
                { port: 8080, container: container.name, process: 'haproxy' },
                { port: 9, loopback: '127.0.0.1' },
              ]
            : undefined,
    },
  });
  const call = parseCall({ method: 'GET', url: `/mendlet/v1/listening${query}`, headers: {} });
  const answer = (await Promise.resolve(route?.answer?.(call))) as HttpResponse;
  return JSON.parse(decodeText(await readAll(answer.body, 10_000)));
}

describe('where a pod listens', () => {
  it('is what its network has, with the containers that hold the sockets', async () => {
    expect(await get('?namespace=default&pod=web')).toEqual({
      apiVersion: 'mendlet.dev/v1alpha1',
      kind: 'ListeningPorts',
      ports: [
        { port: 8080, container: 'c', process: 'haproxy' },
        { port: 9, loopback: '127.0.0.1' },
      ],
      udp: [{ port: 8125, container: 'c', process: 'statsd' }],
    });
  });

  it.each<[string, string, PodView | undefined, string]>([
    ['of no pod', '?namespace=default', view(), 'a pod needs its name'],
    ['of another pod', '?namespace=default&pod=other', view(), 'nobody can tell'],
    ['on the network of the node', '?namespace=default&pod=web', view({ hostNetwork: true }), 'nobody can tell'],
    ['in another kernel', '?namespace=default&pod=web', view({ runtimeClassName: 'x' }), 'nobody can tell'],
  ])('is not told %s', async (_, query, found, text) => {
    await expect(get(query, found)).rejects.toThrow(text);
  });
});
