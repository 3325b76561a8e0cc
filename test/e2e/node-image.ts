/** An image of the Node.js that runs the tests, for programs of their own. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianPackages } from '../../tools/debian.ts';
import type { SystemImage } from './system-archive.ts';

/** The package of the image that is no package of Debian: the program that runs this. */
const NODE_PACKAGE = 'mendlet-node';

/** The recipe of an image `name` with Node.js and our own files. @param texts path → text */
export function nodeImage(
  name: string,
  texts: Readonly<Record<string, string>>,
  command: readonly string[] = ['node'],
): SystemImage {
  withNode();
  return {
    name,
    packages: ['libc6', 'libgcc-s1', 'libstdc++6', NODE_PACKAGE],
    programs: ['usr/bin/node'],
    content: {},
    folders: { app: 0o755 },
    texts,
    config: { command, env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'] },
  };
}

/** Where packages of Debian are unpacked, another folder of the same form is taken as it is. */
function withNode(): void {
  const [base = ''] = Object.values(debianPackages('bookworm', ['libc6']));
  const folder = join(base, '..', NODE_PACKAGE);
  const made = join(folder, '.complete');
  if (existsSync(made) && readFileSync(made, 'utf8').trim() === process.version) return;
  mkdirSync(join(folder, 'usr/bin'), { recursive: true });
  copyFileSync(process.execPath, join(folder, 'usr/bin/node'));
  writeFileSync(made, `${process.version}\n`);
}
