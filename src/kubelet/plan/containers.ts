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

export function ephemeralContainers(pod: Pod): readonly PodContainer[] {
  return (pod.spec?.ephemeralContainers ?? []).map((container) => ({ container, kind: 'ephemeral' as const }));
}

export function allContainers(pod: Pod): readonly PodContainer[] {
  return [...initContainers(pod), ...appContainers(pod), ...ephemeralContainers(pod)];
}

/** By name, which is unique in a pod; `undefined`: there is none (any more). */
export function findContainer(pod: Pod, name: string): PodContainer | undefined {
  return allContainers(pod).find(({ container }) => container.name === name);
}

/** `container_type` of upstream's metrics. */
export const CONTAINER_TYPES = {
  init: 'init_container',
  sidecar: 'init_container',
  app: 'container',
  ephemeral: 'ephemeral_container',
} as const satisfies Record<ContainerKind, string>;

const LISTS = {
  init: 'initContainers',
  sidecar: 'initContainers',
  app: 'containers',
  ephemeral: 'ephemeralContainers',
} as const satisfies Record<ContainerKind, string>;

/** "spec.containers{web}", as events name a container. */
export function fieldPath({ container, kind }: PodContainer): string {
  return `spec.${LISTS[kind]}{${container.name}}`;
}

/** "web_default(UID)": how upstream's texts name a pod. */
export function formatPod(pod: Pod): string {
  const { name, namespace, uid } = pod.metadata ?? {};
  return `${name}_${namespace}(${uid})`;
}
