/** The pod statuses that a hollow agent reports. Pure. */
import { type Pod, type PodStatus } from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';

/** The status of a pod that runs and is ready; undefined when the server has that already. */
export function readyStatus(pod: Pod, node: string, wall: number): PodStatus | undefined {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  if (ready && pod.status?.phase === 'Running') return undefined;
  const now = formatTime(wall);
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: now });
  return {
    phase: 'Running',
    startTime: pod.status?.startTime ?? now,
    podIP: addressOf(`${node} ${pod.metadata?.uid}`),
    conditions: [condition('Initialized'), condition('ContainersReady'), condition('Ready')],
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: image,
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: now } },
    })),
  };
}

export function endedStatus(pod: Pod, phase: 'Succeeded' | 'Failed', wall: number): PodStatus {
  const now = formatTime(wall);
  const exitCode = phase === 'Succeeded' ? 0 : 1;
  const condition = (type: string) => ({ type, status: 'False', reason: 'PodCompleted', lastTransitionTime: now });
  return {
    phase,
    conditions: [condition('ContainersReady'), condition('Ready')],
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: image,
      ready: false,
      started: false,
      restartCount: 0,
      state: {
        terminated: {
          exitCode,
          reason: exitCode === 0 ? 'Completed' : 'Error',
          startedAt: pod.status?.startTime ?? now,
          finishedAt: now,
        },
      },
    })),
  };
}

/** An address that depends only on the text. */
function addressOf(text: string): string {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 16_777_216;
  return `10.${(hash >> 16) & 255}.${(hash >> 8) & 255}.${hash & 255}`;
}
