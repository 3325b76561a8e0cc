/** Names that both sides of attaching use: the controller that has volumes attached, and the nodes that mount them. Pure. */
import type { CSIPersistentVolumeSource, Node, PersistentVolumeSpec } from './types.gen.ts';

/** Of a node whose agent leaves attaching to the cluster's controller (upstream: ControllerManagedAttachAnnotation). */
export const CONTROLLER_MANAGED_ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';

const PREFIX = 'kubernetes.io/csi/';

export interface DriverVolume {
  readonly driver: string;
  readonly handle: string;
}

/** Upstream's name of a volume in `volumesInUse` and `volumesAttached` of a node. */
export function driverVolumeName({ driver, handle }: DriverVolume): string {
  return `${PREFIX}${driver}^${handle}`;
}

/** The volume of such a name; `undefined`: it is of another kind. */
export function parseDriverVolumeName(name: string): DriverVolume | undefined {
  const split = name.indexOf('^');
  if (!name.startsWith(PREFIX) || split <= PREFIX.length) return undefined;
  return { driver: name.slice(PREFIX.length, split), handle: name.slice(split + 1) };
}

/** `undefined`: no CSI driver serves the volume. */
export function driverVolumeOf(spec: PersistentVolumeSpec | undefined): DriverVolume | undefined {
  const source: CSIPersistentVolumeSource | undefined = spec?.csi;
  return source && { driver: source.driver, handle: source.volumeHandle };
}

/**
 * Upstream's name of the VolumeAttachment of a volume on a node.
 * @param hash hexadecimal SHA-256
 */
export function attachmentName(
  hash: (text: string) => string,
  { driver, handle }: DriverVolume,
  nodeName: string,
): string {
  return `csi-${hash(`${handle}${driver}${nodeName}`)}`;
}

export function isControllerManaged({ metadata }: Node): boolean {
  return metadata?.annotations?.[CONTROLLER_MANAGED_ATTACH] !== undefined;
}
