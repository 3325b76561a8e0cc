/**
 * The volumes and snapshots of the example driver: `ID.json` says what one is; `ID` is its folder, or the image of its disk. All
 * processes of the driver, on all nodes, use the same folder, so that each record is replaced at once.
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { settings } from './settings.ts';

export interface Volume {
  readonly id: string;
  /** By which the provisioner asked for it. */
  readonly name: string;
  readonly kind: 'folder' | 'disk';
  readonly bytes: number;
  /** The only node that has it; undefined: all have. */
  readonly node?: string;
  /** The nodes to which it is attached. */
  readonly attachedTo: readonly string[];
  /** A snapshot's origin. */
  readonly source?: string;
  readonly createdAt: string;
}

type Kind = 'volumes' | 'snapshots';

export class Store {
  readonly #folder: string;

  constructor(kind: Kind) {
    this.#folder = join(settings.dataDir, kind);
    mkdirSync(this.#folder, { recursive: true });
  }

  /** Folder or image. */
  path(id: string): string {
    return join(this.#folder, safe(id));
  }

  find(id: string): Volume | undefined {
    const path = `${this.path(id)}.json`;
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Volume) : undefined;
  }

  /** @throws `NotFound` */
  get(id: string): Volume {
    const found = this.find(id);
    if (found === undefined) throw new ConnectError(`there is no ${id}`, Code.NotFound);
    return found;
  }

  list(): readonly Volume[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(this.#folder, name), 'utf8')) as Volume);
  }

  put(volume: Volume): void {
    const path = `${this.path(volume.id)}.json`;
    const part = `${path}.${process.pid}.part`;
    writeFileSync(part, JSON.stringify(volume));
    renameSync(part, path);
  }

  /** Makes it, with the content of `from` if there is one. The record comes last: without one it is not there. */
  make(volume: Volume, from?: string): void {
    const path = this.path(volume.id);
    rmSync(path, { recursive: true, force: true });
    if (from !== undefined && volume.kind === 'folder') cpSync(from, path, { recursive: true, verbatimSymlinks: true });
    else if (from !== undefined) copyFileSync(from, path);
    else if (volume.kind === 'folder') mkdirSync(path, { recursive: true });
    else writeFileSync(path, '');
    if (volume.kind === 'disk') truncateSync(path, volume.bytes);
    this.put(volume);
  }

  /** The record goes first. Idempotent. */
  remove(id: string): void {
    rmSync(`${this.path(id)}.json`, { force: true });
    rmSync(this.path(id), { recursive: true, force: true });
  }
}

/** @throws `InvalidArgument` for an id that would be a path */
function safe(id: string): string {
  if (/^[\w.-]{1,128}$/.test(id) && !id.startsWith('.')) return id;
  throw new ConnectError(`${JSON.stringify(id)} is no id of a volume or snapshot`, Code.InvalidArgument);
}
