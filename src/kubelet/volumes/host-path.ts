/** hostPath: checks what is there, creates what may be created, never removes anything. */
import type { HostPathVolumeSource } from '../../api/index.ts';
import type { FileInfo, FileSystem } from '../../lib/index.ts';
import { VolumeError } from './payload.ts';

type Kind = 'directory' | 'file' | 'socket file' | 'character device' | 'block device';

const CHECKS: Readonly<Record<string, { readonly kind: Kind; readonly create: boolean }>> = {
  DirectoryOrCreate: { kind: 'directory', create: true },
  Directory: { kind: 'directory', create: false },
  FileOrCreate: { kind: 'file', create: true },
  File: { kind: 'file', create: false },
  Socket: { kind: 'socket file', create: false },
  CharDevice: { kind: 'character device', create: false },
  BlockDevice: { kind: 'block device', create: false },
};

/** Returns the path to mount. Throws `VolumeError` in upstream's words when the type does not fit. */
export async function setUpHostPath(fs: FileSystem, source: HostPathVolumeSource): Promise<string> {
  const { path, type = '' } = source;
  if (!path.startsWith('/')) throw new VolumeError(`hostPath must be absolute: ${path}`);
  if (path.split('/').includes('..')) throw new VolumeError(`hostPath must not contain '..': ${path}`);
  if (type === '') return path;
  const check = CHECKS[type];
  if (check === undefined) throw new VolumeError(`${type} is an invalid volume type`);
  // The host's path may lead to a dead file server.
  const info = await fs.stat(path, { follow: true, isolated: true });
  if (info === undefined && check.create) await create(fs, path, check.kind);
  else if (info === undefined || !isKind(info, check.kind)) {
    throw new VolumeError(`hostPath type check failed: ${path} is not a ${check.kind}`);
  }
  return path;
}

/** As upstream: folders 0755, files 0644, and a file's folder must exist. */
async function create(fs: FileSystem, path: string, kind: Kind): Promise<void> {
  if (kind === 'directory') await fs.mkdir(path, { mode: 0o755 });
  else await fs.writeFile(path, new Uint8Array(), { mode: 0o644 });
}

function isKind(info: FileInfo, kind: Kind): boolean {
  switch (kind) {
    case 'directory':
      return info.type === 'directory';
    case 'file':
      return info.type !== 'directory';
    case 'socket file':
      return info.type === 'socket';
    case 'character device':
      return info.type === 'char';
    case 'block device':
      return info.type === 'block';
  }
}
