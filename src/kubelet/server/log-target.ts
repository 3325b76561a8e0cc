/** Which container's log is meant, in upstream's order and words (kubelet_pods.go validateContainerLogStatus). Pure. */
import type { ContainerStatus, Pod, PodStatus } from '../../api/index.ts';
import { RequestError } from './responses.ts';

/** The runtime's id of the container. Throws `RequestError` when there is no log to show. */
export function logContainerId(pod: Pod, status: PodStatus, containerName: string, previous: boolean): string {
  const podName = pod.metadata?.name ?? '';
  const where = `container "${containerName}" in pod "${podName}"`;
  if (!hasContainer(pod, containerName)) {
    throw new RequestError(404, `container "${containerName}" not found in pod "${podName}"`);
  }
  const found = containerStatuses(status).find(({ name }) => name === containerName);
  if (found === undefined) throw new RequestError(400, `${where} is not available`);
  const last = found.lastState?.terminated;
  if (previous) {
    if (!last?.containerID) {
      throw new RequestError(400, `previous terminated container "${containerName}" in pod "${podName}" not found`);
    }
    return bareId(last.containerID);
  }
  const { running, terminated, waiting } = found.state ?? {};
  if (running !== undefined) return bareId(found.containerID ?? '');
  const ended = terminated?.containerID || last?.containerID;
  if (ended) return bareId(ended);
  if (terminated !== undefined || last !== undefined) throw new RequestError(400, `${where} is terminated`);
  throw new RequestError(400, `${where} is waiting to start${waitingText(waiting?.reason)}`);
}

function waitingText(reason: string | undefined): string {
  if (reason === undefined) return ' - no logs yet';
  if (reason === 'ErrImagePull') return ": image can't be pulled";
  return reason === 'ImagePullBackOff' ? ': trying and failing to pull image' : `: ${reason}`;
}

function hasContainer({ spec }: Pod, name: string): boolean {
  const lists = [spec?.containers, spec?.initContainers, spec?.ephemeralContainers];
  return lists.some((list) => list?.some((container) => container.name === name));
}

function containerStatuses(status: PodStatus): readonly ContainerStatus[] {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
}

/** "containerd://abc" is "abc". */
function bareId(containerId: string): string {
  return containerId.slice(containerId.indexOf('//') + (containerId.includes('//') ? 2 : 1));
}
