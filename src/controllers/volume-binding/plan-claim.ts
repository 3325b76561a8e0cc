/** Plans the next step for one claim: a pure function of it, the volumes, its class and the pods that wait for it. */
import {
  defaultClass,
  equalJson,
  isDeleting,
  nameOf,
  namespaceOf,
  type PersistentVolume,
  PERSISTENT_VOLUME_CLAIMS,
  type PersistentVolumeClaim,
  PERSISTENT_VOLUMES,
  SELECTED_NODE,
  type StorageClass,
  uidOf,
} from '../../api/index.ts';
import type { Operation } from '../operation.ts';
import { bestVolume, isFor, misfitOf } from './match-volume.ts';

export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
const STORAGE_PROVISIONERS = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
];
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';
/** Names of waiting pods that an event lists at most. */
const MAX_PODS_NAMED = 3;

export interface ClaimView {
  readonly claim: PersistentVolumeClaim;
  readonly volumes: readonly PersistentVolume[];
  readonly classes: readonly StorageClass[];
  /** Names of the pods that wait for it. */
  readonly awaitedBy: readonly string[];
  /** Whether a node that suits those pods reaches the volume. */
  reaches(volume: PersistentVolume): boolean;
}

export interface Note {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface VolumePlan {
  /** In this order. */
  readonly operations: readonly Operation[];
  readonly note?: Note;
}

const NOTHING: VolumePlan = { operations: [] };

export function planClaim(view: ClaimView): VolumePlan {
  const { claim } = view;
  if (claim.metadata?.annotations?.[BIND_COMPLETED] !== undefined) return keepBound(view);
  if (isDeleting(claim)) return NOTHING;
  return claim.spec?.volumeName ? bindAsked(view, claim.spec.volumeName) : bindAny(view);
}

/** It was bound; this checks whether its volume still exists and is still its own. */
function keepBound({ claim, volumes }: ClaimView): VolumePlan {
  const name = claim.spec?.volumeName ?? '';
  const volume = volumes.find((each) => nameOf(each) === name);
  if (volume !== undefined && isFor(volume, claim)) return { operations: bind(claim, volume) };
  if (volume !== undefined && volume.spec?.claimRef === undefined) return { operations: bind(claim, volume) };
  if (claim.status?.phase === 'Lost') return NOTHING;
  const [reason, message] =
    volume === undefined
      ? ['ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!']
      : ['ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly'];
  const operations = [
    patchClaim(
      claim,
      { status: { phase: 'Lost', accessModes: null, capacity: null, currentVolumeAttributesClassName: null } },
      'status',
    ),
  ];
  return { operations, note: { type: 'Warning', reason, message } };
}

function bindAsked({ claim, volumes }: ClaimView, name: string): VolumePlan {
  const volume = volumes.find((each) => nameOf(each) === name);
  if (volume === undefined) return NOTHING;
  if (volume.spec?.claimRef !== undefined && !isFor(volume, claim)) {
    const message = `volume "${name}" already bound to a different claim.`;
    return { operations: [], note: { type: 'Warning', reason: 'FailedBinding', message } };
  }
  const misfit = misfitOf(claim, volume);
  if (misfit === undefined) return { operations: bind(claim, volume) };
  const message = `Cannot bind to requested volume "${name}": ${misfit}`;
  return { operations: [], note: { type: 'Warning', reason: 'VolumeMismatch', message } };
}

function bindAny(view: ClaimView): VolumePlan {
  const { claim, classes, volumes } = view;
  const name = claim.spec?.storageClassName;
  if (name === undefined) {
    const byDefault = defaultClass(classes);
    // The claim said nothing of a class and gets the default one, also when that came later than the claim.
    if (byDefault !== undefined)
      return { operations: [patchClaim(claim, { spec: { storageClassName: nameOf(byDefault) } })] };
  }
  const storageClass = classes.find((each) => nameOf(each) === name);
  const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  const given = volumes.some((volume) => isFor(volume, claim));
  const hasProvisioner = storageClass !== undefined && storageClass.provisioner !== NO_PROVISIONER;
  const isSelected = claim.metadata?.annotations?.[SELECTED_NODE] !== undefined;
  // Where a volume can be made, the scheduler chooses between those that are there and a new one.
  const isDelayed = waits && !given && (hasProvisioner ? !isSelected : view.awaitedBy.length === 0);
  if (isDelayed) return { operations: [], note: waiting(view.awaitedBy) };
  const reaches = waits ? (each: PersistentVolume) => !hasProvisioner && view.reaches(each) : () => true;
  const volume = bestVolume(claim, volumes, reaches);
  if (volume !== undefined) return { operations: bind(claim, volume) };
  const operations = hasProvisioner ? askProvisioner(claim, storageClass) : [];
  return { operations, note: missing(name, storageClass) };
}

/** Upstream: emitEventForUnboundDelayBindingClaim. */
function waiting(pods: readonly string[]): Note {
  if (pods.length === 0) {
    const message = 'waiting for first consumer to be created before binding';
    return { type: 'Normal', reason: 'WaitForFirstConsumer', message };
  }
  const named = pods.slice(0, MAX_PODS_NAMED).join(',') + (pods.length > MAX_PODS_NAMED ? ',...' : '');
  const message = `waiting for ${pods.length === 1 ? 'pod' : 'pods'} ${named} to be scheduled`;
  return { type: 'Normal', reason: 'WaitForPodScheduled', message };
}

/** Provisioners watch for these annotations, the older ones for the older. Upstream: setClaimProvisioner. */
function askProvisioner(claim: PersistentVolumeClaim, { provisioner }: StorageClass): readonly Operation[] {
  const known = claim.metadata?.annotations ?? {};
  if (STORAGE_PROVISIONERS.every((name) => known[name] === provisioner)) return [];
  const annotations = Object.fromEntries(STORAGE_PROVISIONERS.map((name) => [name, provisioner]));
  return [patchClaim(claim, { metadata: { annotations } })];
}

function missing(name: string | undefined, storageClass: StorageClass | undefined): Note {
  if (!name || storageClass?.provisioner === NO_PROVISIONER) {
    const message = 'no persistent volumes available for this claim and no storage class is set';
    return { type: 'Normal', reason: 'FailedBinding', message };
  }
  if (storageClass === undefined) {
    const message = `storageclass.storage.k8s.io "${name}" not found`;
    return { type: 'Warning', reason: 'ProvisioningFailed', message };
  }
  const message = `Waiting for a volume to be created either by the external provisioner '${storageClass.provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  return { type: 'Normal', reason: 'ExternalProvisioning', message };
}

/** The volume first: the claim whose claimRef is written has it. Writes that are not needed are left out. */
function bind(claim: PersistentVolumeClaim, volume: PersistentVolume): readonly Operation[] {
  const operations: Operation[] = [];
  const [namespace, name, uid] = [namespaceOf(claim), nameOf(claim), uidOf(claim)];
  const before = volume.spec?.claimRef;
  if (before?.uid !== uid) {
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
    const metadata = before === undefined ? { annotations: { [BOUND_BY_CONTROLLER]: 'yes' } } : {};
    operations.push(patchVolume(volume, { metadata, spec: { claimRef } }));
  }
  if (volume.status?.phase !== 'Bound')
    operations.push(patchVolume(volume, { status: { phase: 'Bound', reason: null, message: null } }, 'status', true));
  const asked = claim.spec?.volumeName === nameOf(volume);
  if (!asked || claim.metadata?.annotations?.[BIND_COMPLETED] === undefined) {
    const annotations = { [BIND_COMPLETED]: 'yes', ...(asked ? {} : { [BOUND_BY_CONTROLLER]: 'yes' }) };
    operations.push(patchClaim(claim, { metadata: { annotations }, spec: { volumeName: nameOf(volume) } }));
  }
  const status = statusOf(claim, volume);
  if (status !== undefined) operations.push(patchClaim(claim, { status }, 'status'));
  return operations;
}

/**
 * What the status of the bound claim lacks. Capacity and class of attributes are written once: while a volume is expanded or
 * changed, the claim has not yet what the volume has, and whoever does that says when it is done. Upstream: updateClaimStatus.
 */
function statusOf(claim: PersistentVolumeClaim, { spec }: PersistentVolume): object | undefined {
  const { accessModes = [], capacity = {}, volumeAttributesClassName: current } = spec ?? {};
  const { phase, accessModes: before } = claim.status ?? {};
  if (phase === 'Bound') return equalJson(before, accessModes) ? undefined : { accessModes };
  const attributes = current === undefined ? {} : { currentVolumeAttributesClassName: current };
  return { phase: 'Bound', accessModes, capacity, ...attributes };
}

interface Patch {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

function patchClaim(claim: PersistentVolumeClaim, patch: Patch, subresource?: string): Operation {
  return {
    verb: 'patch',
    resource: PERSISTENT_VOLUME_CLAIMS,
    namespace: namespaceOf(claim),
    name: nameOf(claim),
    type: 'merge',
    patch: { ...patch, metadata: { ...patch.metadata, uid: uidOf(claim) } },
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** Only what was looked at is changed, unless `anyVersion`: two claims must not get one volume. */
export function patchVolume(
  volume: PersistentVolume,
  patch: Patch,
  subresource?: string,
  anyVersion = false,
): Operation {
  const resourceVersion = volume.metadata?.resourceVersion;
  const version = anyVersion || resourceVersion === undefined ? {} : { resourceVersion };
  return {
    verb: 'patch',
    resource: PERSISTENT_VOLUMES,
    name: nameOf(volume),
    type: 'merge',
    patch: { ...patch, metadata: { ...patch.metadata, uid: uidOf(volume), ...version } },
    ...(subresource === undefined ? {} : { subresource }),
  };
}
