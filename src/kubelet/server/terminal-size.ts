/** The sizes of a client's terminal: one JSON object after another, in any pieces. Pure but for what it holds back. */
import { decodeText } from '../../lib/index.ts';
import { MAX_TERMINAL_SIZE_BYTES } from './limits.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export class TerminalSizeReader {
  #rest = '';

  /** @returns the newest complete size; `undefined`: none yet, or none that a terminal could have (upstream, too, skips 0) */
  push(piece: Uint8Array): TerminalSize | undefined {
    const objects = `${this.#rest}${decodeText(piece)}`.split('}');
    this.#rest = (objects.pop() ?? '').slice(-MAX_TERMINAL_SIZE_BYTES);
    return objects.map(sizeOf).findLast((size) => size !== undefined);
  }
}

function sizeOf(object: string): TerminalSize | undefined {
  const number = (name: string): number =>
    Number(new RegExp(`"${name}"\\s*:\\s*(\\d{1,5})(?!\\d)`, 'i').exec(object)?.[1] ?? 0);
  const [columns, rows] = [number('width'), number('height')];
  const isPossible = [columns, rows].every((each) => each >= 1 && each <= 0xffff);
  return isPossible ? { columns, rows } : undefined;
}
