/** Reads pods from the runtime: lists of rows, and the statuses that a list does not carry. */
import type { CallOptions, Container, ContainerStatus, Sandbox, SandboxStatus } from '../../cri/index.ts';
import type { PodObservation, PodUID } from '../types.ts';
import { containerPlegState } from './diff.ts';
import { isOurs, INSTANCE_LABEL, POD_UID_LABEL } from '../pods/ownership.ts';
import type { PlegRuntime } from './pleg-runtime.ts';

/** The rows of one pod in the lists. */
export interface PodRows {
  readonly sandboxes: readonly Sandbox[];
  readonly containers: readonly Container[];
}

export interface PodReads {
  readonly sandboxes: readonly SandboxStatus[];
  readonly containers: readonly ContainerStatus[];
}

/**
 * Rows of all our pods. Containers are listed before sandboxes: a pod that is being made may lack its container until
 * next time, but no container appears without its sandbox because that was removed in between.
 */
export async function listPods(
  runtime: PlegRuntime,
  instanceId: string,
  options: CallOptions,
): Promise<ReadonlyMap<PodUID, PodRows>> {
  const containers = await runtime.listContainers(undefined, options);
  const sandboxes = await runtime.listSandboxes({ labels: { [INSTANCE_LABEL]: instanceId } }, options);
  return groupRows(
    sandboxes.filter((each) => isOurs(each.labels, instanceId)),
    containers,
  );
}

function groupRows(sandboxes: readonly Sandbox[], containers: readonly Container[]): ReadonlyMap<PodUID, PodRows> {
  const pods = new Map<PodUID, { sandboxes: Sandbox[]; containers: Container[] }>();
  const podOfSandbox = new Map<string, PodUID>();
  for (const sandbox of sandboxes) {
    const { uid } = sandbox.metadata;
    podOfSandbox.set(sandbox.id, uid);
    const pod = pods.get(uid);
    if (pod === undefined) pods.set(uid, { sandboxes: [sandbox], containers: [] });
    else pod.sandboxes.push(sandbox);
  }
  for (const container of containers) {
    const uid = podOfSandbox.get(container.sandboxId);
    if (uid !== undefined) pods.get(uid)?.containers.push(container);
  }
  return pods;
}

/** Rows of one pod; no sandboxes: there is nothing of it. */
export async function listPod(
  runtime: PlegRuntime,
  instanceId: string,
  uid: PodUID,
  options: CallOptions,
): Promise<PodRows> {
  const labels = { [INSTANCE_LABEL]: instanceId, [POD_UID_LABEL]: uid };
  const rows = await runtime.listSandboxes({ labels }, options);
  const sandboxes = rows.filter((each) => isOurs(each.labels, instanceId) && each.metadata.uid === uid);
  const containers = await Promise.all(
    sandboxes.map((each) => runtime.listContainers({ sandboxId: each.id }, options)),
  );
  return { sandboxes, containers: containers.flat() };
}

/**
 * Statuses behind the rows; those that cannot have changed since `known` are not read again. Containers that are gone
 * meanwhile are left out.
 */
export async function readPod(
  runtime: PlegRuntime,
  rows: PodRows,
  known: PodObservation | undefined,
  options: CallOptions,
): Promise<PodReads> {
  const knownSandboxes = new Map(known?.sandboxes.map((each) => [each.id, each]));
  const knownContainers = new Map(known?.containers.map((each) => [each.id, each]));
  const [sandboxes, containers] = await Promise.all([
    Promise.all(
      rows.sandboxes.map(
        async (row) => reuseSandbox(knownSandboxes.get(row.id), row) ?? runtime.sandboxStatus(row.id, options),
      ),
    ),
    Promise.all(
      rows.containers.map(
        async (row) => reuseContainer(knownContainers.get(row.id), row) ?? runtime.containerStatus(row.id, options),
      ),
    ),
  ]);
  return {
    sandboxes: sandboxes.filter((each) => each !== undefined),
    containers: containers.filter((each) => each !== undefined),
  };
}

/** The address of a sandbox that has one never changes; only its state does, and the list shows that. */
function reuseSandbox(known: SandboxStatus | undefined, row: Sandbox): SandboxStatus | undefined {
  if (known === undefined || (known.ips.length === 0 && !known.hostNetwork)) return undefined;
  return known.state === row.state ? known : { ...known, state: row.state };
}

/** An exited container's status is final once it has been put away; a running one's holds until it stops running. */
function reuseContainer(known: ContainerStatus | undefined, row: Container): ContainerStatus | undefined {
  if (known === undefined) return undefined;
  if (known.state === 'exited') return known.ending === true ? undefined : known;
  return known.state === 'running' && containerPlegState(row.state) === 'running' ? known : undefined;
}
