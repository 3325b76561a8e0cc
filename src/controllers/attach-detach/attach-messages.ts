/** What pods are told while they wait for a volume to be attached, in upstream's words. Pure. */
import { nameOf, namespaceOf, type Pod } from '../../api/index.ts';
import { ATTACH_TIMEOUT_MS, MAX_TOLD_LENGTH } from './limits.ts';

/** @param volume name of the PersistentVolume */
export function attachedMessage(volume: string): string {
  return `AttachVolume.Attach succeeded for volume "${volume}"`;
}

export function failedMessage(volume: string, why: string): string {
  return `AttachVolume.Attach failed for volume "${volume}" : ${why.slice(0, MAX_TOLD_LENGTH)}`;
}

/**
 * Why an attachment that is there is not attached; `undefined`: nothing is wrong yet.
 * @param ageMs since it was made, or since it was to be removed
 */
export function attachmentProblem(
  attachment: { readonly isDeleting: boolean; readonly error: string | undefined },
  { driver, handle }: { readonly driver: string; readonly handle: string },
  ageMs: number,
): string | undefined {
  const { isDeleting, error } = attachment;
  const isLate = ageMs >= ATTACH_TIMEOUT_MS;
  if (!isDeleting) {
    const late = `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${handle}`;
    return error ?? (isLate ? late : undefined);
  }
  if (!isLate) return undefined;
  return `volume attachment is being deleted${error === undefined ? '' : `: ${error}`}`;
}

/**
 * Tells a pod which others have the volume that it waits for. Names of other namespaces are none of its business.
 * @param holders the pods that have it on other nodes
 */
export function multiAttachMessage(volume: string, pod: Pod, holders: readonly Pod[]): string {
  const prefix = `Multi-Attach error for volume "${volume}"`;
  if (holders.length === 0)
    return `${prefix} Volume is already exclusively attached to one node and can't be attached to another`;
  const own = holders.filter((holder) => namespaceOf(holder) === namespaceOf(pod)).map(nameOf);
  const others = holders.length - own.length;
  if (own.length === 0) return `${prefix} Volume is already used by ${others} pod(s) in different namespaces`;
  const rest = others === 0 ? '' : ` and ${others} pod(s) in different namespaces`;
  return `${prefix} Volume is already used by pod(s) ${own.toSorted().join(', ').slice(0, MAX_TOLD_LENGTH)}${rest}`;
}
