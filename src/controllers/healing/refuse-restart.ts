/** The reasons why a requested restart is impossible: reported at once, before any agent is asked. Pure. */
import {
  type ContainerStatus,
  controllerOf,
  findCondition,
  isDeleting,
  type Node,
  type Pod,
  type PodRestart,
  type PodRestartSpec,
} from '../../api/index.ts';
import { isPodTerminal } from '../pods/pod-state.ts';

export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** Nothing can become of it any more, however far it is. */
export function goneRefusal({ spec = {}, status }: PodRestart, pod: Pod | undefined): Refusal | undefined {
  const { podName = '', podUID = '' } = spec;
  const known = status?.podUID;
  if (pod === undefined) {
    if (known === undefined) return { reason: 'PodNotFound', message: `there is no pod ${podName}` };
    return { reason: 'PodGone', message: `pod ${podName} was deleted before it was restarted` };
  }
  const { uid = '' } = pod.metadata ?? {};
  if (podUID !== '' && podUID !== uid) {
    return { reason: 'PodReplaced', message: `pod ${podName} is another one: its UID is ${uid}, not ${podUID}` };
  }
  if (known !== undefined && known !== uid) {
    return { reason: 'PodGone', message: `pod ${podName} was deleted, and another one made, before it was restarted` };
  }
  if (isPodTerminal(pod)) return { reason: 'PodFinished', message: finishedText(pod) };
  if (isDeleting(pod)) return { reason: 'PodGone', message: `pod ${podName} is being deleted` };
  return undefined;
}

function finishedText(pod: Pod): string {
  const owner = controllerOf(pod);
  const next =
    owner === undefined
      ? 'nobody makes it again: it has no owner'
      : `its owner ${owner.kind}/${owner.name} decides whether another one takes its place`;
  return `the pod has ended (${pod.status?.phase ?? ''}), and a pod that has ended never runs again; ${next}`;
}

/** It should not even begin. @param node of the pod, if it is known */
export function startRefusal(
  { spec = {} }: PodRestart,
  pod: Pod,
  node: Node | undefined,
  foreignServer: boolean,
): Refusal | undefined {
  const { scope, container = '' } = spec;
  const nodeName = pod.spec?.nodeName ?? '';
  if (nodeName === '') {
    return { reason: 'Unscheduled', message: 'the pod is on no node yet: there is nothing to restart' };
  }
  if (scope === 'container' && !hasContainer(pod, container)) {
    return { reason: 'ContainerNotFound', message: `the pod has no container ${container} that could be restarted` };
  }
  const version = node?.status?.nodeInfo?.kubeletVersion ?? '';
  if (version !== '' && !version.includes('+mendlet')) {
    const message = `node ${nodeName} runs another agent (kubelet ${version}), which restarts no pods in place: delete the pod, and its owner makes another one`;
    return { reason: 'NotSupported', message };
  }
  const forbidden = foreignServer ? firstForbidden(spec, pod) : undefined;
  if (forbidden === undefined) return undefined;
  const message = `this API server forbids a container that has ended (${forbidden}) to run again against its restart policy (${pod.spec?.restartPolicy ?? 'Always'})`;
  return { reason: 'Refused', message };
}

/** App containers and sidecars: init containers have done their work. */
function hasContainer({ spec }: Pod, name: string): boolean {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(spec?.containers ?? []), ...sidecars].some((container) => container.name === name);
}

/** The first container whose status the restart would turn from ended to running where upstream's validation forbids that. */
function firstForbidden({ scope = 'pod', container }: PodRestartSpec, pod: Pod): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const app = containerStatuses.filter(({ name }) => scope !== 'container' || name === container);
  const init = scope === 'pod' ? initContainerStatuses : [];
  return [...init, ...app].find((status) => staysEnded(status, pod))?.name;
}

/** Upstream: ValidateContainerStateTransition, ValidateInitContainerStateTransition. */
function staysEnded({ name, state }: ContainerStatus, { spec }: Pod): boolean {
  const own = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].find((each) => each.name === name);
  const policy = own?.restartPolicy ?? spec?.restartPolicy ?? 'Always';
  const { terminated } = state ?? {};
  if (terminated === undefined || policy === 'Always' || (own?.restartPolicyRules ?? []).length > 0) return false;
  return policy !== 'OnFailure' || terminated.exitCode === 0;
}

/** The obstacle of a restart that its node has been asked for. */
export function waitingText(pod: Pod, node: Node | undefined, begun: boolean): string {
  const name = pod.spec?.nodeName ?? '';
  if (node === undefined) return `waits for node ${name}, which is not known`;
  const ready = findCondition(node.status?.conditions, 'Ready');
  if (ready?.status === 'True') return begun ? `goes on on node ${name}` : `waits for node ${name}`;
  return `waits for node ${name}, which is not ready (${ready?.reason ?? 'it has not said so yet'})`;
}
