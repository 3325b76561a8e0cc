/** From the bytes of a CRI log to what `kubectl logs` prints, piece by piece and with bounded memory. Pure but for its state. */
import { concatBytes, encodeText, parseTime } from '../../lib/index.ts';
import { MAX_LOG_LINE_BYTES } from './limits.ts';
import { type LogLine, parseLogLine } from './log-line.ts';

export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Only lines from then on; wall ms. */
  readonly sinceWall?: number;
  /** Only the last lines of the file. */
  readonly tailLines?: number;
  /** At most this many bytes of output. */
  readonly limitBytes?: number;
  readonly stream?: 'stdout' | 'stderr';
}

const NEWLINE = 10;

export class LogFormatter {
  readonly #options: LogOptions;
  #open: Uint8Array[] = [];
  #openBytes = 0;
  #left: number;
  #atLineStart = true;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** The byte limit is reached: nothing more will come. */
  get full(): boolean {
    return this.#left <= 0;
  }

  /** Output of the lines that `chunk` completes. */
  add(chunk: Uint8Array): Uint8Array {
    const out: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1 && !this.full; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#line(out);
      start = end + 1;
    }
    if (start < chunk.length && !this.full) this.#keep(chunk.slice(start));
    return concatBytes(out);
  }

  /** Output of a last line without a newline. */
  end(): Uint8Array {
    const out: Uint8Array[] = [];
    if (this.#openBytes > 0 && !this.full) this.#line(out);
    return concatBytes(out);
  }

  /** The file begins again: an unfinished line of the old one never gets its end. */
  reset(): void {
    this.#open = [];
    this.#openBytes = 0;
  }

  #keep(piece: Uint8Array): void {
    const room = MAX_LOG_LINE_BYTES - this.#openBytes;
    if (room <= 0) return;
    const kept = piece.subarray(0, room);
    this.#open.push(kept);
    this.#openBytes += kept.length;
  }

  #line(out: Uint8Array[]): void {
    const line = parseLogLine(concatBytes(this.#open));
    this.reset();
    if (line === undefined || !this.#isWanted(line)) return;
    const prefix = this.#options.timestamps && this.#atLineStart ? `${fixedTime(line.time)} ` : '';
    this.#atLineStart = !line.partial;
    const bytes = concatBytes([encodeText(prefix), line.content, encodeText(line.partial ? '' : '\n')]);
    const kept = bytes.subarray(0, Math.min(bytes.length, this.#left));
    this.#left -= kept.length;
    out.push(kept);
  }

  #isWanted(line: LogLine): boolean {
    const { sinceWall, stream } = this.#options;
    if (stream !== undefined && line.stream !== stream) return false;
    return sinceWall === undefined || (parseTime(line.time) ?? 0) >= sinceWall;
  }
}

/** Nine digits of a second, as upstream prints (RFC3339NanoFixed). */
function fixedTime(time: string): string {
  const match = /^(.*?:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/.exec(time);
  return match === null ? time : `${match[1]}.${(match[2] ?? '').padEnd(9, '0')}${match[3]}`;
}
