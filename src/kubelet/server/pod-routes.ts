/** /pods: the pods that should run here; /runningpods: the pods in the runtime. */
import type { Pod } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import type { PodDirectory, PodView } from '../types.ts';
import { jsonResponse } from './responses.ts';
import type { Route } from './routes.ts';

export function podRoutes(directory: PodDirectory): readonly Route[] {
  return [
    { path: '/pods', methods: ['GET'], answer: () => podList(directory.pods().map(withStatus)) },
    {
      path: '/runningpods',
      methods: ['GET'],
      debugging: true,
      answer: () => podList(directory.pods().flatMap(runningOnly)),
    },
  ];
}

function podList(items: readonly Pod[]): HttpResponse {
  return jsonResponse({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });
}

function withStatus({ pod, status }: PodView): Pod {
  return { ...pod, status: status ?? pod.status ?? {} };
}

/** As upstream: names and running containers alone, as the runtime reports them. */
function runningOnly({ pod, observation }: PodView): readonly Pod[] {
  const running = observation?.containers.filter(({ state }) => state === 'running') ?? [];
  if (observation === undefined || running.length === 0) return [];
  const containers = running.map(({ name, image }) => ({ name, image, resources: {} }));
  const { name, namespace, uid } = observation;
  return [{ metadata: { name, namespace, uid }, spec: { containers }, status: {}, ...kindOf(pod) }];
}

function kindOf({ apiVersion, kind }: Pod): Pick<Pod, 'apiVersion' | 'kind'> {
  return { ...(apiVersion && { apiVersion }), ...(kind && { kind }) };
}
