/** The state of mount points, by /proc/self/mountinfo. Pure. */
import { unescapeMount } from '../mount-table.ts';

export interface MountState {
  /** The mount, or the file system that is mounted, is read-only. */
  readonly readOnly: boolean;
  /** Of the file system: "ext4", "fuse.sshfs". */
  readonly type: string;
}

/** Of each path at which something is mounted; the newest mount at a point counts. */
export function mountStates(mountinfo: string, paths: ReadonlySet<string>): ReadonlyMap<string, MountState> {
  const found = new Map<string, MountState>();
  for (const line of mountinfo.split('\n')) {
    const fields = line.split(' ');
    const point = unescapeMount(fields[4] ?? '');
    if (!paths.has(point)) continue;
    const separator = fields.indexOf('-', 6);
    const options = [fields[5] ?? '', separator < 0 ? '' : (fields[separator + 3] ?? '')];
    found.set(point, {
      readOnly: options.some((each) => each.split(',').includes('ro')),
      type: separator < 0 ? '' : (fields[separator + 1] ?? ''),
    });
  }
  return found;
}

/** Whose files a process or another machine serves, so that it can end while it stays mounted. */
export function isServed(type: string): boolean {
  return SERVED.some((each) => type === each || type.startsWith(`${each}.`));
}

const SERVED = [
  'fuse',
  'fuseblk',
  'nfs',
  'nfs4',
  'cifs',
  'smb3',
  'ceph',
  '9p',
  'virtiofs',
  'lustre',
  'beegfs',
  'glusterfs',
];
