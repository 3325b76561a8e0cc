/** The end of a container's log, as its container wrote it. */
import { decisiveLine, type Life, withoutKnown } from '../../log-analysis/index.ts';
import { decodeText, FileError, type FileSystem, parseTime } from '../../lib/index.ts';
import { belowRoot, type LogPlace, logPlace } from '../pods/log-place.ts';
import { LogFormatter } from '../pods/log-format.ts';
import { LOG_READ_FACTOR } from './limits.ts';

export interface LogTail {
  readonly tail: string;
  /** There was more of it. */
  readonly truncated: boolean;
  /** The decisive line of all that was read, when it was asked for and there is one. */
  readonly says?: string;
}

export interface TailLimits {
  readonly lines: number;
  readonly bytes: number;
  /** Values that are known to be secret, which are masked. */
  readonly secrets?: readonly string[];
  /** Looks for the decisive line of a life with these times. */
  readonly decides?: { readonly startedAt?: string; readonly finishedAt: string };
}

type LogFiles = Pick<FileSystem, 'openFileBelow' | 'openBelow' | 'readdir'>;

/** `undefined`: there is no log (any more). Rejects with file errors. */
export async function readLogTail(fs: LogFiles, path: string, limits: TailLimits): Promise<LogTail | undefined> {
  const place = logPlace(path);
  const current = await endOf(fs, place, place.name, limits.bytes * LOG_READ_FACTOR);
  if (current === undefined) return undefined;
  const cut = cutTail(current.bytes, current.begun, limits);
  if (cut.truncated || current.bytes.length >= limits.bytes) return cut;
  // It may just have been rotated: the last words are in the file before.
  const before = await newestRotated(fs, place);
  const old = before === undefined ? undefined : await endOf(fs, place, before, limits.bytes * LOG_READ_FACTOR);
  if (old === undefined) return cut;
  const both = new Uint8Array(old.bytes.length + current.bytes.length);
  both.set(old.bytes);
  both.set(current.bytes, old.bytes.length);
  return cutTail(both, old.begun, limits);
}

/**
 * The last lines of CRI log `bytes`. `begun`: they begin where the file begins, else in the middle of a line. Lines are whole
 * where they fit.
 */
export function cutTail(bytes: Uint8Array, begun: boolean, limits: TailLimits): LogTail {
  const from = begun ? 0 : bytes.indexOf(NEWLINE) + 1;
  const formatter = new LogFormatter({ follow: false, previous: false, timestamps: true });
  const written = decodeText(formatter.add(bytes.subarray(from))) + decodeText(formatter.end());
  const stamped = written.split('\n');
  const text = withoutKnown(stamped.map((line) => line.slice(line.indexOf(' ') + 1)).join('\n'), limits.secrets ?? []);
  const lines = text.split('\n');
  const open = lines.at(-1) === '' ? 1 : 0;
  const last = lines.slice(-(limits.lines + open)).join('\n');
  const tail = lastBytes(last, limits.bytes);
  const says = limits.decides === undefined ? undefined : decisiveLine(lines, lifeOf(limits.decides, stamped))?.line;
  return { tail, truncated: !begun || tail.length < text.length, ...(says === undefined ? {} : { says }) };
}

/** @param stamped the lines with their times */
function lifeOf({ startedAt, finishedAt }: NonNullable<TailLimits['decides']>, stamped: readonly string[]): Life {
  const endMs = parseTime(finishedAt);
  if (endMs === undefined) return {};
  const beginMs = startedAt === undefined ? undefined : parseTime(startedAt);
  const agesMs = stamped.map((line) => {
    const atMs = parseTime(line.slice(0, Math.max(0, line.indexOf(' '))));
    return atMs === undefined ? undefined : endMs - atMs;
  });
  return { agesMs, ...(beginMs !== undefined && { livedMs: endMs - beginMs }) };
}

const NEWLINE = 10;
const encoder = new TextEncoder();

/** Never half a character, and where there is one to begin with, never half a line. */
function lastBytes(text: string, maxBytes: number): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  let start = bytes.length - maxBytes;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  const newline = bytes.indexOf(NEWLINE, start - 1);
  const isNear = newline !== -1 && newline < start + maxBytes / 2;
  return decodeText(bytes.subarray(isNear ? newline + 1 : start));
}

async function endOf(
  fs: LogFiles,
  place: LogPlace,
  name: string,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly begun: boolean } | undefined> {
  const file = await fs.openFileBelow(place.root, belowRoot(place, name));
  if (file === undefined) return undefined;
  try {
    const size = await file.size();
    const from = Math.max(0, size - maxBytes);
    return { bytes: await file.readAt(from, size - from), begun: from === 0 };
  } finally {
    await file.close();
  }
}

/** Its name, longer than the log's; the newest is not compressed yet. Names sort by their time. */
async function newestRotated(fs: LogFiles, { root, folder, name }: LogPlace): Promise<string | undefined> {
  const names = await namesIn(fs, root, folder);
  const rotated = names.filter((each) =>
    /^\.\d{8}-\d{6}(?:-\d+)?$/.test(each.startsWith(name) ? each.slice(name.length) : ''),
  );
  return rotated.toSorted().at(-1);
}

async function namesIn(fs: LogFiles, root: string, folder: string): Promise<readonly string[]> {
  try {
    const opened = await fs.openBelow(root, folder, {});
    try {
      return await fs.readdir(opened.path);
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof FileError) return [];
    throw error;
  }
}
