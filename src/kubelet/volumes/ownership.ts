/** The owner of a volume's files: root, and with `fsGroup` that group (upstream: SetVolumeOwnership). Pure. */
import type { Pod } from '../../api/index.ts';

/** Upstream's masks: the rights that the group gets in any case. */
const GROUP_READ = 0o440;
const GROUP_WRITE = 0o660;
const GROUP_ENTER = 0o110;
const SET_GROUP_ID = 0o2000;
/** A token whose reader is known is readable by that reader alone. */
const OWNER_ONLY = 0o600;

/** `undefined`: nothing is said, files stay as they are made. */
export function fsGroupOf(pod: Pod): number | undefined {
  return pod.spec?.securityContext?.fsGroup;
}

/** The one user that all containers run as by the spec; `undefined`: one does not say, or they differ (upstream: FsUserFrom). */
export function fsUserOf({ spec }: Pod): number | undefined {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const users = new Set(
    containers.map(({ securityContext }) => securityContext?.runAsUser ?? spec?.securityContext?.runAsUser),
  );
  const [user] = users;
  return users.size === 1 ? user : undefined;
}

/** Mode of a service account token before the group's rights: 0600 if one known user is to read it. */
export function tokenMode(pod: Pod, defaultMode: number): number {
  return fsUserOf(pod) === undefined && fsGroupOf(pod) === undefined ? defaultMode : OWNER_ONLY;
}

/** Mode of a file of ours that containers only read. */
export function contentFileMode(mode: number, fsGroup: number | undefined): number {
  return fsGroup === undefined ? mode : mode | GROUP_READ;
}

/** Mode of a folder: files made in it belong to the group, too. */
export function folderMode(mode: number, fsGroup: number | undefined, access: 'read' | 'write'): number {
  if (fsGroup === undefined) return mode;
  return mode | SET_GROUP_ID | GROUP_ENTER | (access === 'write' ? GROUP_WRITE : GROUP_READ);
}
