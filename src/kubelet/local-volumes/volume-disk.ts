/**
 * The files on the disk of the volumes, one call at a time. That disk may hang, and each call that hangs keeps one of the process'
 * few threads for files (Node has four for all disks), so that the agent could write no note any more. Removals, which may take
 * minutes, have a turn of their own.
 */
import { type FileSystem, Semaphore } from '../../lib/index.ts';

export type VolumeDisk = Pick<
  FileSystem,
  'readFile' | 'writeFile' | 'mkdir' | 'readdir' | 'stat' | 'remove' | 'rename' | 'chmod' | 'statfs'
>;

export function diskInTurn(fs: FileSystem): VolumeDisk {
  const turn = new Semaphore(1);
  const removals = new Semaphore(1);
  return {
    readFile: (...args) => turn.run(() => fs.readFile(...args)),
    writeFile: (...args) => turn.run(() => fs.writeFile(...args)),
    mkdir: (...args) => turn.run(() => fs.mkdir(...args)),
    readdir: (...args) => turn.run(() => fs.readdir(...args)),
    stat: (...args) => turn.run(() => fs.stat(...args)),
    rename: (...args) => turn.run(() => fs.rename(...args)),
    chmod: (...args) => turn.run(() => fs.chmod(...args)),
    statfs: (...args) => turn.run(() => fs.statfs(...args)),
    remove: (...args) => removals.run(() => fs.remove(...args)),
  };
}
