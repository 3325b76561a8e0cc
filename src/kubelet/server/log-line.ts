/** One line of a CRI log: `2026-11-20T23:53:12.123456789Z stdout F text`. Pure. */

export interface LogLine {
  /** RFC 3339 with nanoseconds, as written. */
  readonly time: string;
  readonly stream: 'stdout' | 'stderr';
  /** The line goes on in the next one of its stream (it was longer than the runtime's buffer). */
  readonly partial: boolean;
  readonly content: string;
}

/** `undefined`: not a CRI log line. Tags after the first ("F:…") are for later versions and are passed over. */
export function parseLogLine(line: string): LogLine | undefined {
  const timeEnd = line.indexOf(' ');
  const streamEnd = line.indexOf(' ', timeEnd + 1);
  if (timeEnd <= 0 || streamEnd < 0) return undefined;
  const tagsEnd = line.indexOf(' ', streamEnd + 1);
  const stream = line.slice(timeEnd + 1, streamEnd);
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  const tags = line.slice(streamEnd + 1, tagsEnd < 0 ? undefined : tagsEnd);
  return {
    time: line.slice(0, timeEnd),
    stream,
    partial: tags.split(':')[0] === 'P',
    content: tagsEnd < 0 ? '' : line.slice(tagsEnd + 1),
  };
}
