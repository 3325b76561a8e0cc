/**
 * The place of a container's log, in two parts: the folder of all pods' logs, and the path below it, which a pod with its log
 * folder mounted may rename and link as it likes. Pure.
 */

/** NAMESPACE_NAME_UID/CONTAINER/N.log */
const PARTS_BELOW = 3;

export interface LogPlace {
  readonly root: string;
  /** Of `root`: to be opened with `openBelow` and `openFileBelow` alone. */
  readonly folder: string;
  readonly name: string;
}

/** @param path of the log, absolute, as the runtime reports it */
export function logPlace(path: string): LogPlace {
  const parts = path.split('/').filter((part) => part !== '');
  const below = parts.slice(-PARTS_BELOW);
  const name = below.pop() ?? '';
  return { root: `/${parts.slice(0, -PARTS_BELOW).join('/')}`, folder: below.join('/'), name };
}

/** Below the root: the log itself, or a file beside it. */
export function belowRoot({ folder, name }: LogPlace, beside = name): string {
  return folder === '' ? beside : `${folder}/${beside}`;
}
