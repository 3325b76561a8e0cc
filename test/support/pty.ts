/** Runs a program in a real terminal (a pseudo-terminal of util-linux' `script`), and reads its screen as a person does. Linux. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface PtyOptions {
  readonly columns: number;
  readonly rows: number;
  readonly env?: NodeJS.ProcessEnv;
}

const ESCAPE = '\u001B';

/** A sequence that drives the terminal: ESC [ parameters letter. */
const SEQUENCE = new RegExp(String.raw`^\[([?\d;]*)([A-Za-z])`);

export class Pty {
  /** All that the program wrote. */
  raw = '';
  /** The exit code. */
  readonly ended: Promise<number>;
  readonly #child: ChildProcess;
  readonly #rows: number;

  /** @param command for a shell; it sees a terminal of this size, and of a usual kind, whatever the tests' own is (TERM=dumb) */
  constructor(command: string, { columns, rows, env = { ...process.env, TERM: 'xterm' } }: PtyOptions) {
    this.#rows = rows;
    const line = `stty rows ${rows} cols ${columns}; ${command}`;
    this.#child = spawn('script', ['-qefc', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.raw += text;
    });
    this.ended = new Promise((done, fail) => {
      this.#child.on('error', fail);
      this.#child.on('close', (code) => done(code ?? -1));
    });
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Ends the program when a test has failed. */
  close(): void {
    // Without its terminal the program gets SIGHUP.
    this.#child.kill('SIGKILL');
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
  }

  /** The lines that are on the screen now. */
  screen(): readonly string[] {
    return screenOf(this.raw, this.#rows);
  }

  get text(): string {
    return this.screen().join('\n');
  }
}

/** What a terminal shows after this. @throws for a sequence that is not known here */
export function screenOf(raw: string, rows: number): readonly string[] {
  const grid: string[][] = Array.from({ length: rows }, () => []);
  let row = 0;
  let column = 0;
  const signs = Array.from(raw);
  for (let at = 0; at < signs.length; at += 1) {
    const sign = signs[at] ?? '';
    if (sign === ESCAPE) {
      const rest = signs.slice(at + 1, at + 20).join('');
      const [whole, , letter] = SEQUENCE.exec(rest) ?? [];
      // The end has not arrived yet.
      if (whole === undefined) break;
      at += whole.length;
      if (letter === 'H') [row, column] = [0, 0];
      else if (letter === 'K') grid[row]?.splice(column);
      else if (letter === 'J') {
        grid[row]?.splice(column);
        for (const line of grid.slice(row + 1)) line.splice(0);
      } else if (letter !== 'm' && letter !== 'h' && letter !== 'l') throw new Error(`what is ESC${whole}?`);
    } else if (sign === '\r') column = 0;
    else if (sign === '\n') row = Math.min(rows - 1, row + 1);
    else {
      const line = grid[row];
      if (line !== undefined) {
        while (line.length < column) line.push(' ');
        line[column] = sign;
      }
      column += 1;
    }
  }
  return grid.map((line) => line.join('').trimEnd());
}
