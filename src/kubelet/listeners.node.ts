/** Finds the listening sockets in the network namespace of a container, from /proc. */
import { opendirSync, readlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { endianness } from 'node:os';
import type { ListeningPort, PodListeningPort } from '../api/index.ts';
import {
  type HeldSockets,
  type Listener,
  listenersIn,
  listeningPorts,
  type OpenSocket,
  openSocketsIn,
  ownedPorts,
  type Protocol,
} from './listening-ports.ts';
import type { ContainerProcesses, Listeners } from './ports.ts';
import { processName } from './process-name.node.ts';

/** The bound on one table's lines: listening sockets come first, connections after. */
const MAX_TABLE_BYTES = 128 * 1024;
/** Open files of all processes together that are looked at. */
const MAX_OPEN_FILES = 2048;
/** Open files of one process of a pod that are looked at, lowest first: a program opens what it listens on early. */
const MAX_OPEN_FILES_OF_ONE = 256;
/** Processes of one container that are looked at, oldest first. */
const MAX_PROCESSES = 64;

export function openListeners(): Listeners {
  return { of: listeningIn, ofPod };
}

async function listeningIn(pids: readonly number[]): Promise<readonly ListeningPort[] | undefined> {
  const pid = pids.find(isElsewhere);
  if (pid === undefined) return undefined;
  // Read at once: a container that is being killed for its probe closes its sockets.
  const held = heldBy(pids);
  const listeners = await listenersOf(pid);
  return listeners && listeningPorts(listeners, held);
}

async function ofPod(
  containers: readonly ContainerProcesses[],
  protocol: Protocol,
): Promise<readonly PodListeningPort[] | undefined> {
  const pid = containers.flatMap(({ pids }) => pids).find(isElsewhere);
  if (pid === undefined) return undefined;
  const listeners = await listenersOf(pid, protocol);
  return listeners && ownedPorts(listeners, holdersOf(listeners, containers));
}

/** `undefined`: the process has ended. */
async function listenersOf(pid: number, protocol: Protocol = 'TCP'): Promise<readonly Listener[] | undefined> {
  // A namespace has as many sockets as it has: off our own thread.
  const name = protocol.toLowerCase();
  const tables = await Promise.all(['', '6'].map((family) => table(`/proc/${pid}/net/${name}${family}`)));
  // Without IPv6 there is one alone; without any, the process has ended.
  if (tables.every((text) => text === undefined)) return undefined;
  const littleEndian = endianness() === 'LE';
  return tables.flatMap((text) => (text === undefined ? [] : listenersIn(text, littleEndian, protocol)));
}

/** Who holds these sockets, by inode; of several processes the oldest, which made it. */
function holdersOf(
  listeners: readonly Listener[],
  containers: readonly ContainerProcesses[],
): ReadonlyMap<string, { readonly container: string; readonly process?: string }> {
  const wanted = new Set(listeners.map(({ inode }) => inode));
  const holders = new Map<string, { readonly container: string; readonly process?: string }>();
  let left = MAX_OPEN_FILES;
  for (const { name, pids } of containers) {
    for (const pid of pids.toSorted((a, b) => a - b).slice(0, MAX_PROCESSES)) {
      const files = firstOpenFiles(pid, Math.min(MAX_OPEN_FILES_OF_ONE, left));
      left -= files.length;
      for (const file of files) {
        const inode = socketOf(`/proc/${pid}/fd/${file}`);
        if (inode === undefined || !wanted.has(inode) || holders.has(inode)) continue;
        const process = processName(pid);
        holders.set(inode, { container: name, ...(process !== undefined && { process }) });
      }
      if (left === 0 || holders.size === wanted.size) return holders;
    }
  }
  return holders;
}

function firstOpenFiles(pid: number, max: number): readonly string[] {
  try {
    return [...openFiles(pid, max)];
  } catch {
    // It has ended.
    return [];
  }
}

/** The lowest open files of a process, which may have a million. Throws when it has ended or may not be looked at. */
function* openFiles(pid: number, max: number): Generator<string> {
  const folder = opendirSync(`/proc/${pid}/fd`);
  try {
    for (let left = max; left > 0; left -= 1) {
      const file = folder.readSync();
      if (file === null) return;
      yield file.name;
    }
  } finally {
    folder.closeSync();
  }
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
      // One more than may be looked at tells that there are more.
      for (const file of openFiles(pid, left + 1)) {
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
