/** A pod's containers in their order, with their kind. Pure. */
import type { Container, Pod } from '../../api/index.ts';
import { type ContainerKind, initContainerKind } from './restart-policy.ts';

export interface PodContainer {
  readonly container: Container;
  readonly kind: ContainerKind;
}

export function initContainers(pod: Pod): readonly PodContainer[] {
  return (pod.spec?.initContainers ?? []).map((container) => ({ container, kind: initContainerKind(container) }));
}

export function appContainers(pod: Pod): readonly PodContainer[] {
  return (pod.spec?.containers ?? []).map((container) => ({ container, kind: 'app' as const }));
}

export function allContainers(pod: Pod): readonly PodContainer[] {
  return [...initContainers(pod), ...appContainers(pod)];
}

/** "spec.containers{web}", as events name a container. */
export function fieldPath({ container, kind }: PodContainer): string {
  return `spec.${kind === 'app' ? 'containers' : 'initContainers'}{${container.name}}`;
}

/** "web_default(UID)": how upstream's texts name a pod. */
export function formatPod(pod: Pod): string {
  const { name, namespace, uid } = pod.metadata ?? {};
  return `${name}_${namespace}(${uid})`;
}
