/**
 * `stat` in a separate process. The thread pool of all other calls has few threads, and a call into a dead file server blocks
 * one of them for ever; a hanging process blocks nothing else.
 */
import { constants } from 'node:fs';
import { FileError, type FileInfo } from './file-system.ts';
import { systemProcess } from './process.node.ts';

/** A process that hangs for this long is killed, if it can be killed. */
const TIMEOUT_MS = 30_000;
/** Mode in hex, size, user, group, seconds of the last change; coreutils and busybox both support these. */
const FORMAT = '%f %s %u %g %Y';

const TYPES: Readonly<Record<number, FileInfo['type']>> = {
  [constants.S_IFREG]: 'file',
  [constants.S_IFDIR]: 'directory',
  [constants.S_IFLNK]: 'symlink',
  [constants.S_IFSOCK]: 'socket',
  [constants.S_IFBLK]: 'block',
  [constants.S_IFCHR]: 'char',
  [constants.S_IFIFO]: 'fifo',
};

/** Error codes that callers distinguish, by the messages of the C library. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/No such file or directory/, 'ENOENT'],
  [/Not a directory/, 'ENOTDIR'],
  [/Permission denied/, 'EACCES'],
  [/Too many levels of symbolic links/, 'ELOOP'],
];

export async function isolatedStat(path: string, follow: boolean): Promise<FileInfo | undefined> {
  const result = await systemProcess.run('stat', [...(follow ? ['-L'] : []), '-c', FORMAT, '--', path], {
    timeoutMs: TIMEOUT_MS,
    env: { LC_ALL: 'C' },
  });
  const [mode = '', size, uid, gid, seconds] = result.stdout.trim().split(' ');
  if (result.code === 0) {
    const bits = Number.parseInt(mode, 16);
    return {
      type: TYPES[bits & constants.S_IFMT] ?? 'fifo',
      size: Number(size),
      mode: bits & 0o7777,
      uid: Number(uid),
      gid: Number(gid),
      mtimeMs: Number(seconds) * 1000,
    };
  }
  const said = result.stderr.trim();
  const code = CODES.find(([words]) => words.test(said))?.[1] ?? 'EIO';
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw new FileError(code, path, `${path}: ${said || `stat ended with ${result.code}`}`);
}
