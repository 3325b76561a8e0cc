/** What a container left to say at its end: its termination message file, else the end of its log. */
import { decodeText, FileError, type FileSystem } from '../../lib/index.ts';
import { parseLogLine } from '../server/log-line.ts';
import {
  FALLBACK_READ_BYTES,
  MAX_FALLBACK_LOG_BYTES,
  MAX_FALLBACK_LOG_LINES,
  MAX_TERMINATION_MESSAGE_BYTES,
} from './limits.ts';

export interface TerminationMessageInput {
  /** The file on the host that is mounted at the container's terminationMessagePath; absent: it has none. */
  readonly messagePath: string | undefined;
  readonly policy: 'File' | 'FallbackToLogsOnError';
  readonly exitCode: number;
  /** The container's log file on the host. */
  readonly logPath: string | undefined;
}

/** Empty when there is none. A file that cannot be read is said in its place, as upstream does. */
export async function readTerminationMessage(fs: FileSystem, input: TerminationMessageInput): Promise<string> {
  const message = await readMessageFile(fs, input.messagePath);
  if (message !== '' || input.policy !== 'FallbackToLogsOnError' || input.exitCode === 0) return message;
  return input.logPath === undefined ? '' : readLogTail(fs, input.logPath);
}

async function readMessageFile(fs: FileSystem, path: string | undefined): Promise<string> {
  if (path === undefined || path === '') return '';
  try {
    const info = await fs.stat(path);
    // A container may have put anything there: only a plain file is read.
    if (info === undefined || info.type !== 'file') return '';
    return decodeText(await fs.readAt(path, 0, MAX_TERMINATION_MESSAGE_BYTES));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return `Error on reading termination log ${path}: ${error.message}`;
  }
}

/** The last lines of the log, without timestamps: at most 80 lines and 2048 bytes. */
async function readLogTail(fs: FileSystem, path: string): Promise<string> {
  try {
    const info = await fs.stat(path, { follow: true });
    if (info === undefined) return '';
    const from = Math.max(0, info.size - FALLBACK_READ_BYTES);
    const text = decodeText(await fs.readAt(path, from, FALLBACK_READ_BYTES));
    const lines = text.split('\n');
    // The first piece may be the end of a line.
    if (from > 0) lines.shift();
    return lastBytes(contentOf(lines));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return `Error on reading termination message from logs: ${error.message}`;
  }
}

function contentOf(lines: readonly string[]): string {
  const whole: string[] = [];
  let open = '';
  for (const line of lines) {
    const parsed = parseLogLine(line);
    if (parsed === undefined) continue;
    open += parsed.content;
    if (parsed.partial) continue;
    whole.push(`${open}\n`);
    open = '';
  }
  if (open !== '') whole.push(open);
  return whole.slice(-MAX_FALLBACK_LOG_LINES).join('');
}

function lastBytes(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= MAX_FALLBACK_LOG_BYTES ? text : decodeText(bytes.subarray(-MAX_FALLBACK_LOG_BYTES));
}
