/** The place of a data folder's store, whether there was one, and the remedy when it cannot be opened. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes } from '../cli/index.ts';
import type { StoreOpenError } from '../store/index.ts';
import type { DataPaths } from './data-dir-path.ts';
import { UserError } from './user-error.ts';

export function storeFile(paths: DataPaths): string {
  return join(paths.store, 'store.db');
}

/** There are keys, a kubeconfig or a record of a start, which are all made after a store: then there was one. */
export function hadStore(paths: DataPaths): boolean {
  return [paths.pki, paths.kubeconfig, paths.record].some((path) => existsSync(path));
}

/** The message for the user, with the remedy. */
export function refusedStore(error: StoreOpenError, paths: DataPaths): UserError {
  const { code, message } = error;
  const exitCode = code === 'in-use' ? exitCodes.inUse : exitCodes.failed;
  return new UserError(`${message}${helpFor(code, paths)}`, { cause: error, exitCode });
}

function helpFor(code: StoreOpenError['code'], { dir }: DataPaths): string {
  const folder = `--data-dir ${dir}`;
  const restore = `"mendlet store restore FILE ${folder}" puts a copy in its place`;
  switch (code) {
    case 'missing':
      return `; pods that run are left alone. Put it back, or ${restore}; "mendlet store begin-anew --discard-all-objects ${folder}" begins an empty cluster, and then every pod of the old one ends`;
    case 'lost':
    case 'corrupt':
      return `; pods that run are left alone. "mendlet store check ${folder}" says more, ${restore}, and "mendlet store repair --accept-loss ${folder}" goes on with what can be read`;
    case 'foreign':
      return `; pods that run are left alone. Put the right one back, or ${restore}`;
    case 'in-use':
    case 'newer':
    case 'failed':
      return '';
  }
}
