/** What lies on the disks of a lab's nodes, read past mendlet: the folders of volumes, what writers wrote, mounts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LabNode } from '../support/lab.ts';
import { readLog, type WrittenLog } from '../../tools/writers/fsync-writer.ts';

export interface FoundFolder {
  readonly node: string;
  /** Of the volume, or of a step that was not finished. */
  readonly name: string;
  readonly log: WrittenLog;
}

/** Files of mendlet's own in the folder of the volumes. */
const OWN = ['.lock', '.mendlet-volumes', '.trial'];

export function foldersOn({ name: node, dataDir }: LabNode): readonly FoundFolder[] {
  const dir = join(dataDir, 'volumes');
  return names(dir)
    .filter((name) => !OWN.includes(name))
    .map((name) => ({ node, name, log: readLog(textOf(join(dir, name, 'data/log'))) }));
}

/** Mounts of pods and volumes, and folders of pods. */
export function restOfPods({ name, dataDir }: LabNode): readonly string[] {
  const places = [join(dataDir, 'agent'), join(dataDir, 'volumes')];
  const mounts = textOf('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => places.some((place) => point.startsWith(`${place}/`)));
  return [...mounts, ...names(join(dataDir, 'agent/pods'))].map((what) => `${name}: ${what}`);
}

function names(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
