/** Installs the Debian packages that tests and tools need, beyond those that `mendlet up` installs by itself. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type AptContext, aptInstall } from '../src/main/set-up/apt.node.ts';

/**
 * Installs the packages of what is not there.
 *
 * @param needs a program's name, or the path of a file → the package that has it
 * @throws UserError when apt-get cannot
 */
export async function installMissing(needs: Readonly<Record<string, string>>, context: AptContext): Promise<void> {
  const missing = Object.entries(needs)
    .filter(([what]) => !isThere(what))
    .map(([, name]) => name);
  if (missing.length > 0) await aptInstall([...new Set(missing)], context);
}

function isThere(what: string): boolean {
  return what.startsWith('/') ? existsSync(what) : spawnSync('sh', ['-c', `command -v ${what}`]).status === 0;
}
