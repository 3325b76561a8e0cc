/** Lines of a log as the page gets them, while they come: masked as in `why`, without control characters, bounded. */
import { visibleText } from '../../lib/index.ts';
import { MASK, maskSecrets } from '../../log-analysis/index.ts';
import { MAX_LINE_CHARACTERS } from '../limits.ts';
import { withoutEscapes } from './shown-text.ts';

const BEGIN = /-----BEGIN ([A-Z0-9 ]{0,60}(?:PRIVATE KEY|CERTIFICATE)[A-Z0-9 ]{0,20})-----/;
const END = /-----END [A-Z0-9 ]{0,80}-----/;
/** Longest block of a key; after that the lines are shown again. */
const MAX_BLOCK_LINES = 500;

export class LogLines {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line. */
  #held = '';
  /** The rest of a line that was too long is dropped. */
  #isDropping = false;
  #blockLines = 0;

  add(chunk: Uint8Array): string {
    return this.#take(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The last line, if nothing ended it. */
  end(): string {
    const rest = this.#take(this.#decoder.decode());
    const last = this.#held === '' ? '' : this.#shown(this.#held);
    this.#held = '';
    return rest + last;
  }

  #take(text: string): string {
    let out = '';
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      if (this.#isDropping) this.#isDropping = false;
      else out += this.#shown(this.#held + line);
      this.#held = '';
    }
    if (this.#isDropping) return out;
    this.#held += last;
    if (this.#held.length > MAX_LINE_CHARACTERS) {
      out += this.#shown(this.#held);
      this.#held = '';
      this.#isDropping = true;
    }
    return out;
  }

  #shown(line: string): string {
    const cut = line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line;
    const masked = this.#masked(cut.endsWith('\r') ? cut.slice(0, -1) : cut);
    return masked === undefined ? '' : `${visibleText(masked)}\n`;
  }

  /** undefined: a line within a key. */
  #masked(line: string): string | undefined {
    const plain = withoutEscapes(line);
    if (this.#blockLines > 0) {
      const isOver = END.test(plain) || this.#blockLines >= MAX_BLOCK_LINES;
      this.#blockLines = isOver ? 0 : this.#blockLines + 1;
      return undefined;
    }
    const begin = BEGIN.exec(plain);
    if (begin === null || END.test(plain)) return maskSecrets(plain);
    this.#blockLines = 1;
    return `${maskSecrets(plain.slice(0, begin.index))}-----BEGIN ${begin[1] ?? ''}-----${MASK}`;
  }
}
