/** Finds the listening sockets in the network namespace of a container, from /proc. */
import { readdirSync, readlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { endianness } from 'node:os';
import type { ListeningPort } from '../api/index.ts';
import { type HeldSockets, listenersIn, listeningPorts, type OpenSocket, openSocketsIn } from './listening-ports.ts';
import type { Listeners } from './ports.ts';

/** The bound on one table's lines: listening sockets come first, connections after. */
const MAX_TABLE_BYTES = 128 * 1024;
/** Open files of all processes together that are looked at. */
const MAX_OPEN_FILES = 2048;

export function openListeners(): Listeners {
  return { of: listeningIn };
}

async function listeningIn(pids: readonly number[]): Promise<readonly ListeningPort[] | undefined> {
  const pid = pids.find(isElsewhere);
  if (pid === undefined) return undefined;
  // Read at once: a container that is being killed for its probe closes its sockets.
  const held = heldBy(pids);
  // A namespace has as many sockets as it has: off our own thread.
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => table(`/proc/${pid}/net/${name}`)));
  // Without IPv6 there is one alone; without any, the process has ended.
  if (tables.every((text) => text === undefined)) return undefined;
  const littleEndian = endianness() === 'LE';
  return listeningPorts(
    tables.flatMap((text) => (text === undefined ? [] : listenersIn(text, littleEndian))),
    held,
  );
}

/** The sockets of this machine's own network that wait for clients from elsewhere. Rejects when they cannot be read. */
export async function hostSockets(): Promise<readonly (OpenSocket & { readonly protocol: 'TCP' | 'UDP' })[]> {
  const littleEndian = endianness() === 'LE';
  const found = await Promise.all(
    (['TCP', 'UDP'] as const).flatMap((protocol) =>
      ['', '6'].map(async (family) => {
        const text = await table(`/proc/self/net/${protocol.toLowerCase()}${family}`);
        // Without IPv6 there is no table of it.
        if (text === undefined && family === '') throw new Error(`/proc/net has no table of ${protocol}`);
        return openSocketsIn(text ?? '', protocol, littleEndian).map((socket) => ({ ...socket, protocol }));
      }),
    ),
  );
  return found.flat();
}

/** It is there, and has not our own network. */
function isElsewhere(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net');
  } catch {
    return false;
  }
}

function heldBy(pids: readonly number[]): HeldSockets {
  const inodes = new Set<string>();
  let left = MAX_OPEN_FILES;
  let complete = true;
  for (const pid of pids) {
    try {
      for (const file of readdirSync(`/proc/${pid}/fd`)) {
        if (left === 0) return { inodes, complete: false };
        left -= 1;
        const inode = socketOf(`/proc/${pid}/fd/${file}`);
        if (inode !== undefined) inodes.add(inode);
      }
    } catch (error) {
      // A process that has ended holds nothing; other processes may not be readable.
      if (!hasEnded(error)) complete = false;
    }
  }
  return { inodes, complete };
}

function hasEnded(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ESRCH';
}

function socketOf(file: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(file))?.[1];
  } catch {
    // Closed since.
    return undefined;
  }
}

/** `undefined`: it cannot be read. */
async function table(path: string): Promise<string | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const buffer = Buffer.alloc(MAX_TABLE_BYTES);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.toString('latin1', 0, length);
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
