/** Names around the logs: pod folders, the mark of their maker, and the flat links that log shippers read. Pure. */
import { MAX_LINK_NAME } from './limits.ts';

/**
 * In each log folder of a pod: which mendlet made it. The folder may be shared with another kubelet, and one that a loss of
 * power brought back is known by nothing else.
 */
export const LOG_OWNER_FILE = '.mendlet-instance';

/** Beside upstream's /var/log/pods lies /var/log/containers. */
export function containerLogsDir(podLogsDir: string): string {
  return `${podLogsDir.slice(0, podLogsDir.lastIndexOf('/'))}/containers`;
}

/** UID of NAMESPACE_NAME_UID; `undefined`: no pod's folder. */
export function uidOfLogFolder(name: string): string | undefined {
  const parts = name.split('_');
  return parts.length === 3 && parts.every((part) => part !== '') ? parts[2] : undefined;
}

/** POD_NAMESPACE_CONTAINER-ID.log, cut as upstream cuts it (pkg/kubelet/kuberuntime/legacy.go). */
export function logLinkName(pod: string, namespace: string, container: string, id: string): string {
  const suffix = '.log';
  return `${`${pod}_${namespace}_${container}-${id}`.slice(0, MAX_LINK_NAME - suffix.length)}${suffix}`;
}

/** The pod's folder that a link leads into; `undefined`: it leads elsewhere. */
export function folderOfTarget(target: string, podLogsDir: string): string | undefined {
  if (!target.startsWith(`${podLogsDir}/`) || target.includes('..')) return undefined;
  const [folder] = target.slice(podLogsDir.length + 1).split('/');
  return folder === '' ? undefined : folder;
}

/** `0.log` and what rotation made of it: `0.log.20261121-030000`, also compressed. */
export function isLogOf(name: string, base: string): boolean {
  return name === base || name.startsWith(`${base}.`);
}
