/** Gathers the deaths and failed probes that the pod's node remembers, through our server or else the node's own API. */
import {
  type ContainerHistory,
  type Event,
  type Pod,
  type PodHistory,
  type PodHistoryList,
  uidsOf,
} from '../../api/index.ts';
import { type Answer, type Asker } from './ask.ts';
import type { WorkloadObject } from '../../diagnosis/index.ts';
import { MAX_GONE_PODS, MAX_HISTORY_BYTES } from './limits.ts';

/** `undefined`: only the pod's status is known; a note says so when there was something to remember. */
export async function gatherHistory(asker: Asker, pod: Pod): Promise<readonly ContainerHistory[] | undefined> {
  const { namespace = 'default', name = '' } = pod.metadata ?? {};
  const nodeName = pod.spec?.nodeName;
  if (nodeName === undefined || nodeName === '') return undefined;
  const own = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/history`;
  const answer = await asker.text('', own, MAX_HISTORY_BYTES, true);
  const list = historyList(answer);
  if (list !== undefined) return deathsIn(list, pod);
  // "Missing" from our server means that the node remembers nothing; another server has no such path.
  if (answer.kind === 'missing' && !hasDied(pod) && !isUnready(pod)) return undefined;
  return await fromNode(asker, pod, nodeName);
}

async function fromNode(asker: Asker, pod: Pod, nodeName: string): Promise<readonly ContainerHistory[] | undefined> {
  const { namespace = 'default', name = '' } = pod.metadata ?? {};
  const path = `/api/v1/nodes/${encodeURIComponent(nodeName)}/proxy/mendlet/v1/history`;
  const query = `?namespace=${encodeURIComponent(namespace)}&pod=${encodeURIComponent(name)}`;
  const answer = await asker.text('', `${path}${query}`, MAX_HISTORY_BYTES, true);
  const list = historyList(answer);
  if (list !== undefined) return deathsIn(list, pod);
  if (hasDied(pod)) asker.note(`deaths before the last one: node/${nodeName} ${refusal(answer)}`);
  return undefined;
}

/** What nodes remember of a Job's pods that are gone, the newest first; events of the Job name them. */
export async function gatherGonePods(
  asker: Asker,
  { metadata }: WorkloadObject,
  events: readonly Event[],
): Promise<readonly PodHistory[]> {
  const { namespace = 'default', uid } = metadata ?? {};
  const made = events
    .filter(({ reason, message }) => reason === 'SuccessfulCreate' && message?.startsWith('Created pod: ') === true)
    .toSorted((a, b) => timeOf(b) - timeOf(a))
    .map(({ message = '' }) => message.replace('Created pod: ', '').trim());
  const lives = await Promise.all(
    [...new Set(made)].slice(0, MAX_GONE_PODS).map(async (name) => {
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/history`;
      const list = historyList(await asker.text('', path, MAX_HISTORY_BYTES, true));
      return list?.items.filter(({ owner }) => owner === undefined || owner.uid === uid) ?? [];
    }),
  );
  return lives.flat();
}

function timeOf({ lastTimestamp, eventTime, firstTimestamp }: Event): number {
  return Date.parse(lastTimestamp ?? eventTime ?? firstTimestamp ?? '') || 0;
}

function refusal(answer: Answer<string>): string {
  return answer.kind === 'forbidden' ? 'may not be asked for its history' : 'keeps no history that can be read';
}

function deathsIn(list: PodHistoryList, pod: Pod): readonly ContainerHistory[] {
  const uids = uidsOf(pod);
  return list.items.find((item) => uids.includes(item.metadata.uid))?.containers ?? [];
}

function historyList(answer: Answer<string>): PodHistoryList | undefined {
  if (answer.kind !== 'found') return undefined;
  try {
    const list = JSON.parse(answer.value) as PodHistoryList;
    return list.kind === 'PodHistoryList' && Array.isArray(list.items) ? list : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a running container is not ready: its node may know which probe fails. */
function isUnready({ status }: Pod): boolean {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(
    ({ ready, state }) => !ready && state?.running !== undefined,
  );
}

function hasDied({ status }: Pod): boolean {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(
    ({ restartCount }) => restartCount > 1,
  );
}
