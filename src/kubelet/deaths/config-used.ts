/** The ConfigMaps and Secrets that a pod takes something from: volumes, environment, pull secrets. Pure. */
import type { Pod } from '../../api/index.ts';
import { allContainers } from '../plan/containers.ts';
import { type ObjectReference, objectsOf } from '../volumes/sources.ts';

/** Each once. */
export function configUsed(pod: Pod): readonly ObjectReference[] {
  const found = new Map<string, ObjectReference>();
  const add = (kind: ObjectReference['kind'], name: string | undefined): void => {
    if (name !== undefined && name !== '') found.set(`${kind}/${name}`, { kind, name });
  };
  for (const { kind, name } of (pod.spec?.volumes ?? []).flatMap(objectsOf)) add(kind, name);
  for (const { name } of pod.spec?.imagePullSecrets ?? []) add('Secret', name);
  for (const { container } of allContainers(pod)) {
    for (const { configMapRef, secretRef } of container.envFrom ?? []) {
      add('ConfigMap', configMapRef?.name);
      add('Secret', secretRef?.name);
    }
    for (const { valueFrom } of container.env ?? []) {
      add('ConfigMap', valueFrom?.configMapKeyRef?.name);
      add('Secret', valueFrom?.secretKeyRef?.name);
    }
  }
  return [...found.values()];
}
