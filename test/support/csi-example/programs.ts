/** Programs of the system, and what is mounted. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Code, ConnectError } from '@connectrpc/connect';

/** @returns what it printed. @throws `Internal` with its words unless it exits 0 */
export function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  throw new ConnectError(`${program} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`, Code.Internal);
}

export function isMounted(path: string): boolean {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[4] === path);
}

/** The loop device of an image, if it has one. */
export function deviceOf(image: string): string | undefined {
  const found = run('losetup', '--associated', image).split(':')[0] ?? '';
  return found === '' ? undefined : found;
}

/** The loop device of an image, which gets one if it has none. */
export function attachDevice(image: string): string {
  return deviceOf(image) ?? run('losetup', '--show', '--find', image);
}
