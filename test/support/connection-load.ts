/** A load of new TCP connections, each with one request of HTTP/1.0, and what became of them. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seededRandom } from '../../src/lib/index.ts';

export interface LoadOptions {
  readonly host: string;
  readonly port: number;
  /** New connections a second. Their distances are drawn from the seed, as clients come. */
  readonly perSecond: number;
  readonly seed: number;
  /** A request is lost after this time without a whole answer. */
  readonly timeoutMs?: number;
}

export interface LoadResult {
  readonly sent: number;
  /** One line for each failed request: ms since the start, and what happened. */
  readonly failures: readonly string[];
  /** The answers' bodies, and how often each came. */
  readonly answers: ReadonlyMap<string, number>;
}

const DEFAULT_TIMEOUT_MS = 5000;
/** Requests under way at a time; more of them fail, since nobody answers. */
const MAX_OPEN = 2000;

export class ConnectionLoad {
  readonly #options: LoadOptions;
  readonly #random: Random;
  readonly #failures: string[] = [];
  readonly #answers = new Map<string, number>();
  readonly #open = new Set<Promise<void>>();
  readonly #startedAt = performance.now();
  #sent = 0;
  #stopped = false;
  readonly #loop: Promise<void>;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#loop = this.#run();
  }

  get failures(): readonly string[] {
    return this.#failures;
  }

  get sent(): number {
    return this.#sent;
  }

  /** Ends the load when all requests under way have ended. */
  async stop(): Promise<LoadResult> {
    this.#stopped = true;
    await this.#loop;
    await Promise.all(this.#open);
    return { sent: this.#sent, failures: this.#failures, answers: this.#answers };
  }

  async #run(): Promise<void> {
    const meanMs = 1000 / this.#options.perSecond;
    let due = performance.now();
    while (!this.#stopped) {
      due += meanMs * (0.5 + this.#random.next());
      const wait = due - performance.now();
      // A loop that was late sends what is due, since clients do not wait for each other.
      if (wait > 0) await sleep(wait);
      this.#sent += 1;
      if (this.#open.size >= MAX_OPEN) {
        this.#fail('not sent: too many are open');
        continue;
      }
      const request = this.#request().finally(() => this.#open.delete(request));
      this.#open.add(request);
    }
  }

  #request(): Promise<void> {
    const { host, port, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    return new Promise((done) => {
      let text = '';
      let error = '';
      const socket = connect({ host, port });
      socket.setTimeout(timeoutMs, () => {
        error = `no answer within ${timeoutMs} ms`;
        socket.destroy();
      });
      socket.on('connect', () => socket.write('GET / HTTP/1.0\r\n\r\n'));
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      socket.on('error', (cause: Error) => {
        error = cause.message;
      });
      socket.on('close', () => {
        const isWhole = /^HTTP\/1\.[01] 200 /.test(text) && text.includes('\r\n\r\n');
        if (error !== '' || !isWhole) this.#fail(error || `an answer of ${text.length} bytes`);
        else this.#count(text.slice(text.indexOf('\r\n\r\n') + 4).trim());
        done();
      });
    });
  }

  #fail(what: string): void {
    this.#failures.push(`${Math.round(performance.now() - this.#startedAt)} ms: ${what}`);
  }

  #count(body: string): void {
    this.#answers.set(body, (this.#answers.get(body) ?? 0) + 1);
  }
}
