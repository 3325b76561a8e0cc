/** Draws lines on a terminal in place, on its alternate screen; the earlier content comes back at the end. */
export interface Terminal {
  readonly columns: () => number;
  readonly rows: () => number;
  readonly write: (text: string) => void;
  /** Runs `restore` when the process ends, however it does. */
  readonly atExit: (restore: () => void) => void;
  /**
   * Hands over what is typed, as the terminal sends it, until the returned function is called. Absent: nobody types there.
   */
  readonly keys?: (listener: (typed: string) => void) => () => void;
}

const ESC = '\x1b[';

export class Screen {
  readonly #terminal: Terminal;
  #open = false;
  /** What was drawn last, with the size of the window. */
  #drawn = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  draw(lines: readonly string[]): void {
    // Each line is written over the old one and then cut off: no flicker, unlike clearing all first.
    const shown = lines.slice(0, this.#terminal.rows()).map((line) => `${line}${ESC}K`);
    const text = `${ESC}H${shown.join('\r\n')}${ESC}J`;
    // A window that got another size may show anything.
    const drawn = `${this.#terminal.columns()}x${this.#terminal.rows()} ${text}`;
    if (this.#open && drawn === this.#drawn) return;
    // Alternate screen, no cursor, and no wrapping of lines that are wider than the window.
    const begin = this.#open ? '' : `${ESC}?1049h${ESC}?25l${ESC}?7l`;
    if (!this.#open) this.#terminal.atExit(() => this.close());
    this.#open = true;
    this.#drawn = drawn;
    this.#terminal.write(`${begin}${text}`);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#terminal.write(`${ESC}?7h${ESC}?25h${ESC}?1049l`);
  }
}
