/**
 * Invariants of volumes that are folders of nodes. Containers write to them durably, and what they wrote is there for ever after,
 * also after a power failure. A volume of ReadWriteOncePod has one pod at a time. No folder goes while a container has it, while
 * its volume is not being deleted, or when its volume was last seen with Retain. A volume that is deleted leaves no folder.
 */
import { isDeleting, type PersistentVolume } from '../../api/index.ts';
import { decodeText, encodeText, FileError } from '../../lib/index.ts';
import type { SimCluster } from '../sim-cluster.ts';
import { type SimNode, VOLUMES_DIR } from '../sim-node.ts';
import { InvariantViolation } from './violation.ts';

/** A container writes at its start, and again after this time, ms. */
const WRITES_EVERY_MS = 4000;
const RECORD = 'r';

/** A container that has a volume. */
interface Holder {
  readonly uid: string;
  /** Id of its sandbox. */
  readonly sandbox: string;
  readonly node: SimNode;
  /** Names of volumes. */
  readonly volumes: readonly string[];
  isRunning: boolean;
}

export class VolumesKept {
  readonly #cluster: SimCluster;
  /** By container id. */
  readonly #holders = new Map<string, Holder>();
  /** Volume → number of records that are durable. */
  readonly #written = new Map<string, number>();
  /** Names of volumes that had Retain when they were last seen. */
  readonly #retained = new Set<string>();

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    const { facts, nodes, sim, volumes } = cluster;
    facts.on({
      created: ({ id, uid, sandbox, mounts }) => {
        const names = mounts.flatMap(({ hostPath }) => volumeOf(hostPath) ?? []);
        const node = nodes.find(({ runtime }) => runtime.uids().has(uid));
        if (names.length > 0 && node !== undefined)
          this.#holders.set(id, { uid, sandbox, node, volumes: names, isRunning: false });
      },
      started: ({ id }) => this.#begins(id),
      exited: ({ id }) => void this.#holders.delete(id),
      // One that never began has no end of its own: it cannot begin any more.
      'sandbox-stopped': ({ id }) => this.#endsAll((holder) => holder.sandbox === id && !holder.isRunning),
      'sandbox-removed': ({ uid }) => this.#endsAll((holder) => holder.uid === uid),
      'machine-lost': ({ node }) => this.#endsAll((holder) => holder.node.name === node),
    });
    for (const node of nodes) {
      node.disk.onChange((path) => {
        const name = path.startsWith(`${VOLUMES_DIR}/`) ? path.slice(VOLUMES_DIR.length + 1) : '/';
        if (name.includes('/') || name.startsWith('.') || node.disk.get(path) !== undefined) return;
        // An exception would reach the program that removed the folder.
        const problem = this.#whyStay(node, name);
        if (problem !== undefined) sim.fail(problem);
      });
    }
    volumes.onChange((name, volume) => this.#onVolume(name, volume));
  }

  /** How many records are durable, of all volumes. */
  get records(): number {
    return [...this.#written.values()].reduce((sum, count) => sum + count, 0);
  }

  /** A folder that nobody needs any more; undefined: there is none. */
  leftOver(): string | undefined {
    for (const { name: node, disk } of this.#cluster.nodes) {
      const names = disk.list(VOLUMES_DIR).filter((name) => !name.startsWith('.') || name.includes('~'));
      const left = names.find((name) => !this.#cluster.volumes.objects.has(name) && !this.#retained.has(name));
      if (left !== undefined) return `the folder of ${left} is still on ${node}`;
    }
    return undefined;
  }

  #endsAll(which: (holder: Holder) => boolean): void {
    for (const [id, holder] of this.#holders) if (which(holder)) this.#holders.delete(id);
  }

  #begins(id: string): void {
    const holder = this.#holders.get(id);
    if (holder === undefined) return;
    holder.isRunning = true;
    for (const name of holder.volumes) {
      if (!this.#isExclusive(name)) continue;
      const other = [...this.#holders.values()].find(
        (each) => each.isRunning && each.uid !== holder.uid && each.volumes.includes(name),
      );
      if (other !== undefined)
        throw new InvariantViolation('one pod', `${holder.uid} starts with ${name} beside ${other.uid}`);
    }
    this.#write(id);
  }

  /** Everything that was written is there, and a record more from now on. */
  #write(id: string): void {
    const holder = this.#holders.get(id);
    if (holder === undefined) return;
    for (const name of holder.volumes) {
      const count = this.#read(holder.node, name).length;
      const written = this.#written.get(name) ?? 0;
      if (count < written) throw new InvariantViolation('lost', `${count} of ${written} records are in ${name}`);
      if (this.#append(holder.node, name, count + 1)) this.#written.set(name, count + 1);
    }
    this.#cluster.sim.after(WRITES_EVERY_MS, 'a container writes', () => {
      try {
        this.#write(id);
      } catch (error) {
        this.#cluster.sim.fail(error);
      }
    });
  }

