/** What is asked of a driver for a volume of a pod, as upstream's kubelet asks it. Pure. */
import type { CSIDriver, PersistentVolume, Pod, TokenRequestStatus } from '../../api/index.ts';
import type { AccessMode, NodeCapability, StringMap, VolumeCapability } from '../../csi/index.ts';

/** The parts of a CSIDriver's spec that a kubelet acts on, with their defaults: those of a driver without an object. */
export interface DriverPolicy {
  readonly attachRequired: boolean;
  readonly podInfoOnMount: boolean;
  readonly lifecycleModes: readonly string[];
  readonly fsGroupPolicy: string;
  readonly tokenRequests: readonly { readonly audience: string; readonly expirationSeconds: number }[];
  readonly requiresRepublish: boolean;
  /** Tokens go into the secrets of a request, not into its context. */
  readonly tokensInSecrets: boolean;
}

/** Upstream's default life of a token. */
const TOKEN_SECONDS = 3600;

/** @param driver undefined: there is no such object */
export function policyOf(driver: CSIDriver | undefined): DriverPolicy {
  const spec = driver?.spec;
  return {
    attachRequired: spec?.attachRequired ?? true,
    podInfoOnMount: spec?.podInfoOnMount ?? false,
    lifecycleModes: spec?.volumeLifecycleModes ?? ['Persistent'],
    fsGroupPolicy: spec?.fsGroupPolicy ?? 'ReadWriteOnceWithFSType',
    tokenRequests: (spec?.tokenRequests ?? []).map(({ audience, expirationSeconds }) => ({
      audience,
      expirationSeconds: expirationSeconds ?? TOKEN_SECONDS,
    })),
    requiresRepublish: spec?.requiresRepublish ?? false,
    tokensInSecrets: spec?.serviceAccountTokenInSecrets ?? false,
  };
}

/** The first mode of the volume counts, as upstream. A driver that tells writers apart is told how many there may be. */
export function accessModeOf(
  modes: readonly string[] | undefined,
  capabilities: ReadonlySet<NodeCapability>,
): AccessMode {
  const tellsApart = capabilities.has('single-node-multi-writer');
  switch (modes?.[0] ?? '') {
    case 'ReadOnlyMany':
      return 'multi-node-reader-only';
    case 'ReadWriteMany':
      return 'multi-node-multi-writer';
    case 'ReadWriteOncePod':
      return tellsApart ? 'single-node-single-writer' : 'single-node-writer';
    default:
      return tellsApart ? 'single-node-multi-writer' : 'single-node-writer';
  }
}

/** The group that the driver is asked to give the files to; `undefined`: the driver does not do that, or no group is wanted. */
export function delegatedGroup(
  pod: Pod,
  policy: Pick<DriverPolicy, 'fsGroupPolicy'>,
  capabilities: ReadonlySet<NodeCapability>,
): string | undefined {
  const group = pod.spec?.securityContext?.fsGroup;
  if (group === undefined || !capabilities.has('mount-group')) return undefined;
  // Upstream asks whatever the policy says, but for None it must not.
  return policy.fsGroupPolicy === 'None' ? undefined : String(group);
}

/**
 * The group that this node gives the files to (upstream: supportsFSGroup); `undefined`: it leaves them as they are.
 * @param volume undefined: an inline volume
 */
export function ownGroup(
  pod: Pod,
  { fsGroupPolicy }: Pick<DriverPolicy, 'fsGroupPolicy'>,
  given: {
    readonly volume: PersistentVolume | undefined;
    readonly fsType: string;
    readonly readOnly: boolean;
    readonly isDelegated: boolean;
  },
): number | undefined {
  const group = pod.spec?.securityContext?.fsGroup;
  if (group === undefined || given.readOnly || given.isDelegated) return undefined;
  if (fsGroupPolicy === 'File') return group;
  if (fsGroupPolicy === 'None' || given.fsType === '') return undefined;
  // An inline volume has no modes, and upstream leaves it alone.
  const modes = given.volume?.spec?.accessModes ?? [];
  return modes.includes('ReadWriteOnce') || modes.includes('ReadWriteOncePod') ? group : undefined;
}

export function capabilityOf(
  mode: AccessMode,
  given: {
    readonly isBlock: boolean;
    readonly fsType: string;
    readonly mountOptions: readonly string[];
    readonly group: string | undefined;
  },
): VolumeCapability {
  const { isBlock, fsType, mountOptions, group } = given;
  if (isBlock) return { mode };
  return { mode, mount: { fsType, flags: mountOptions, ...(group !== undefined && { group }) } };
}

/** What drivers with `podInfoOnMount` learn of the pod. */
export function podInfo(pod: Pod, isEphemeral: boolean): StringMap {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  return {
    'csi.storage.k8s.io/pod.name': name,
    'csi.storage.k8s.io/pod.namespace': namespace,
    'csi.storage.k8s.io/pod.uid': uid,
    'csi.storage.k8s.io/serviceAccount.name': pod.spec?.serviceAccountName ?? '',
    'csi.storage.k8s.io/ephemeral': String(isEphemeral),
  };
}

/** Tokens by audience, as drivers read them. */
export function tokenContext(tokens: Readonly<Record<string, TokenRequestStatus>>): StringMap {
  return { 'csi.storage.k8s.io/serviceAccount.tokens': JSON.stringify(tokens) };
}

/** Upstream's handle of an inline volume. */
export function inlineHandle(hash: (text: string) => string, podUid: string, volumeName: string): string {
  return `csi-${hash(`${podUid}${volumeName}`)}`;
}
