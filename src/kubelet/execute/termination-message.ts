/** What a container left to say: its message file, else (FallbackToLogsOnError) the end of its log. */
import type { FileSystem } from '../../lib/index.ts';
import { FileError } from '../../lib/index.ts';
import {
  MAX_TERMINATION_LOG_BYTES,
  MAX_TERMINATION_LOG_LINES,
  MAX_TERMINATION_MESSAGE_BYTES,
  TERMINATION_LOG_READ_BYTES,
} from './limits.ts';

/** Never rejects for a missing file: that is an empty message. Other file errors reject. */
export async function readTerminationMessage(
  fs: FileSystem,
  request: { readonly path: string; readonly logPath: string; readonly fallbackToLogs: boolean },
): Promise<string> {
  const message = await tail(fs, request.path, MAX_TERMINATION_MESSAGE_BYTES);
  if (message !== '' || !request.fallbackToLogs) return message;
  return logTail(await tail(fs, request.logPath, TERMINATION_LOG_READ_BYTES));
}

/** The last `maxBytes` of a file as text. */
async function tail(fs: FileSystem, path: string, maxBytes: number): Promise<string> {
  try {
    const info = await fs.stat(path, { follow: true });
    if (info === undefined || info.size === 0) return '';
    const length = Math.min(info.size, maxBytes);
    return new TextDecoder().decode(await fs.readAt(path, info.size - length, length));
  } catch (error) {
    if (error instanceof FileError && error.code === 'ENOENT') return '';
    throw error;
  }
}

/** `2026-01-01T00:00:00.0Z stdout F text`: the texts of the last lines, as they were written. */
export function logTail(text: string): string {
  let out = '';
  for (const line of text.split('\n').slice(-MAX_TERMINATION_LOG_LINES - 1)) {
    const match = /^\S+ (?:stdout|stderr) ([FP])\S* ?(.*)$/s.exec(line);
    if (match !== null) out += `${match[2] ?? ''}${match[1] === 'F' ? '\n' : ''}`;
  }
  const bytes = new TextEncoder().encode(out);
  if (bytes.length <= MAX_TERMINATION_LOG_BYTES) return out;
  return new TextDecoder().decode(bytes.subarray(bytes.length - MAX_TERMINATION_LOG_BYTES));
}
