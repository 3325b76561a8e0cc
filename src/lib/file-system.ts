/**
 * Files as a port. Errors are `FileError`s with the system's code (ENOENT, EEXIST, ENOSPC …). Paths are absolute.
 */
export interface FileInfo {
  readonly type: 'file' | 'directory' | 'symlink' | 'socket' | 'block' | 'char' | 'fifo';
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeMs: number;
}

export interface WriteOptions {
  readonly mode?: number;
  /** Writes to a temporary sibling and renames it, so that a reader sees either the old or the new content. */
  readonly atomic?: boolean;
  /** Syncs file and folder, so that the content survives a power loss; without it, only a crash of the process. */
  readonly sync?: boolean;
}

export interface OpenBelowOptions {
  /** Mode of missing folders on the way, which are made; absent: none is made, and a missing one is ENOENT. */
  readonly folderMode?: number;
}

/** An object that is held open: `path` leads to it even if it is renamed meanwhile. */
export interface OpenedBelow {
  /** Valid for other programs of this machine, too, until the object is closed. It must not be resolved to another path. */
  readonly path: string;
  readonly type: FileInfo['type'];
  close(): Promise<void>;
}

/** A regular file that is held open for reading, even if its name is renamed, linked or replaced meanwhile. */
export interface OpenFile {
  /** For watches, and for other programs of this machine, until the file is closed. */
  readonly path: string;
  readonly mtimeMs: number;
  /** The present size in bytes. */
  size(): Promise<number>;
  /** Reads up to `length` bytes at `offset`; shorter at the end of the file. */
  readAt(offset: number, length: number): Promise<Uint8Array>;
  /** Whether the name by which it was opened still leads to it. */
  isInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

export interface FileSystem {
  readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>;
  /** Reads up to `length` bytes at `offset`; shorter at the end of the file. */
  readAt(path: string, offset: number, length: number): Promise<Uint8Array>;
  writeFile(path: string, data: Uint8Array | string, options?: WriteOptions): Promise<void>;
  /** Makes a directory with its parents; an existing one is not an error. */
  mkdir(path: string, options?: { readonly mode?: number }): Promise<void>;
  readdir(path: string): Promise<readonly string[]>;
  /**
   * `undefined` when the path does not exist. A final symlink is not followed unless `follow`. `isolated`: the path may lie on a
   * file system that hangs; then this call hangs, too, but delays no other call.
   */
  stat(
    path: string,
    options?: { readonly follow?: boolean; readonly isolated?: boolean },
  ): Promise<FileInfo | undefined>;
  /**
   * Removes recursively. A missing path is not an error; another file system (a mount left inside) is never entered. `sync`: it
   * stays removed after a power loss once it resolves.
   */
  remove(path: string, options?: { readonly sync?: boolean }): Promise<void>;
  /** `sync`: it survives a power loss once it resolves. */
  rename(from: string, to: string, options?: { readonly sync?: boolean }): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  /**
   * Opens the object at `path` (relative, plain names) below `folder`, where a hostile program may be writing at the same
   * time: no
   * link below `folder` is ever followed (ELOOP).
   */
  openBelow(folder: string, path: string, options: OpenBelowOptions): Promise<OpenedBelow>;
  /**
   * Opens the regular file at `path` (relative, plain names) below `folder` for reading, where a hostile program may be
   * writing at
   * the same time; `undefined`: there is no such file. A `FileError` refuses everything else: a link on the way or at the end
   * (ELOOP), a folder, pipe, socket or device (EINVAL, never opened), a file with other names (EMLINK), which may belong to
   * another
   * user. The call never waits for the other end of a pipe.
   */
  openFileBelow(folder: string, path: string): Promise<OpenFile | undefined>;
  chmod(path: string, mode: number): Promise<void>;
  chown(path: string, uid: number, gid: number): Promise<void>;
  /**
   * Gives a folder and all that is in it to a group, which may then read and write everything there; the folder itself comes
   * last. Hostile programs may be writing there: no link is followed and no mount is entered.
   */
  giveToGroup(path: string, gid: number): Promise<void>;
  /** Bytes and inodes of the file system of `path`. Space reserved for root is neither free nor used. */
  statfs(path: string): Promise<{
    readonly bytes: number;
    readonly freeBytes: number;
    readonly usedBytes: number;
    readonly inodes: number;
    readonly freeInodes: number;
  }>;
  /** Calls `onChange` (coalesced, best effort) when something in the directory or file changes. */
  watch(path: string, onChange: () => void): { close(): void };
}

/** An operating error of a file call. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly code: string;
  readonly path: string;
  constructor(code: string, path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.path = path;
  }
}
