/** Follows the stream of changes: opens it, notices when it falls silent, and comes back. */
import type { StreamMessage } from '../contract.ts';
import { retryDelayMs, SILENCE_MS, splitLines } from '../feed.ts';
import { MAX_MESSAGE } from '../limits.ts';
import { ask, SessionOver } from './server.browser.ts';

export interface StreamSink {
  /** The revision that the page has. */
  revision(): number;
  messages(messages: readonly StreamMessage[]): void;
  lost(problem: string, retryInMs: number | undefined): void;
  /** The session is over. */
  over(): void;
}

export class PageStream {
  readonly #sink: StreamSink;
  #abort: AbortController | undefined;
  #retry: number | undefined;
  #attempt = 0;

  constructor(sink: StreamSink) {
    this.#sink = sink;
  }

  /** Opens the stream now, unless it is open. */
  open(): void {
    if (this.#abort !== undefined) return;
    window.clearTimeout(this.#retry);
    const abort = new AbortController();
    this.#abort = abort;
    void this.#follow(abort);
  }

  /**
   * What changed since the page's revision, without following it.
   * @throws SessionOver, Error in words
   */
  async glance(): Promise<readonly StreamMessage[]> {
    const abort = new AbortController();
    const silence = this.#watch(abort);
    try {
      const response = await ask(`/stream?from=${this.#sink.revision()}`, { signal: abort.signal });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      let open = '';
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) throw new Error('the server of this page has closed the stream');
        const { lines, rest } = splitLines(open + value, MAX_MESSAGE);
        if (lines.length > 0) return lines.map((line) => JSON.parse(line) as StreamMessage);
        open = rest;
      }
    } finally {
      window.clearTimeout(silence);
      abort.abort();
    }
  }

  /** Closes the stream, and stays away. */
  close(): void {
    window.clearTimeout(this.#retry);
    this.#abort?.abort();
    this.#abort = undefined;
  }

  async #follow(abort: AbortController): Promise<void> {
    let problem = 'the server of this page has closed the stream';
    let silence = this.#watch(abort);
    try {
      const response = await ask(`/stream?from=${this.#sink.revision()}`, { signal: abort.signal });
      if (response.body === null) throw new Error('the stream is empty');
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let open = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const { lines, rest } = splitLines(open + value, MAX_MESSAGE);
        open = rest;
        if (lines.length === 0) continue;
        window.clearTimeout(silence);
        silence = this.#watch(abort);
        this.#attempt = 0;
        this.#sink.messages(lines.map((line) => JSON.parse(line) as StreamMessage));
      }
    } catch (error) {
      if (error instanceof SessionOver) {
        this.#abort = undefined;
        window.clearTimeout(silence);
        this.#sink.over();
        return;
      }
      const { reason } = abort.signal as { readonly reason?: unknown };
      const cause = reason instanceof SilenceError ? reason : error;
      problem = cause instanceof Error ? cause.message : String(cause);
    }
    window.clearTimeout(silence);
    // What was closed by the page itself is no loss.
    if (this.#abort !== abort) return;
    abort.abort();
    this.#abort = undefined;
    this.#comeBack(problem);
  }

  #watch(abort: AbortController): number {
    return window.setTimeout(() => abort.abort(new SilenceError()), SILENCE_MS);
  }

  #comeBack(problem: string): void {
    const delay = retryDelayMs(this.#attempt, Math.random());
    this.#attempt += 1;
    this.#retry = window.setTimeout(() => this.open(), delay);
    this.#sink.lost(problem, delay);
  }
}

class SilenceError extends Error {
  override name = 'SilenceError';
  override message = 'the server of this page has fallen silent';
}
