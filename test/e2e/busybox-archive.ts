/** Writes an image of Debian's static busybox as a tar with mendlet's image writer, so that the tests need no registry. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { busyboxImage, ociArchitecture } from '../../src/cri/containerd/built-images.ts';
import { ociArchive } from '../../src/cri/containerd/oci-image.ts';

/** @param busybox path of a static busybox */
export function writeBusyboxArchive(path: string, busybox: string, name = 'docker.io/library/busybox:latest'): void {
  const applets = spawnSync(busybox, ['--list'], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
  const image = busyboxImage(name, ociArchitecture(process.arch), readFileSync(busybox), applets);
  writeFileSync(
    path,
    ociArchive(image, (data) => createHash('sha256').update(data).digest('hex')),
  );
}
