/** The lines of a log that the page keeps: chunks, so that a new line draws one chunk anew and an old chunk goes whole. Pure. */
import { LOG_CHUNK_LINES, MAX_LOG_LINE, MAX_LOG_LINES } from './limits.ts';
import { visible } from './visible-text.ts';

export interface LogChunk {
  /** Grows; the chunk's key. */
  readonly id: number;
  readonly lines: readonly string[];
}

export interface LogLines {
  readonly chunks: readonly LogChunk[];
  /** Lines that had to go. */
  readonly dropped: number;
}

export const NO_LINES: LogLines = { chunks: [], dropped: 0 };

export function withLines(log: LogLines, lines: readonly string[]): LogLines {
  if (lines.length === 0) return log;
  const chunks = [...log.chunks];
  let rest = lines.map((line) => visible(line, MAX_LOG_LINE));
  const open = chunks.at(-1);
  if (open !== undefined && open.lines.length < LOG_CHUNK_LINES) {
    const room = LOG_CHUNK_LINES - open.lines.length;
    chunks[chunks.length - 1] = { id: open.id, lines: [...open.lines, ...rest.slice(0, room)] };
    rest = rest.slice(room);
  }
  for (let from = 0; from < rest.length; from += LOG_CHUNK_LINES)
    chunks.push({ id: (chunks.at(-1)?.id ?? 0) + 1, lines: rest.slice(from, from + LOG_CHUNK_LINES) });
  return trimmed(chunks, log.dropped);
}

function trimmed(chunks: readonly LogChunk[], dropped: number): LogLines {
  let [first, gone] = [0, dropped];
  while (countOf(chunks.slice(first)) > MAX_LOG_LINES) {
    gone += chunks[first]?.lines.length ?? 0;
    first += 1;
  }
  return { chunks: chunks.slice(first), dropped: gone };
}

export function countOf(chunks: readonly LogChunk[]): number {
  return chunks.reduce((sum, { lines }) => sum + lines.length, 0);
}
