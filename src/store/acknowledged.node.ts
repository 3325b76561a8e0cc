/**
 * The record beside the store's file: up to which revision writes were acknowledged. It is written after each commit and
 * before its answer, without waiting for the disk. A crash of the process leaves it exact; a crash of the machine at most
 * leaves it too old. So a store that shows less than its record says has lost an acknowledged write.
 */
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { errorMessage } from '../lib/index.ts';
import { checksumOfText } from './row-checksum.node.ts';
import type { Tally } from './tally.ts';

export interface Acknowledged extends Tally {
  /** The identity of the store. */
  readonly identity: string;
  /** The newest revision that was acknowledged. */
  readonly revision: number;
  readonly compacted: number;
  readonly swept: number;
}

/** The record's file; the line is padded to one length, so that a shorter one leaves no rest of a longer one. */
const LINE_BYTES = 512;

export function recordPath(path: string): string {
  return `${path}.acknowledged`;
}

/** `undefined`: there is none; 'damaged': the file is no record. */
export function readAcknowledged(path: string): Acknowledged | 'damaged' | undefined {
  let text: string;
  try {
    text = readFileSync(recordPath(path), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    return 'damaged';
  }
  const [sum, ...rest] = text.trimEnd().split(' ');
  const json = rest.join(' ');
  if (Number(sum) !== checksumOfText(json)) return 'damaged';
  return JSON.parse(json) as Acknowledged;
}

export class AcknowledgedFile {
  readonly #path: string;
  readonly #fd: number;
  #last = '';

  /** @throws Error of the file system */
  constructor(path: string) {
    this.#path = recordPath(path);
    this.#fd = openSync(this.#path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  }

  /** Best effort: on a full disk the record stays older than the store, which is no alarm. */
  write(record: Acknowledged): string | undefined {
    const json = JSON.stringify(record);
    if (json === this.#last) return undefined;
    try {
      writeSync(this.#fd, `${checksumOfText(json)} ${json}`.padEnd(LINE_BYTES - 1).concat('\n'), 0);
      this.#last = json;
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}