  #read({ disk }: SimNode, name: string): string {
    const log = disk.get(`${folderOf(name)}/log`);
    return log === undefined ? '' : decodeText(log.data);
  }

  /** @returns false: the disk is full */
  #append({ disk }: SimNode, name: string, count: number): boolean {
    try {
      disk.writeFile(`${folderOf(name)}/log`, encodeText(RECORD.repeat(count)), 0o644, true);
      return true;
    } catch (error) {
      if (error instanceof FileError && error.code === 'ENOSPC') return false;
      throw new InvariantViolation(
        'folder in use',
        `${name} is not there for a container that has it: ${String(error)}`,
      );
    }
  }

  #isExclusive(name: string): boolean {
    const modes = this.#cluster.volumes.objects.get(name)?.spec?.accessModes ?? [];
    return modes.length === 1 && modes[0] === 'ReadWriteOncePod';
  }

  #whyStay(node: SimNode, name: string): InvariantViolation | undefined {
    for (const [id, holder] of this.#holders) {
      if (holder.node === node && holder.volumes.includes(name))
        return new InvariantViolation('folder in use', `${name} went while container ${id} of ${holder.uid} had it`);
    }
    if (this.#retained.has(name)) return new InvariantViolation('Retain', `the folder of ${name} went`);
    const volume = this.#cluster.volumes.objects.get(name);
    // A left-over on another node has the name of a volume that is elsewhere.
    if (volume === undefined || hostOf(volume) !== node.name || isDeleting(volume)) return undefined;
    return new InvariantViolation('folder gone', `that of ${name}, which is not being deleted, went from ${node.name}`);
  }

  #onVolume(name: string, volume: PersistentVolume | undefined): void {
    if (volume?.spec?.persistentVolumeReclaimPolicy === 'Retain') this.#retained.add(name);
    if (volume?.spec?.persistentVolumeReclaimPolicy === 'Delete') this.#retained.delete(name);
    if (volume !== undefined || this.#retained.has(name) || !this.#written.has(name)) return;
    const node = this.#cluster.nodes.find(({ disk }) => disk.exists(`${VOLUMES_DIR}/${name}`));
    if (node !== undefined) throw new InvariantViolation('leak', `${name} is gone, its folder is on ${node.name}`);
  }
}

function folderOf(name: string): string {
  return `${VOLUMES_DIR}/${name}/data`;
}

/** The volume whose folder it is; undefined: it is something else. */
function volumeOf(hostPath: string): string | undefined {
  const [name = '', data, ...rest] = hostPath.slice(VOLUMES_DIR.length + 1).split('/');
  const isFolder = hostPath.startsWith(`${VOLUMES_DIR}/`) && data === 'data' && rest.length === 0;
  return isFolder ? name : undefined;
}

function hostOf({ spec }: PersistentVolume): string | undefined {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchExpressions = [] }) => matchExpressions.flatMap(({ values = [] }) => values))[0];
}
