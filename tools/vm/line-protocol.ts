/**
 * The messages between a test and its guest, a line each, over a virtio port. To the guest: `hello`, and `run ID SCRIPT`;
 * from it: `hello BOOT`, and `ended ID CODE STDOUT STDERR`. Scripts and outputs are in base64, so that no byte of them can
 * end a line. Pure.
 */
export interface Hello {
  readonly kind: 'hello';
  /** The kernel's id of this boot: another one means that the guest was rebooted. */
  readonly bootId: string;
}

export interface Ended {
  readonly kind: 'ended';
  readonly id: number;
  /** Exit code as a shell counts: 128 and the signal's number for one that was killed. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Answer = Hello | Ended;

/** Asks the guest for its `hello`: a test that connects late has missed the one that it sends by itself. */
export const HELLO_LINE = 'hello\n';

/**
 * @param id a number that the answer repeats;
 * @param script the script that bash runs in the guest
 */
export function runLine(id: number, script: string): string {
  return `run ${id} ${Buffer.from(script, 'utf8').toString('base64')}\n`;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** One line of the guest without its end; `undefined` for what is none, as the rest of a line that a power cut tore. */
export function parseAnswer(line: string): Answer | undefined {
  const [verb, ...words] = line.split(' ');
  if (verb === 'hello') {
    const [bootId] = words;
    return words.length === 1 && bootId ? { kind: 'hello', bootId } : undefined;
  }
  const [id = '', code = '', stdout = '', stderr = ''] = words;
  const isWhole = verb === 'ended' && words.length === 4 && /^\d+$/.test(id) && /^\d+$/.test(code);
  if (!isWhole || ![stdout, stderr].every(isBase64)) return undefined;
  return { kind: 'ended', id: Number(id), code: Number(code), stdout: decode(stdout), stderr: decode(stderr) };
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text);
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

/** Splits what has come so far: whole lines without their ends, and the beginning of one that is still to come. */
export function splitLines(text: string): { readonly lines: readonly string[]; readonly rest: string } {
  const parts = text.split('\n');
  return { lines: parts.slice(0, -1), rest: parts.at(-1) ?? '' };
}
