/** Draws lines on a terminal in place, on its alternate screen; the earlier content comes back at the end. */
export interface Terminal {
  readonly columns: () => number;
  readonly rows: () => number;
  readonly write: (text: string) => void;
  /** Runs `restore` when the process ends, however it does. */
  readonly atExit: (restore: () => void) => void;
  /**
   * Calls `leave` before the program is stopped (Ctrl-Z), and `back` when it goes on, until the returned function is called. Absent:
   * nobody tells of that.
   */
  readonly aroundStops?: (leave: () => void, back: () => void) => () => void;
  /**
   * Hands over what is typed, as the terminal sends it, until the returned function is called. Absent: nobody types there.
   */
  readonly keys?: (listener: (typed: string) => void) => () => void;
}

const ESC = '\x1b[';

export class Screen {
  readonly #terminal: Terminal;
  #isOpen = false;
  #isAtExit = false;
  #endStops: (() => void) | undefined;
  /** What was drawn last, with the size of the window. */
  #drawn = '';
  #text = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  draw(lines: readonly string[]): void {
    const terminal = this.#terminal;
    // A terminal that does not know its size says 0.
    const rows = terminal.rows() || lines.length;
    // Each line is written over the old one and then cut off: no flicker, unlike clearing all first.
    const shown = lines.slice(0, rows).map((line) => `${line}${ESC}K`);
    const text = `${ESC}H${shown.join('\r\n')}${ESC}J`;
    // A window that got another size may show anything.
    const drawn = `${terminal.columns()}x${terminal.rows()} ${text}`;
    if (this.#isOpen && drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#text = text;
    if (!this.#isAtExit) terminal.atExit(() => this.close());
    this.#isAtExit = true;
    this.#endStops ??= terminal.aroundStops?.(
      () => this.#leave(),
      () => this.#show(),
    );
    this.#show();
  }

  close(): void {
    this.#endStops?.();
    this.#endStops = undefined;
    this.#leave();
  }

  /** Alternate screen, no cursor, and no wrapping of lines that are wider than the window. */
  #show(): void {
    const begin = this.#isOpen ? '' : `${ESC}?1049h${ESC}?25l${ESC}?7l`;
    this.#isOpen = true;
    this.#terminal.write(`${begin}${this.#text}`);
  }

  #leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#terminal.write(`${ESC}?7h${ESC}?25h${ESC}?1049l`);
  }
}
