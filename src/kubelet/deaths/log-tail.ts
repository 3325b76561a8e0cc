/** The end of a container's log, as its container wrote it. */
import { decodeText, FileError, type FileSystem } from '../../lib/index.ts';
import { LogFormatter } from '../pods/log-format.ts';
import { LOG_READ_FACTOR } from './limits.ts';

export interface LogTail {
  readonly tail: string;
  /** There was more of it. */
  readonly truncated: boolean;
}

type LogFiles = Pick<FileSystem, 'stat' | 'readAt' | 'readdir'>;

/** `undefined`: there is no log (any more). Rejects with file errors. */
export async function readLogTail(
  fs: LogFiles,
  path: string,
  limits: { readonly lines: number; readonly bytes: number },
): Promise<LogTail | undefined> {
  const current = await endOf(fs, path, limits.bytes * LOG_READ_FACTOR);
  if (current === undefined) return undefined;
  const cut = cutTail(current.bytes, current.begun, limits);
  if (cut.truncated || current.bytes.length >= limits.bytes) return cut;
  // It may just have been rotated: the last words are in the file before.
  const before = await newestRotated(fs, path);
  const old = before === undefined ? undefined : await endOf(fs, before, limits.bytes * LOG_READ_FACTOR);
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
export function cutTail(
  bytes: Uint8Array,
  begun: boolean,
  limits: { readonly lines: number; readonly bytes: number },
): LogTail {
  const from = begun ? 0 : bytes.indexOf(NEWLINE) + 1;
  const formatter = new LogFormatter({ follow: false, previous: false, timestamps: false });
  const text = decodeText(formatter.add(bytes.subarray(from))) + decodeText(formatter.end());
  const lines = text.split('\n');
  const open = lines.at(-1) === '' ? 1 : 0;
  const last = lines.slice(-(limits.lines + open)).join('\n');
  const tail = lastBytes(last, limits.bytes);
  return { tail, truncated: !begun || tail.length < text.length };
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
  path: string,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly begun: boolean } | undefined> {
  try {
    const info = await fs.stat(path, { follow: true });
    if (info === undefined || info.type !== 'file') return undefined;
    const from = Math.max(0, info.size - maxBytes);
    return { bytes: await fs.readAt(path, from, info.size - from), begun: from === 0 };
  } catch (error) {
    if (error instanceof FileError && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Beside it under a longer name; the newest is not compressed yet. Names sort by their time. */
async function newestRotated(fs: LogFiles, path: string): Promise<string | undefined> {
  const slash = path.lastIndexOf('/');
  const [dir, base] = [path.slice(0, slash), path.slice(slash + 1)];
  const names = await fs.readdir(dir).catch((error: unknown) => {
    if (error instanceof FileError) return [];
    throw error;
  });
  const rotated = names.filter((name) =>
    /^\.\d{8}-\d{6}(?:-\d+)?$/.test(name.startsWith(base) ? name.slice(base.length) : ''),
  );
  const newest = rotated.toSorted().at(-1);
  return newest === undefined ? undefined : `${dir}/${newest}`;
}
