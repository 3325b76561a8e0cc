/** A simulated disk: a tree in memory that survives its agent, can be full, and loses unsynced writes in a power failure. */
import { FileError, type FileInfo } from '../lib/index.ts';
import type { Sim } from './sim.ts';

/** Age from which the kernel has written a change back by itself, ms. */
const WRITE_BACK_MS = 30_000;

export interface DiskNode {
  readonly type: 'file' | 'directory' | 'symlink' | 'socket';
  readonly data: Uint8Array;
  readonly target: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeMs: number;
}

const NO_DATA = new Uint8Array();

export class SimDisk {
  readonly #sim: Sim;
  readonly #capacityBytes: number;
  #nodes = new Map<string, DiskNode>();
  /**
   * Each path that was changed without fsync, with the state that a power failure restores until the kernel has written the
   * change.
   */
  readonly #unsynced = new Map<string, { readonly before: DiskNode | undefined; readonly changedAt: number }>();
  readonly #watchers = new Set<(path: string) => void>();
  #full = false;
  #wasFull = false;

  constructor(sim: Sim, capacityBytes: number) {
    this.#sim = sim;
    this.#capacityBytes = capacityBytes;
    this.#nodes.set('/', this.#newNode('directory', 0o755));
  }

  /** Makes the disk full, so that every write fails with ENOSPC, or ends that. */
  setFull(full: boolean): void {
    this.#full = full;
    this.#wasFull ||= full;
  }

  /** Whether the disk was full at any time. */
  get wasFull(): boolean {
    return this.#wasFull;
  }

  get full(): boolean {
    return this.#full;
  }

