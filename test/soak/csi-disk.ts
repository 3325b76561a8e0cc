/** What volumes of the example driver are on the machine, read past mendlet: images, loop devices, mounts, notes, folders. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readLog, type WrittenLog } from '../../tools/writers/fsync-writer.ts';
import type { Lab, LabNode } from '../support/lab.ts';

/** Where the driver keeps its volumes, of all nodes. */
const dataDirOf = (lab: Lab): string => join(lab.folder, 'csi-data');
const kubeletDirOf = ({ dataDir }: LabNode): string => join(dataDir, 'kubelet');

/** Handle → nodes to which the storage attached it. */
export function attachedNodes(lab: Lab): ReadonlyMap<string, readonly string[]> {
  const folder = join(dataDirOf(lab), 'volumes');
  const found = new Map<string, readonly string[]>();
  for (const name of names(folder).filter((each) => each.endsWith('.json'))) {
    const text = textOf(join(folder, name));
    // It may have been removed just now.
    if (text !== '')
      found.set(name.slice(0, -5), (JSON.parse(text) as { readonly attachedTo: readonly string[] }).attachedTo);
  }
  return found;
}

/** Handle → nodes on which it is staged, by the kernel's mounts. */
export function stagedNodes(lab: Lab): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const points = mountPoints().filter((point) => point.endsWith('/globalmount'));
  for (const node of lab.nodes) {
    for (const point of points.filter((each) => each.startsWith(`${kubeletDirOf(node)}/`))) {
      const text = textOf(join(dirname(point), 'vol_data.json'));
      if (text === '') continue;
      const { volumeHandle } = JSON.parse(text) as { readonly volumeHandle: string };
      found.set(volumeHandle, (found.get(volumeHandle) ?? new Set()).add(node.name));
    }
  }
  return found;
}

/**
 * Mounts, notes, folders and loop devices of volumes, in all the lab.
 * @param handles of all volumes that there ever were
 */
export function restOfVolumes(lab: Lab, handles: Iterable<string>): readonly string[] {
  const mounts = mountPoints().filter(
    (point) => point.startsWith(`${lab.folder}/`) && /globalmount$|kubernetes\.io~csi/.test(point),
  );
  const devices = spawnSync('losetup', ['--list', '--noheadings', '--output', 'NAME,BACK-FILE'], { encoding: 'utf8' });
  const images = new Set(handles);
  const loops = devices.stdout.split('\n').filter((line) => [...images].some((image) => line.includes(`/${image}`)));
  const files = lab.nodes.flatMap((node) => {
    const plugin = join(kubeletDirOf(node), 'plugins/kubernetes.io/csi');
    const staging = names(plugin).flatMap((driver) => names(join(plugin, driver)).map((name) => join(driver, name)));
    const notes = names(join(node.dataDir, 'agent/csi'));
    return [...staging, ...notes, ...names(join(kubeletDirOf(node), 'pods'))].map((what) => `${node.name}: ${what}`);
  });
  const attached = [...attachedNodes(lab)].flatMap(([handle, nodes]) => nodes.map((node) => `${handle} at ${node}`));
  return [...mounts, ...loops, ...files, ...attached];
}

/** What a writer wrote to a disk that nobody has mounted. */
export function logOn(lab: Lab, handle: string): WrittenLog {
  const image = join(dataDirOf(lab), 'volumes', handle);
  const { status, stdout, stderr } = spawnSync('debugfs', ['-R', 'cat /log', image], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  if (status !== 0 || stdout === '') throw new Error(`debugfs cannot read the log of ${handle}: ${stderr}`);
  return readLog(stdout);
}

function mountPoints(): readonly string[] {
  return textOf('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
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
