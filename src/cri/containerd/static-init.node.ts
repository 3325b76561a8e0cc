/** Static programs of the distribution, from which images are built: they must run in a root without libraries. */
import { readFile } from 'node:fs/promises';
import type { StaticInit } from './built-images.ts';

const CATATONIT = ['/usr/bin/catatonit', '/usr/libexec/catatonit/catatonit', '/usr/libexec/podman/catatonit'];
const BUSYBOX = ['/bin/busybox', '/usr/bin/busybox'];

/** The first static init of this machine: catatonit, else busybox. */
export async function staticInitPath(): Promise<{ kind: StaticInit['kind']; path: string } | undefined> {
  const catatonit = await firstStatic(CATATONIT);
  if (catatonit !== undefined) return { kind: 'catatonit', path: catatonit };
  const busybox = await staticBusybox();
  return busybox === undefined ? undefined : { kind: 'busybox', path: busybox };
}

export function staticBusybox(): Promise<string | undefined> {
  return firstStatic(BUSYBOX);
}

async function firstStatic(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const data = await readFile(path).catch(() => undefined);
    if (data !== undefined && isStatic(data)) return path;
  }
  return undefined;
}

const ELF_MAGIC = 0x7f454c46;
const ELF_64_BIT = 2;
const PT_INTERP = 3;

/** True for an ELF file (64 bit, little endian) that asks for no interpreter. */
function isStatic(data: Buffer): boolean {
  if (data.length < 64 || data.readUInt32BE(0) !== ELF_MAGIC || data[4] !== ELF_64_BIT) return false;
  const offset = Number(data.readBigUInt64LE(32));
  const size = data.readUInt16LE(54);
  const count = data.readUInt16LE(56);
  return !Array.from({ length: count }, (_, index) => data.readUInt32LE(offset + index * size)).includes(PT_INTERP);
}
