/** The inputs of a pod's containers: objects and images whose change may end their trouble. Pure. */
import type { Container, Pod } from '../../api/index.ts';
import type { ConfigKind } from '../env/config-source.ts';
import { parseImageName, withDefaultTag } from '../images/image-name.ts';
import { objectsOf, type ObjectReference } from '../volumes/sources.ts';

/** ConfigMaps and Secrets, each once: of environments, of volumes, and of image pulls. */
export function configsOf({ spec }: Pod): readonly ObjectReference[] {
  const found = new Map<string, ObjectReference>();
  const add = (kind: ConfigKind, name: string | undefined): void => {
    if (name !== undefined && name !== '') found.set(`${kind}/${name}`, { kind, name });
  };
  for (const { env = [], envFrom = [] } of containersOf(spec)) {
    for (const { valueFrom } of env) {
      add('ConfigMap', valueFrom?.configMapKeyRef?.name);
      add('Secret', valueFrom?.secretKeyRef?.name);
    }
    for (const { configMapRef, secretRef } of envFrom) {
      add('ConfigMap', configMapRef?.name);
      add('Secret', secretRef?.name);
    }
  }
  for (const { kind, name } of (spec?.volumes ?? []).flatMap(objectsOf)) add(kind, name);
  for (const { name } of spec?.imagePullSecrets ?? []) add('Secret', name);
  return [...found.values()];
}

/** Names of claims; a generic ephemeral volume's is made of the pod's and the volume's name. */
export function claimsOf({ spec, metadata }: Pod): readonly string[] {
  const names = (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (ephemeral !== undefined) return [`${metadata?.name ?? ''}-${name}`];
    return persistentVolumeClaim?.claimName ?? [];
  });
  return [...new Set(names)];
}

/**
 * Images, as the runtime is asked for them, that may appear on the node by themselves: one that is pulled at each start is
 * asked of its registry anyway.
 * @param waiting names of the containers that wait; image volumes are always meant
 */
export function imagesOf({ spec }: Pod, waiting: ReadonlySet<string>): readonly string[] {
  const containers = containersOf(spec).filter(({ name }) => waiting.has(name));
  const used = [
    ...containers.map(({ image, imagePullPolicy }) => ({ image, policy: imagePullPolicy })),
    ...(spec?.volumes ?? []).map((volume) => ({ image: volume.image?.reference, policy: volume.image?.pullPolicy })),
  ];
  const names = used.flatMap(({ image, policy }) => {
    const name = image === undefined || policy === 'Always' ? undefined : parseImageName(image);
    return image === undefined || name === undefined ? [] : [withDefaultTag(image, name)];
  });
  return [...new Set(names)];
}

function containersOf(spec: Pod['spec']): readonly Container[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
}
