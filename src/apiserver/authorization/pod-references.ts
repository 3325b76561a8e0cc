/** The objects that a pod's node must read for it (upstream: the node authorizer's graph, `AddPod`). Pure. */
import type { Container, PersistentVolume, Pod, SecretReference, Volume } from '../../api/index.ts';

export type ReferencedResource =
  | 'configmaps'
  | 'secrets'
  | 'serviceaccounts'
  | 'persistentvolumeclaims'
  | 'persistentvolumes'
  | 'resourceclaims';

/** "RESOURCE/NAMESPACE/NAME", as the graph names them. */
export function vertexOf(resource: ReferencedResource, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}

/**
 * The objects that the pod names. A mirror of a static pod names nothing: whoever writes a node's manifests must not get
 * secrets that way.
 */
export function referencesOf(pod: Pod): readonly string[] {
  const { metadata, spec } = pod;
  if (spec === undefined || metadata?.annotations?.['kubernetes.io/config.mirror'] !== undefined) return [];
  const namespace = metadata?.namespace ?? '';
  const found = new Set<string>();
  const add = (resource: ReferencedResource, name: string | undefined): void => {
    if (name) found.add(vertexOf(resource, namespace, name));
  };
  add('serviceaccounts', spec.serviceAccountName);
  for (const secret of spec.imagePullSecrets ?? []) add('secrets', secret.name);
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  for (const container of containers) addOfContainer(container, add);
  for (const volume of spec.volumes ?? []) addOfVolume(volume, metadata?.name ?? '', add);
  for (const name of claimsOf(pod)) add('resourceclaims', name);
  return [...found];
}

/** The claims to devices that the pod names, and those that were made for it. */
function claimsOf({ spec, status }: Pod): readonly (string | undefined)[] {
  const made = new Map(
    (status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName]),
  );
  return [
    ...(spec?.resourceClaims ?? []).map(({ name, resourceClaimName }) => resourceClaimName ?? made.get(name)),
    status?.extendedResourceClaimStatus?.resourceClaimName,
  ];
}

type Add = (resource: ReferencedResource, name: string | undefined) => void;

function addOfContainer({ env = [], envFrom = [] }: Pick<Container, 'env' | 'envFrom'>, add: Add): void {
  for (const { valueFrom } of env) {
    add('secrets', valueFrom?.secretKeyRef?.name);
    add('configmaps', valueFrom?.configMapKeyRef?.name);
  }
  for (const source of envFrom) {
    add('secrets', source.secretRef?.name);
    add('configmaps', source.configMapRef?.name);
  }
}

function addOfVolume(volume: Volume, podName: string, add: Add): void {
  add('secrets', volume.secret?.secretName);
  add('configmaps', volume.configMap?.name);
  add('persistentvolumeclaims', volume.persistentVolumeClaim?.claimName);
  if (volume.ephemeral !== undefined) add('persistentvolumeclaims', `${podName}-${volume.name}`);
  for (const source of volume.projected?.sources ?? []) {
    add('secrets', source.secret?.name);
    add('configmaps', source.configMap?.name);
  }
  for (const name of secretsOfDriver(volume)) add('secrets', name);
}

/** Volumes of drivers that we have none of name secrets all the same. */
function secretsOfDriver(volume: Volume): readonly (string | undefined)[] {
  return [
    volume.azureFile?.secretName,
    volume.cephfs?.secretRef?.name,
    volume.cinder?.secretRef?.name,
    volume.csi?.nodePublishSecretRef?.name,
    volume.flexVolume?.secretRef?.name,
    volume.iscsi?.secretRef?.name,
    volume.rbd?.secretRef?.name,
    volume.scaleIO?.secretRef?.name,
    volume.storageos?.secretRef?.name,
  ];
}

/** The secrets that a node needs to mount the volume, as vertices (upstream: VisitPVSecretNames, those that kubelets may see). */
export function secretsOfVolume({ spec = {} }: PersistentVolume): readonly string[] {
  const { azureFile, csi } = spec;
  const found: (SecretReference | undefined)[] = [
    azureFile && {
      name: azureFile.secretName,
      ...(azureFile.secretNamespace && { namespace: azureFile.secretNamespace }),
    },
    spec.cephfs?.secretRef,
    spec.cinder?.secretRef,
    spec.flexVolume?.secretRef,
    spec.iscsi?.secretRef,
    spec.rbd?.secretRef,
    spec.scaleIO?.secretRef,
    spec.storageos?.secretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ];
  // Without a namespace: in that of the claim.
  const own = spec.claimRef?.namespace ?? '';
  return found.flatMap((secret) => (secret?.name ? [vertexOf('secrets', secret.namespace || own, secret.name)] : []));
}
