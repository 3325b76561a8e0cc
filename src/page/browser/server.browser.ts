/** Calls to the page's own server. Failures become errors in words that can be shown. */
import type { Act, ActAnswer, Life, Login, LogQuery, Refusal, Rights } from '../contract.ts';
import { splitLines } from '../feed.ts';
import { MAX_LOG_LINE, RIGHTS_KEPT_MS } from '../limits.ts';
import { visibleLine } from '../visible-text.ts';
import type { LogSink, Server } from '../view/hands.ts';

/** The session is over: nothing more will be answered. */
export class SessionOver extends Error {
  override name = 'SessionOver';
}

/** Characters of a refusal that are shown. */
const MAX_REFUSAL = 500;
/** Lines that wait for the next frame. */
const MAX_WAITING_LINES = 1_000;
/** An unfinished line of a log is cut there, and goes on as the next one. */
const MAX_OPEN_LINE = 16 * MAX_LOG_LINE;

/**
 * @throws SessionOver for 401
 * @throws Error in words, for all else that is no success
 */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { credentials: 'same-origin', redirect: 'error', ...init }).catch(
    (error: unknown) => {
      if (init.signal?.aborted === true) throw error;
      throw new Error('the server of this page does not answer', { cause: error });
    },
  );
  if (response.ok) return response;
  const words = await refusalOf(response);
  throw response.status === 401 ? new SessionOver(words) : new Error(words);
}

async function refusalOf(response: Response): Promise<string> {
  const plain = `the server of this page answered ${response.status}`;
  try {
    const { words } = (await response.json()) as Partial<Refusal>;
    return typeof words === 'string' && words !== '' ? visibleLine(words, MAX_REFUSAL) : plain;
  } catch {
    return plain;
  }
}

async function askJson<T>(path: string): Promise<T> {
  const response = await ask(path);
  return (await response.json()) as T;
}

function send(path: string, body: unknown): Promise<Response> {
  return ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

export async function logIn(login: Login): Promise<void> {
  await send('/login', login);
}

export async function logOut(): Promise<void> {
  await send('/logout', {});
}

export function pageServer(): Server {
  const rights = new Map<string, { readonly at: number; readonly answer: Promise<Rights> }>();
  return {
    life: (id) => askJson<Life>(`/life?${new URLSearchParams({ id }).toString()}`),
    rights: (namespace) => {
      const known = rights.get(namespace);
      if (known !== undefined && Date.now() - known.at < RIGHTS_KEPT_MS) return known.answer;
      const answer = askJson<Rights>(`/rights?${new URLSearchParams({ namespace }).toString()}`);
      rights.set(namespace, { at: Date.now(), answer });
      answer.catch(() => rights.delete(namespace));
      return answer;
    },
    act: async (act: Act) => {
      const response = await send('/acts', act);
      return ((await response.json()) as ActAnswer).words;
    },
    followLog,
  };
}

function followLog(query: LogQuery, sink: LogSink): () => void {
  const abort = new AbortController();
  const batch = batched((lines: readonly string[]) => sink.lines(lines), abort.signal);
  readLog(query, batch.add, abort.signal).then(
    () => {
      batch.flush();
      if (!abort.signal.aborted) sink.end();
    },
    (error: unknown) => {
      if (!abort.signal.aborted) sink.end(error instanceof Error ? error.message : String(error));
    },
  );
  return () => abort.abort();
}

async function readLog(query: LogQuery, add: (lines: readonly string[]) => void, signal: AbortSignal): Promise<void> {
  const response = await ask(`/logs?${new URLSearchParams({ ...query }).toString()}`, { signal });
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let open = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const { lines, rest } = splitLines(open + value, Infinity);
    add(rest.length > MAX_OPEN_LINE ? [...lines, rest] : lines);
    open = rest.length > MAX_OPEN_LINE ? '' : rest;
  }
  if (open !== '') add([open]);
}

/** Collects lines until the next frame: a busy log is drawn sixty times a second, and not ten thousand times. */
function batched(
  take: (lines: readonly string[]) => void,
  signal: AbortSignal,
): { readonly add: (lines: readonly string[]) => void; readonly flush: () => void } {
  let waiting: string[] = [];
  let frame: number | undefined;
  const flush = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
    const lines = waiting;
    waiting = [];
    if (lines.length > 0 && !signal.aborted) take(lines);
  };
  return {
    add: (lines) => {
      for (const line of lines) waiting.push(line);
      // A tab that nobody sees has no frames: what waits must not grow there.
      if (waiting.length >= MAX_WAITING_LINES) flush();
      else frame ??= requestAnimationFrame(flush);
    },
    flush,
  };
}
