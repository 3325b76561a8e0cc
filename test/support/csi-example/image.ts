/**
 * The image of the example driver, `docker.io/library/csi-example:1`: one bundled program on Node.js, and Debian's programs for
 * file systems and loop devices.
 *
 *   sh tools/with-node.sh test/support/csi-example/image.ts        prints the path of the archive
 */
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../e2e/harness.ts';
import { nodeImage } from '../../e2e/node-image.ts';
import { systemArchive } from '../../e2e/system-archive.ts';

const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const PACKAGES = ['mount', 'util-linux', 'e2fsprogs', 'xfsprogs', 'libext2fs2', 'libcom-err2', 'libblkid1', 'libuuid1'];
const LIBRARIES = ['libmount1', 'libselinux1', 'libpcre2-8-0', 'libsmartcols1', 'libinih1', 'liburcu8'];
const PROGRAMS = [
  'bin/mount',
  'bin/umount',
  'sbin/losetup',
  'sbin/blkid',
  'sbin/mke2fs',
  'sbin/e2fsck',
  'sbin/resize2fs',
  'sbin/mkfs.xfs',
  'usr/sbin/xfs_growfs',
];

/** @returns the path of the archive */
export async function exampleDriverArchive(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'main.ts')],
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    banner: { js: REQUIRE },
    write: false,
  });
  const texts = { 'app/main.mjs': outputFiles[0]?.text ?? '' };
  const image = nodeImage('docker.io/library/csi-example:1', texts);
  const whole = {
    ...image,
    packages: [...image.packages, ...PACKAGES, ...LIBRARIES],
    programs: [...image.programs, ...PROGRAMS],
    config: { ...image.config, entrypoint: ['node', '/app/main.mjs'], command: [] },
  };
  return systemArchive(whole, join(root, '.cache/e2e'));
}

if (import.meta.main) console.log(await exampleDriverArchive());
