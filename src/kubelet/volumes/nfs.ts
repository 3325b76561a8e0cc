/** NFS: mounted by the machine's own mount.nfs, where it has one. */
import type { NFSVolumeSource } from '../../api/index.ts';
import { isIpAddress } from '../../api/index.ts';
import type { FileSystem } from '../../lib/index.ts';
import type { Mounter } from './mounter.ts';
import { VolumeError } from './payload.ts';

/** Where mount(8) looks for its helpers. */
const HELPERS = ['/sbin/mount.nfs', '/usr/sbin/mount.nfs', '/sbin/fs.d/mount.nfs', '/sbin/fs/mount.nfs'];

export interface NfsWish {
  readonly source: NFSVolumeSource;
  /** Of the PersistentVolume. */
  readonly mountOptions?: readonly string[] | undefined;
  readonly dir: string;
}

/** Idempotent. Rejects with `VolumeError` where the machine cannot mount NFS, and with the words of mount.nfs. */
export async function setUpNfs(
  { fs, mounter }: { readonly fs: FileSystem; readonly mounter: Mounter },
  { source, mountOptions = [], dir }: NfsWish,
): Promise<void> {
  if (!(await hasHelper(fs))) {
    throw new VolumeError(
      'this node cannot mount NFS volumes: it has no mount.nfs (Debian, Ubuntu: package nfs-common; Fedora, SUSE: nfs-utils, nfs-client)',
    );
  }
  if (await mounter.isMounted(dir)) return;
  await fs.mkdir(dir);
  await mounter.mount(dir, { type: 'nfs', source: nfsSource(source), options: nfsOptions(source, mountOptions) });
}

async function hasHelper(fs: FileSystem): Promise<boolean> {
  for (const path of HELPERS) if ((await fs.stat(path, { follow: true })) !== undefined) return true;
  return false;
}

/** "server:/path"; an IPv6 address in brackets, as upstream's. Pure. */
export function nfsSource({ server, path }: Pick<NFSVolumeSource, 'server' | 'path'>): string {
  const host = server.includes(':') && isIpAddress(server) ? `[${server}]` : server;
  return `${host}:${path}`;
}

/** Upstream's: "ro" beside what the PersistentVolume asks for, each once. Pure. */
export function nfsOptions({ readOnly }: Pick<NFSVolumeSource, 'readOnly'>, wanted: readonly string[]): string[] {
  return [...new Set([...(readOnly === true ? ['ro'] : []), ...wanted])].sort();
}
