/** /mendlet/v1/listening: the ports on which a pod listens just now, for whoever asks why a service does not answer, or who has a port. */
import type { ListeningPorts, PodListeningPort } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { groupOf, livingOf } from '../deaths/living-containers.ts';
import type { Cgroups, Listeners } from '../ports.ts';
import type { PodDirectory } from '../types.ts';
import { jsonResponse, RequestError } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';

export interface ListeningInputs {
  readonly directory: PodDirectory;
  readonly cgroups: Pick<Cgroups, 'processes'>;
  /** Absent: the ports cannot be found out. */
  readonly listeners?: Listeners;
}

export function listeningRoutes(inputs: ListeningInputs): readonly Route[] {
  return [{ path: '/mendlet/v1/listening', methods: ['GET'], answer: (call) => answer(inputs, call) }];
}

async function answer(inputs: ListeningInputs, { query }: RouteCall): Promise<HttpResponse> {
  const [namespace, name] = ['namespace', 'pod'].map((each) => query.get(each) || undefined);
  if (namespace === undefined || name === undefined)
    throw new RequestError(400, 'a pod needs its name and namespace: ?namespace=NS&pod=NAME');
  const [ports, udp] = await listeningOf(inputs, namespace, name);
  if (ports === undefined) throw new RequestError(404, `nobody can tell where pod ${namespace}/${name} listens`);
  const found: ListeningPorts = {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'ListeningPorts',
    ports,
    ...(udp && { udp }),
  };
  return jsonResponse(found);
}

/** All containers of a pod share its network: the first whose processes can be looked at tells its ports. */
async function listeningOf(
  { directory, cgroups, listeners }: ListeningInputs,
  namespace: string,
  name: string,
): Promise<readonly (readonly PodListeningPort[] | undefined)[]> {
  const view = directory.find(namespace, name);
  // A runtime of another make may have a kernel, and so sockets, of its own.
  if (view === undefined || view.pod.spec?.hostNetwork === true || view.pod.spec?.runtimeClassName) return [];
  const containers = await Promise.all(
    livingOf(view).map(async (container) => ({
      name: container.name,
      pids: await cgroups.processes(groupOf(container)).catch(() => []),
    })),
  );
  if (listeners === undefined) return [];
  return await Promise.all((['TCP', 'UDP'] as const).map((protocol) => listeners.ofPod(containers, protocol)));
}
