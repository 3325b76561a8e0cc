/** The paths of a pod's files. A UID is checked before it becomes part of a path. Pure. */
import type { Pod } from '../../api/index.ts';
import { assert } from '../../lib/index.ts';

const SAFE_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** A name that cannot lead out of its folder. */
export function isSafeName(name: string): boolean {
  return name.length <= 253 && SAFE_NAME.test(name) && !name.includes('..');
}

export function podDir(rootDir: string, uid: string): string {
  assert(isSafeName(uid), 'a pod UID was not validated before it became a path');
  return `${rootDir}/pods/${uid}`;
}

/** The file that a container writes its termination message to. */
export function terminationMessagePath(rootDir: string, uid: string, container: string, attempt: number): string {
  assert(isSafeName(container), 'a container name was not validated before it became a path');
  return `${podDir(rootDir, uid)}/containers/${container}/${attempt}`;
}

/** Upstream's layout: NAMESPACE_NAME_UID. */
export function podLogDir(podLogsDir: string, pod: Pod): string {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  assert([name, namespace, uid].every(isSafeName), 'a pod was not validated before its names became a path');
  return `${podLogsDir}/${namespace}_${name}_${uid}`;
}

/** Relative to the pod's log folder. */
export function containerLogPath(container: string, attempt: number): string {
  return `${container}/${attempt}.log`;
}
