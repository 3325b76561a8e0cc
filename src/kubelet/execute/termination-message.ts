/** Reads a container's termination message: its message file, else (FallbackToLogsOnError) the end of its log. */
import type { FileSystem } from '../../lib/index.ts';
import { belowRoot, logPlace } from '../pods/log-place.ts';
import {
  MAX_TERMINATION_LOG_BYTES,
  MAX_TERMINATION_LOG_LINES,
  MAX_TERMINATION_MESSAGE_BYTES,
  TERMINATION_LOG_READ_BYTES,
} from './limits.ts';

type MessageFiles = Pick<FileSystem, 'openFileBelow'>;

/** Never rejects for a missing file: that is an empty message. Other file errors reject. */
export async function readTerminationMessage(
  fs: MessageFiles,
  request: { readonly path: string; readonly logPath: string; readonly fallbackToLogs: boolean },
): Promise<string> {
  const message = await tail(fs, request.path, MAX_TERMINATION_MESSAGE_BYTES);
  if (message !== '' || !request.fallbackToLogs) return message;
  return logTail(await tail(fs, request.logPath, TERMINATION_LOG_READ_BYTES));
}

/** The last `maxBytes` of a file as text. Anything else that a pod with the folder mounted puts in its place is not read. */
async function tail(fs: MessageFiles, path: string, maxBytes: number): Promise<string> {
  const place = logPlace(path);
  const file = await fs.openFileBelow(place.root, belowRoot(place));
  if (file === undefined) return '';
  try {
    const size = await file.size();
    const length = Math.min(size, maxBytes);
    return new TextDecoder().decode(await file.readAt(size - length, length));
  } finally {
    await file.close();
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
