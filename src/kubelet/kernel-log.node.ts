/** The kernel's log, /dev/kmsg: read without ever waiting for it. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { KernelLog } from './ports.ts';

const PATH = '/dev/kmsg';
/** CONSOLE_EXT_LOG_MAX: no record is longer. */
const MAX_RECORD_BYTES = 8192;
/** A whole ring buffer of usual size; the rest comes with the next call. */
const MAX_RECORDS = 20_000;

/** @throws Error where it cannot be read: no right to (CAP_SYSLOG), or there is none. */
export function openKernelLog(): KernelLog {
  const file = openSync(PATH, constants.O_RDONLY | constants.O_NONBLOCK);
  const buffer = Buffer.allocUnsafe(MAX_RECORD_BYTES);
  /** Empty: the ring went on over our place (EPIPE), and the next read is at its oldest record. `undefined`: that is all (EAGAIN). */
  const readOne = (): string | undefined => {
    try {
      const length = readSync(file, buffer, 0, buffer.length, null);
      return length === 0 ? undefined : buffer.toString('utf8', 0, length);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPIPE' ? '' : undefined;
    }
  };
  try {
    // A first read shows whether reading is allowed: some kernels let anybody open the device.
    readSync(file, buffer, 0, buffer.length, null);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EAGAIN' && code !== 'EPIPE') {
      closeSync(file);
      throw error;
    }
  }
  return {
    read: (wanted) => {
      const records: string[] = [];
      for (let count = 0; count < MAX_RECORDS; count += 1) {
        const record = readOne();
        if (record === undefined) break;
        if (wanted.test(record)) records.push(record);
      }
      return records;
    },
  };
}
