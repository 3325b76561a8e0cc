/** Asks a pod's node whether somebody holds its containers from running. */
import type { HeldContainers, Pod } from '../../api/index.ts';
import type { PodEvidence } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_HISTORY_BYTES } from './limits.ts';

/** `undefined`: nothing of it runs, or its node cannot be asked or is not mendlet's. */
export async function gatherHeld(asker: Asker, pod: Pod): Promise<Pick<PodEvidence, 'held' | 'stopped'> | undefined> {
  const { namespace = 'default', name = '' } = pod.metadata ?? {};
  const node = pod.spec?.nodeName ?? '';
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  if (
    node === '' ||
    ![...initContainerStatuses, ...containerStatuses].some(({ state }) => state?.running !== undefined)
  ) {
    return undefined;
  }
  const path = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/mendlet/v1/held`;
  const query = `?namespace=${encodeURIComponent(namespace)}&pod=${encodeURIComponent(name)}`;
  const answer = await asker.text('', `${path}${query}`, MAX_HISTORY_BYTES, true);
  if (answer.kind !== 'found') return undefined;
  try {
    const { kind, containers, stopped = [] } = JSON.parse(answer.value) as Partial<HeldContainers>;
    if (kind !== 'HeldContainers' || !Array.isArray(containers)) return undefined;
    return {
      held: Object.fromEntries((containers as HeldContainers['containers']).map(({ name: own, hold }) => [own, hold])),
      stopped: Object.fromEntries(stopped.map(({ container, process, pid }) => [container, { process, pid }])),
    };
  } catch {
    // Another server answers this path with something else.
    return undefined;
  }
}
