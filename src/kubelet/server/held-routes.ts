/** /mendlet/v1/held: the containers of a pod that somebody holds from running, for whoever asks why it does not answer. */
import type { HeldContainers, Hold, StoppedProcess } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { groupOf, livingOf } from '../deaths/living-containers.ts';
import type { Cgroups, HeldProcesses } from '../ports.ts';
import type { PodDirectory } from '../types.ts';
import { jsonResponse, RequestError } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';

export interface HeldInputs {
  readonly directory: PodDirectory;
  readonly cgroups: Pick<Cgroups, 'processes'>;
  /** Absent: this cannot be found out. */
  readonly held?: HeldProcesses;
}

export function heldRoutes(inputs: HeldInputs): readonly Route[] {
  return [{ path: '/mendlet/v1/held', methods: ['GET'], answer: (call) => answer(inputs, call) }];
}

async function answer({ directory, cgroups, held }: HeldInputs, { query }: RouteCall): Promise<HttpResponse> {
  const [namespace, name] = ['namespace', 'pod'].map((each) => query.get(each) || undefined);
  if (namespace === undefined || name === undefined)
    throw new RequestError(400, 'a pod needs its name and namespace: ?namespace=NS&pod=NAME');
  const view = directory.find(namespace, name);
  // A runtime of another make may have a kernel of its own.
  if (held === undefined || view === undefined || view.pod.spec?.runtimeClassName)
    throw new RequestError(404, `nobody can tell whether pod ${namespace}/${name} is held`);
  const containers: { readonly name: string; readonly hold: Hold }[] = [];
  const stopped: (StoppedProcess & { readonly container: string })[] = [];
  for (const container of livingOf(view)) {
    const pids = await cgroups.processes(groupOf(container)).catch(() => []);
    const hold = await held.of(pids);
    if (hold !== undefined) containers.push({ name: container.name, hold });
    const process = await held.stopped(pids);
    if (process !== undefined) stopped.push({ container: container.name, ...process });
  }
  const found: HeldContainers = { apiVersion: 'mendlet.dev/v1alpha1', kind: 'HeldContainers', containers, stopped };
  return jsonResponse(found);
}
