/**
 * Mounts the token of its service account into each container of a pod, with the authority's certificate and the namespace.
 * Client libraries find the API with them (upstream: the ServiceAccount plugin's bound token volume). Pure.
 */
import type { Container, Pod, PodSpec, ServiceAccount, Volume, VolumeMount } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { POD_TOKEN_SECONDS } from '../tokens/limits.ts';

/** The folder in which client libraries look (upstream: DefaultAPITokenMountPath). */
export const TOKEN_MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const VOLUME_PREFIX = 'kube-api-access-';
const FILE_MODE = 0o644;

/**
 * The pod with the volume and its mounts, unless pod or account say no or every container has something there already.
 *
 * @param account what is stored of it; undefined while the default one is being made
 * @param suffix ends the volume's name
 */
export function mountToken(object: ApiObject, account: ApiObject | undefined, suffix: string): ApiObject {
  const { spec } = object as Pod;
  if (spec === undefined || !wantsToken(spec, account)) return object;
  const present = spec.volumes?.find((volume) => volume.name?.startsWith(VOLUME_PREFIX));
  const name = present?.name ?? `${VOLUME_PREFIX}${suffix}`;
  let mounted = false;
  const withMount = (container: Container): Container => {
    const { volumeMounts = [] } = container;
    if (volumeMounts.some(({ mountPath }) => mountPath === TOKEN_MOUNT_PATH)) return container;
    mounted = true;
    const mount: VolumeMount = { name, readOnly: true, mountPath: TOKEN_MOUNT_PATH };
    return { ...container, volumeMounts: [...volumeMounts, mount] };
  };
  const containers = (spec.containers ?? []).map(withMount);
  const initContainers = spec.initContainers?.map(withMount);
  if (!mounted) return object;
  const volumes = present === undefined ? [...(spec.volumes ?? []), tokenVolume(name)] : spec.volumes;
  return {
    ...object,
    spec: {
      ...spec,
      containers,
      ...(initContainers === undefined ? {} : { initContainers }),
      ...(volumes === undefined ? {} : { volumes }),
    },
  };
}

/** The pod's word counts before the account's. */
function wantsToken(spec: PodSpec, account: ServiceAccount | undefined): boolean {
  return spec.automountServiceAccountToken ?? account?.automountServiceAccountToken ?? true;
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: POD_TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: FILE_MODE,
    },
  };
}
