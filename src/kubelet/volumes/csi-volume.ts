/** A volume that a CSI driver serves: inline in a pod, or the PersistentVolume of a claim (upstream: pkg/volume/csi). */
import {
  attachmentName,
  CSI_DRIVERS,
  driverVolumeName,
  isDeleting,
  NODES,
  type VolumeAttachment,
  type CSIDriver,
  type CSIPersistentVolumeSource,
  type CSIVolumeSource,
  isNotFound,
  nameOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type SecretReference,
  type TokenRequestStatus,
  uidOf,
  VOLUME_ATTACHMENTS,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { type NodeCapability, type StringMap, told } from '../../csi/index.ts';
import { decodeText, errorMessage } from '../../lib/index.ts';
import { base64Bytes } from '../base64.ts';
import { type CsiVolumes, CsiVolumeError, type VolumeToPublish } from '../csi/csi-volumes.ts';
import { type Drivers, NoDriverError } from '../csi/drivers.ts';
import { EXPANSION_LOOK_MS, REPUBLISH_MS } from '../csi/limits.ts';
import { blockStagingPath, blockTargetPath, isDriverName, stagingPath, targetPath } from '../csi/paths.ts';
import {
  accessModeOf,
  capabilityOf,
  delegatedGroup,
  type DriverPolicy,
  inlineHandle,
  ownGroup,
  podInfo,
  policyOf,
  tokenContext,
} from '../csi/requests.ts';
import type { VolumesInUse } from '../csi/volumes-in-use.ts';
import type { ConfigSource } from '../env/config-source.ts';
import { CsiExpansion, type ExpansionPorts } from './csi-expansion.ts';
import { type ToldProblem, VolumeError } from './payload.ts';
import type { Apart } from './places.ts';

/** What the node has for drivers. */
export interface CsiSupport extends ExpansionPorts {
  readonly kubeletDir: string;
  readonly drivers: Drivers;
  readonly volumes: CsiVolumes;
  readonly inUse: VolumesInUse;
  /** Hexadecimal SHA-256. */
  readonly hash: (text: string) => string;
  /** Waits for a driver, or for an attachment, without a place among the operations of the node. */
  readonly apart?: Apart;
  readonly secrets: Pick<ConfigSource, 'secret'>;
  readonly tokens: {
    status(pod: Pod, audience: string | undefined, expirationSeconds: number): Promise<TokenRequestStatus>;
  };
}

export interface CsiWish {
  readonly pod: Pod;
  /** Name of the volume in the pod. */
  readonly volumeName: string;
  /** Absent: it is inline in the pod. */
  readonly volume?: PersistentVolume;
  /** Of the volume; absent: it is never expanded. */
  readonly claim?: PersistentVolumeClaim;
  /** Of the pod's volume, or of its claim there. */
  readonly readOnly: boolean;
}

export interface PublishedByDriver {
  readonly path: string;
  readonly driver: string;
  /** The files are to be given to this group by us; absent: they are not. */
  readonly group?: number;
  readonly republishAfterMs?: number;
  /** It is there, and its driver could not be asked for more. */
  readonly problem?: string;
  readonly told?: ToldProblem;
}

/** Upstream's names of what failed. */
const OPERATIONS = {
  stage: 'MountVolume.MountDevice',
  publish: 'MountVolume.SetUp',
  unpublish: 'MountVolume.SetUp',
  unstage: 'MountVolume.MountDevice',
} as const;
const BLOCK_OPERATIONS = { ...OPERATIONS, stage: 'MapVolume.SetUpDevice', publish: 'MapVolume.MapPodDevice' } as const;

/** Where the volume is, or will be. Throws for names that are none. */
export function csiTarget({ kubeletDir }: CsiSupport, { pod, volumeName, volume }: CsiWish): string {
  const name = volume === undefined ? volumeName : nameOf(volume);
  return isBlock(volume) ? blockTargetPath(kubeletDir, uidOf(pod), name) : targetPath(kubeletDir, uidOf(pod), name);
}

/** Idempotent. Rejects with `VolumeError` in upstream's words. */
export async function setUpCsi(
  csi: CsiSupport,
  wish: CsiWish,
  source: CSIPersistentVolumeSource | CSIVolumeSource,
): Promise<PublishedByDriver> {
  const { driver } = source;
  const { apart = (work) => work() } = csi;
  if (!isDriverName(driver)) throw new VolumeError(`${JSON.stringify(driver)} is no name of a CSI driver`);
  const handle =
    'volumeHandle' in source ? source.volumeHandle : inlineHandle(csi.hash, uidOf(wish.pod), wish.volumeName);
  const path = csiTarget(csi, wish);
  const isThere = await csi.volumes.isPublished({ driver, handle }, path);
  let policy: DriverPolicy;
  try {
    policy = policyOf(await driverObject(csi.client, driver));
  } catch (error) {
    // A pod that has its volume keeps it, also while the API server is away.
    if (isThere) return { path, driver, republishAfterMs: REPUBLISH_MS };
    throw error;
  }
  if (needsAttachment(wish, policy)) csi.inUse.want(uidOf(wish.pod), { driver, handle });
  const expansion = expansionOf(csi, wish, driver);
  const done = { path, driver, ...lookAgain(policy, mayGrow(csi, wish, driver)) };
  try {
    const asked = new CsiRequest(csi, wish, source, { policy, expansion });
    const build = (): Promise<VolumeToPublish> => asked.build(handle, path);
    const published = await apart(async () => {
      const outcome = await csi.volumes.publish({ driver, handle }, path, build, expansion?.size);
      if (isThere && policy.requiresRepublish) await csi.volumes.republish(await build());
      return outcome;
    });
    await expansion?.settle(published, await csi.volumes.size({ driver, handle }));
  } catch (error) {
    const beside = await expansion?.failed(error);
    const { message, operation, eventReason, isUnattached } = explained(error, wish.volume, isThere);
    const problem = beside === undefined ? message : `${message}; ${beside}`;
    if (!isThere) throw new VolumeError(problem, { operation, eventReason, isUnattached });
    // A pod that has its volume keeps it.
    if (isUnattached) return done;
    return { ...done, problem, told: { operation, eventReason } };
  }
  return { ...done, ...groupFor(csi, wish, source, policy) };
}

/** `undefined`: the volume is not expanded here. */
function expansionOf(
  csi: CsiSupport,
  { pod, volume, claim, readOnly }: CsiWish,
  driver: string,
): CsiExpansion | undefined {
  if (volume === undefined || claim === undefined || readOnly || !csi.drivers.has(driver)) return undefined;
  return canExpand(csi, driver) ? CsiExpansion.of(csi, { pod, volume, claim }) : undefined;
}

/** Whether the volume may be expanded here one day. */
function mayGrow(csi: CsiSupport, { claim, readOnly }: CsiWish, driver: string): boolean {
  return claim !== undefined && !readOnly && (!csi.drivers.has(driver) || canExpand(csi, driver));
}

function canExpand({ drivers }: CsiSupport, driver: string): boolean {
  return drivers.get(driver).capabilities.has('expand');
}

/** When the volume is to be looked at once more. */
function lookAgain(
  { requiresRepublish }: DriverPolicy,
  isGrowing: boolean,
): Pick<PublishedByDriver, 'republishAfterMs'> {
  if (requiresRepublish) return { republishAfterMs: REPUBLISH_MS };
  return isGrowing ? { republishAfterMs: EXPANSION_LOOK_MS } : {};
}

function needsAttachment({ volume }: CsiWish, { attachRequired }: DriverPolicy): boolean {
  return volume !== undefined && attachRequired;
}

function groupFor(
  { drivers }: CsiSupport,
  wish: CsiWish,
  { driver, fsType }: Pick<CSIVolumeSource, 'driver' | 'fsType'>,
  policy: DriverPolicy,
): { group?: number } {
  const { pod, volume, readOnly } = wish;
  if (isBlock(volume) || !drivers.has(driver)) return {};
  const isDelegated = delegatedGroup(pod, policy, drivers.get(driver).capabilities) !== undefined;
  const group = ownGroup(pod, policy, { volume, fsType: fsType ?? '', readOnly, isDelegated });
  return group === undefined ? {} : { group };
}

/** Upstream's words for what failed. @param isThere the pod has the volume */
function explained(error: unknown, volume: PersistentVolume | undefined, isThere: boolean): VolumeError {
  if (error instanceof VolumeError) return error;
  if (!(error instanceof CsiVolumeError)) return new VolumeError(noClient(error) ?? errorMessage(error));
  const message = noClient(error.cause) ?? error.message;
  if (error.call === 'expand') return new VolumeError(`${EXPANDING}: ${message}`, expandingWords(isThere));
  const operation = (isBlock(volume) ? BLOCK_OPERATIONS : OPERATIONS)[error.call];
  return new VolumeError(message, { operation });
}

const EXPANDING = 'Expander.NodeExpand failed to expand the volume';

/** A pod that has the volume goes on with it; one that waits for it cannot begin. */
function expandingWords(isThere: boolean): Required<ToldProblem> {
  return isThere
    ? { operation: 'NodeExpandVolume.NodeExpandVolume', eventReason: 'VolumeResizeFailed' }
    : { operation: 'MountVolume.NodeExpandVolume', eventReason: 'FailedMount' };
}

function noClient(error: unknown): string | undefined {
  if (!(error instanceof NoDriverError)) return undefined;
  return `kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: ${error.message}`;
}

function isBlock(volume: PersistentVolume | undefined): boolean {
  return volume?.spec?.volumeMode === 'Block';
}

async function driverObject(client: KubeClient, name: string): Promise<CSIDriver | undefined> {
  try {
    return await client.get(CSI_DRIVERS, undefined, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const ATTACH_OPERATION = { operation: 'MountVolume.WaitForAttach' };

function notAttached(why: string): VolumeError {
  return new VolumeError(why, ATTACH_OPERATION);
}

/** Whoever attaches it tells the pod what is wrong, if anything is. */
function unattached(why: string): VolumeError {
  return new VolumeError(why, { ...ATTACH_OPERATION, isUnattached: true });
}

/** Collects what a driver is asked for one volume of one pod. */
class CsiRequest {
  readonly #csi: CsiSupport;
  readonly #wish: CsiWish;
  readonly #source: CSIPersistentVolumeSource | CSIVolumeSource;
  readonly #policy: DriverPolicy;
  readonly #expansion: CsiExpansion | undefined;

  constructor(
    csi: CsiSupport,
    wish: CsiWish,
    source: CSIPersistentVolumeSource | CSIVolumeSource,
    { policy, expansion }: { readonly policy: DriverPolicy; readonly expansion: CsiExpansion | undefined },
  ) {
    this.#csi = csi;
    this.#wish = wish;
    this.#source = source;
    this.#policy = policy;
    this.#expansion = expansion;
  }

  /** Rejects with `VolumeError`, or with `NoDriverError`. */
  async build(handle: string, target: string): Promise<VolumeToPublish> {
    const csi = this.#csi;
    const { pod, volume, volumeName, readOnly } = this.#wish;
    const { driver, volumeAttributes, fsType = '' } = this.#source;
    this.#checkMode();
    const { capabilities } = csi.drivers.get(driver);
    const isAttached = needsAttachment(this.#wish, this.#policy);
    const publishContext = isAttached ? await this.#attachment(handle) : {};
    const context = volumeAttributes ?? {};
    const tokens = await this.#tokens();
    const info = this.#policy.podInfoOnMount ? podInfo(pod, volume === undefined) : {};
    const publishSecrets = await this.#secrets(this.#publishSecret(), 'NodePublishSecretRef');
    const stages = volume !== undefined && capabilities.has('stage');
    const stagingPath = stages ? this.#stagingPath(handle, volume) : undefined;
    const { tokensInSecrets } = this.#policy;
    return {
      driver,
      handle,
      publication: { pod: uidOf(pod), volume: volumeName, target },
      ...(isAttached && { isAttached }),
      ...(stagingPath !== undefined && { stagingPath }),
      isBlock: isBlock(volume),
      readOnly,
      capability: capabilityOf(accessModeOf(volume?.spec?.accessModes, capabilities), {
        isBlock: isBlock(volume),
        fsType,
        mountOptions: volume?.spec?.mountOptions ?? [],
        group: this.#delegated(capabilities),
      }),
      asked: {
        publishContext,
        stageContext: context,
        volumeContext: { ...context, ...info, ...(tokensInSecrets ? {} : tokens) },
        stageSecrets: stages ? await this.#secrets(this.#stageSecret(), 'NodeStageSecretRef') : {},
        publishSecrets: { ...publishSecrets, ...(tokensInSecrets ? tokens : {}) },
      },
      ...(await this.#sized()),
    };
  }

  /** The size that is asked for, with the secrets of that call. */
  async #sized(): Promise<Pick<VolumeToPublish, 'expansion'>> {
    const expansion = this.#expansion;
    if (expansion === undefined) return {};
    const secrets = await this.#secrets(this.#expandSecret(), 'NodeExpandSecretRef');
    return { expansion: { size: expansion.size, secrets, begin: () => expansion.begin() } };
  }

  /** Upstream: supportsVolumeLifecycleMode. */
  #checkMode(): void {
    const { driver } = this.#source;
    const mode = this.#wish.volume === undefined ? 'Ephemeral' : 'Persistent';
    const { lifecycleModes } = this.#policy;
    if (lifecycleModes.includes(mode)) return;
    const only = lifecycleModes.map((each) => JSON.stringify(each)).join(' ');
    throw new VolumeError(`volume mode "${mode}" not supported by driver ${driver} (only supports [${only}])`);
  }

  #delegated(capabilities: ReadonlySet<NodeCapability>): string | undefined {
    return delegatedGroup(this.#wish.pod, this.#policy, capabilities);
  }

  #stagingPath(handle: string, volume: PersistentVolume): string {
    const { kubeletDir, hash } = this.#csi;
    return isBlock(volume)
      ? blockStagingPath(kubeletDir, nameOf(volume))
      : stagingPath(kubeletDir, this.#source.driver, hash(handle));
  }

  /**
   * What the attacher says of the volume on this node. Rejects until it is attached, and the node may count on that: the server
   * has on record that the node uses the volume, and its controller has not begun to detach it (upstream:
   * VerifyControllerAttachedVolume, then WaitForAttach).
   */
  async #attachment(handle: string): Promise<StringMap> {
    const { client, nodeName, hash, inUse } = this.#csi;
    const volume = { driver: this.#source.driver, handle };
    const name = driverVolumeName(volume);
    if (!inUse.isReported(volume)) throw unattached("it is not on the list of volumes in the node's status yet");
    const { status } = await client.get(NODES, undefined, nodeName);
    if (status?.volumesInUse?.includes(name) !== true)
      throw unattached("it is not on the list of volumes in the node's status any more");
    if (status.volumesAttached?.some((each) => each.name === name) !== true)
      throw unattached('volume not attached according to node status');
    const attachment = attachmentName(hash, volume, nodeName);
    let found: VolumeAttachment;
    try {
      found = await client.get(VOLUME_ATTACHMENTS, undefined, attachment);
    } catch (error) {
      throw notAttached(`volume ${handle} has GET error for volume attachment ${attachment}: ${errorMessage(error)}`);
    }
    if (isDeleting(found)) throw notAttached('volume attachment is being deleted');
    if (found.status?.attached === true) return found.status.attachmentMetadata ?? {};
    const error = found.status?.attachError?.message;
    throw error === undefined
      ? unattached(`VolumeAttachment ${attachment} waits for the driver's attacher`)
      : notAttached(told(error));
  }

  async #tokens(): Promise<StringMap> {
    const { tokenRequests } = this.#policy;
    if (tokenRequests.length === 0) return {};
    const tokens: Record<string, TokenRequestStatus> = {};
    for (const { audience, expirationSeconds } of tokenRequests) {
      tokens[audience] = await this.#csi.tokens.status(this.#wish.pod, audience || undefined, expirationSeconds);
    }
    return tokenContext(tokens);
  }

  #stageSecret(): SecretReference | undefined {
    return 'nodeStageSecretRef' in this.#source ? this.#source.nodeStageSecretRef : undefined;
  }

  #expandSecret(): SecretReference | undefined {
    return 'nodeExpandSecretRef' in this.#source ? this.#source.nodeExpandSecretRef : undefined;
  }

  /** An inline volume names a secret of the pod's namespace. */
  #publishSecret(): SecretReference | undefined {
    const { nodePublishSecretRef } = this.#source;
    if (nodePublishSecretRef === undefined) return undefined;
    return { namespace: this.#wish.pod.metadata?.namespace ?? '', ...nodePublishSecretRef };
  }

  async #secrets(reference: SecretReference | undefined, field: string): Promise<StringMap> {
    const { namespace = '', name = '' } = reference ?? {};
    if (name === '') return {};
    const failed = (why: string): VolumeError =>
      new VolumeError(`fetching ${field} ${namespace}/${name} failed: kubernetes.io/csi: ${why}`);
    try {
      const secret = await this.#csi.secrets.secret(namespace, name);
      if (secret === undefined) throw failed(`secrets "${name}" not found`);
      return Object.fromEntries(
        Object.entries(secret.data ?? {}).map(([key, value]) => [key, decodeText(base64Bytes(value))]),
      );
    } catch (error) {
      throw error instanceof VolumeError ? error : failed(errorMessage(error));
    }
  }
}