  get freeBytes(): number {
    if (this.#full) return 0;
    let used = 0;
    for (const node of this.#nodes.values()) used += node.data.length;
    return Math.max(0, this.#capacityBytes - used);
  }

  get capacityBytes(): number {
    return this.#capacityBytes;
  }

  get(path: string): DiskNode | undefined {
    return this.#nodes.get(path);
  }

  /** The node at the end of all symlinks, with its path. */
  resolve(path: string, depth = 0): { readonly path: string; readonly node: DiskNode } | undefined {
    if (depth > 16) throw new FileError('ELOOP', path, `ELOOP: too many symbolic links, '${path}'`);
    const node = this.#nodes.get(path);
    if (node !== undefined && node.type !== 'symlink') return { path, node };
    if (node !== undefined) return this.resolve(join(parentOf(path), node.target), depth + 1);
    if (path === '/') return undefined;
    const parent = this.resolve(parentOf(path), depth + 1);
    if (parent === undefined || parent.path === parentOf(path)) return undefined;
    return this.resolve(join(parent.path, baseOf(path)), depth + 1);
  }

  writeFile(path: string, data: Uint8Array, mode: number | undefined, sync: boolean): void {
    this.#needSpace(path, data.length);
    const target = this.resolve(path);
    if (target?.node.type === 'directory') throw new FileError('EISDIR', path, `EISDIR: is a directory, '${path}'`);
    const at = target?.path ?? this.#placeFor(path);
    const old = target?.node;
    this.#set(
      at,
      {
        ...(old ?? this.#newNode('file', mode ?? 0o644)),
        data,
        mtimeMs: this.#sim.mono,
        ...(mode === undefined ? {} : { mode }),
      },
      sync,
    );
  }

  mkdir(path: string, mode: number): void {
    const target = this.resolve(path);
    if (target !== undefined) {
      if (target.node.type === 'directory') return;
      throw new FileError('EEXIST', path, `EEXIST: file already exists, '${path}'`);
    }
    this.#needSpace(path, 0);
    this.mkdir(parentOf(path), 0o755);
    this.#set(this.#placeFor(path), this.#newNode('directory', mode), true);
  }

  symlink(target: string, path: string): void {
    this.#needSpace(path, 0);
    if (this.#nodes.has(path)) throw new FileError('EEXIST', path, `EEXIST: file already exists, '${path}'`);
    this.#set(this.#placeFor(path), { ...this.#newNode('symlink', 0o777), target }, false);
  }

  mksocket(path: string): void {
    this.#set(this.#placeFor(path), this.#newNode('socket', 0o600), false);
  }

  exists(path: string): boolean {
    return this.resolve(path) !== undefined;
  }

  /** Names in a folder; none if the folder does not exist. */
  list(path: string): readonly string[] {
    return this.exists(path) ? this.names(path) : [];
  }

  names(path: string): readonly string[] {
    const target = this.#need(path);
    if (target.node.type !== 'directory') throw new FileError('ENOTDIR', path, `ENOTDIR: not a directory, '${path}'`);
    const prefix = target.path === '/' ? '/' : `${target.path}/`;
    const names = new Set<string>();
    for (const key of this.#nodes.keys()) {
      if (key !== '/' && key.startsWith(prefix) && !key.slice(prefix.length).includes('/'))
        names.add(key.slice(prefix.length));
    }
    return [...names].toSorted();
  }

  /** @param sync it stays removed over a power failure */
  remove(path: string, sync = false): void {
    for (const key of this.#under(path)) this.#drop(key);
    if (!sync) return;
    // Nothing below a folder that is gone comes back.
    for (const key of this.#unsynced.keys()) if (key === path || key.startsWith(`${path}/`)) this.#unsynced.delete(key);
  }

  /** @param sync the new name survives a power failure, with what would have survived under the old one */
  rename(from: string, to: string, sync = false): void {
    if (!this.#nodes.has(from)) throw new FileError('ENOENT', from, `ENOENT: no such file or directory, '${from}'`);
    const place = this.#placeFor(to);
    this.remove(place);
    for (const key of this.#under(from)) {
      const node = this.#nodes.get(key) as DiskNode;
      const pending = this.#unsynced.get(key);
      this.#drop(key);
      const target = place + key.slice(from.length);
      this.#set(target, node, sync);
      if (!sync) continue;
      this.#unsynced.delete(key);
      if (pending !== undefined && !this.#isWrittenBack(pending.changedAt)) this.#unsynced.set(target, pending);
    }
  }

  change(path: string, change: Partial<Pick<DiskNode, 'mode' | 'uid' | 'gid'>>): void {
    const { path: at, node } = this.#need(path);
    this.#set(at, { ...node, ...change }, false);
  }

  /** Applies a power failure: changes that were neither synced nor written back are undone. */
  losePower(): void {
    for (const [path, { before, changedAt }] of this.#unsynced) {
      if (this.#isWrittenBack(changedAt)) continue;
      if (before === undefined) this.#nodes.delete(path);
      else this.#nodes.set(path, before);
    }
    this.#unsynced.clear();
  }

  onChange(listener: (path: string) => void): () => void {
    this.#watchers.add(listener);
    return () => void this.#watchers.delete(listener);
  }

  info(node: DiskNode): FileInfo {
    const { type, mode, uid, gid, mtimeMs } = node;
    return { type, size: node.data.length, mode, uid, gid, mtimeMs };
  }

  #need(path: string): { readonly path: string; readonly node: DiskNode } {
    const found = this.resolve(path);
    if (found === undefined) throw new FileError('ENOENT', path, `ENOENT: no such file or directory, '${path}'`);
    return found;
  }

  #needSpace(path: string, bytes: number): void {
    if (this.#full || bytes > this.freeBytes)
      throw new FileError('ENOSPC', path, `ENOSPC: no space left on device, '${path}'`);
  }

  #placeFor(path: string): string {
    const parent = this.#need(parentOf(path));
    return parent.path === '/' ? `/${baseOf(path)}` : `${parent.path}/${baseOf(path)}`;
  }

  #under(path: string): readonly string[] {
    return [...this.#nodes.keys()].filter((key) => key === path || key.startsWith(`${path}/`));
  }

  #newNode(type: DiskNode['type'], mode: number): DiskNode {
    return {
      type,
      data: NO_DATA,
      target: '',
      mode,
      uid: 0,
      gid: 0,
      mtimeMs: this.#sim.mono,
    };
  }

  #set(path: string, node: DiskNode, sync: boolean): void {
    if (sync) this.#unsynced.delete(path);
    else this.#remember(path);
    this.#nodes.set(path, node);
    this.#tell(path);
  }

  #drop(path: string): void {
    this.#remember(path);
    this.#nodes.delete(path);
    this.#tell(path);
  }

  #remember(path: string): void {
    const known = this.#unsynced.get(path);
    const pending = known !== undefined && !this.#isWrittenBack(known.changedAt);
    const before = pending ? known.before : this.#nodes.get(path);
    this.#unsynced.set(path, { before, changedAt: this.#sim.mono });
  }

  #isWrittenBack(changedAt: number): boolean {
    return changedAt < this.#sim.mono - WRITE_BACK_MS;
  }

  #tell(path: string): void {
    for (const watcher of this.#watchers) watcher(path);
  }
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `target` seen from the folder `base`. */
function join(base: string, target: string): string {
  const parts: string[] = target.startsWith('/') ? [] : base.split('/').filter((part) => part !== '');
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}
