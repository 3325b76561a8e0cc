/** Set-up before the suites of clients: the bundle as users run it, and both kubectls. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { debianPackages } from '../../tools/debian.ts';

export default function setUp(): void {
  const root = resolve(import.meta.dirname, '../..');
  const { status, stdout, stderr } = spawnSync('./mendlet', ['version'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`./mendlet version: exit ${status}\n${stdout}${stderr}`);
  debianPackages('sid', ['kubectl']);
  debianPackages('bookworm', ['kubernetes-client']);
}
