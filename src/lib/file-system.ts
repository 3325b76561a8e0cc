/**
 * Files as a port. All calls are synchronous in effect but asynchronous in type; errors are `FileError`s with the
 * system's code (ENOENT, EEXIST, ENOSPC …). Paths are absolute.
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
  /** Write to a temporary sibling and rename: a reader sees the old or the new content, never half. */
  readonly atomic?: boolean;
  /** Survive power loss: fsync of file and folder. Without it only a crash of the process is survived. */
  readonly sync?: boolean;
}

export interface OpenBelowOptions {
  /** Of folders that are missing on the way, and made; absent: none is made, and what is missing is ENOENT. */
  readonly folderMode?: number;
}

/** Something that is held open: whatever is renamed meanwhile, `path` is it. */
export interface OpenedBelow {
  /** For other programs of this machine, too, until it is closed; not to be resolved to another path. */
  readonly path: string;
  readonly type: FileInfo['type'];
  close(): Promise<void>;
}

/** A regular file that is held open to be read: whatever is renamed, linked or put in its place meanwhile, this is it. */
export interface OpenFile {
  /** For watching it, and for other programs of this machine, until it is closed. */
  readonly path: string;
  readonly mtimeMs: number;
  /** Bytes it has by now. */
  size(): Promise<number>;
  /** Reads up to `length` bytes at `offset`; shorter at the end of the file. */
  readAt(offset: number, length: number): Promise<Uint8Array>;
  /** Whether the name it was opened by still leads to it. */
  isInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

export interface FileSystem {
  readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>;
  /** Reads up to `length` bytes at `offset`; shorter at the end of the file. */
  readAt(path: string, offset: number, length: number): Promise<Uint8Array>;
  writeFile(path: string, data: Uint8Array | string, options?: WriteOptions): Promise<void>;
  /** With parents; an existing directory is not an error. */
  mkdir(path: string, options?: { readonly mode?: number }): Promise<void>;
  readdir(path: string): Promise<readonly string[]>;
  /**
   * `undefined` when there is nothing. Does not follow a final symlink unless `follow`. `isolated`: the path may lie on a file
   * system that hangs; then this call hangs, too, but no other one for it.
   */
  stat(
    path: string,
    options?: { readonly follow?: boolean; readonly isolated?: boolean },
  ): Promise<FileInfo | undefined>;
  /** Recursive; nothing there is not an error; never crosses into another file system (a mount left inside). */
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  /**
   * Opens what lies at `path` (relative, plain names) below `folder`, where somebody hostile may be writing at the same time:
   * no link below `folder` is ever followed (ELOOP).
   */
  openBelow(folder: string, path: string, options: OpenBelowOptions): Promise<OpenedBelow>;
  /**
   * Opens the regular file at `path` (relative, plain names) below `folder`, where somebody hostile may be writing at the same
   * time, to read it; `undefined`: there is nothing. A `FileError` refuses what is not just that: a link on the way or at the
   * end (ELOOP), a folder, pipe, socket or device (EINVAL, never opened), a file with further names (EMLINK), which may be
   * somebody else's. Never waits for whoever is at a pipe's other end.
   */
  openFileBelow(folder: string, path: string): Promise<OpenFile | undefined>;
  chmod(path: string, mode: number): Promise<void>;
  chown(path: string, uid: number, gid: number): Promise<void>;
  /** Bytes and inodes of the file system that holds `path`. Free is what we may still use; with what is reserved it is not used. */
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
