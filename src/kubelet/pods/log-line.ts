/** One line of a CRI log: `2026-11-20T23:53:12.123456789Z stdout F text`. Pure. */
import { decodeText } from '../../lib/index.ts';

export interface LogLine {
  /** RFC 3339 with nanoseconds, as written. */
  readonly time: string;
  readonly stream: 'stdout' | 'stderr';
  /** The line continues in the next one of its stream (it was longer than the runtime's buffer). */
  readonly partial: boolean;
  /** As the container wrote it: any bytes, and a character may go on in the next line. */
  readonly content: Uint8Array;
}

const SPACE = 32;

/** `undefined`: not a CRI log line. Tags after the first ("F:…") are for later versions and are passed over. */
export function parseLogLine(line: Uint8Array): LogLine | undefined {
  const timeEnd = line.indexOf(SPACE);
  const streamEnd = line.indexOf(SPACE, timeEnd + 1);
  if (timeEnd <= 0 || streamEnd < 0) return undefined;
  const tagsEnd = line.indexOf(SPACE, streamEnd + 1);
  const stream = decodeText(line.subarray(timeEnd + 1, streamEnd));
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  const tags = decodeText(line.subarray(streamEnd + 1, tagsEnd < 0 ? undefined : tagsEnd));
  return {
    time: decodeText(line.subarray(0, timeEnd)),
    stream,
    partial: tags.split(':')[0] === 'P',
    content: tagsEnd < 0 ? new Uint8Array() : line.subarray(tagsEnd + 1),
  };
}
