/** A container's log for the page, as the viewer may read it. */
import { checkDns1123Subdomain, type Status } from '../../api/index.ts';
import { type Clock, decodeText, encodeText, readAll } from '../../lib/index.ts';
import { LOG_TAIL_LINES, MAX_LOG_BYTES } from '../limits.ts';
import type { Viewer } from '../ports.ts';
import { Refused } from '../refused.ts';
import { LogLines } from './log-lines.ts';
import { shownText } from './shown-text.ts';

export interface LogWish {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
  readonly follow: boolean;
}

/** @throws Refused for names that are none */
export function logWish(query: URLSearchParams, only: string | undefined): LogWish {
  const name = (field: string): string => {
    const text = query.get(field) ?? '';
    const [problem] = checkDns1123Subdomain(text);
    if (problem !== undefined) throw new Refused(400, `${field}: ${problem}`);
    return text;
  };
  const namespace = name('namespace');
  if (only !== undefined && namespace !== only) throw new Refused(403, `This page shows namespace ${only} alone.`);
  const isTrue = (field: string): boolean => query.get(field) === 'true';
  return {
    namespace,
    pod: name('pod'),
    container: name('container'),
    previous: isTrue('previous'),
    follow: isTrue('follow'),
  };
}

/**
 * The log in pieces of whole lines. A piece is read only when the one before was taken: a slow page holds up nobody else.
 * @throws Refused as the API server refuses
 */
export async function openLog(
  viewer: Viewer,
  wish: LogWish,
  ports: { readonly clock: Clock },
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { namespace, pod, container, previous, follow } = wish;
  const query = new URLSearchParams({ container, tailLines: String(LOG_TAIL_LINES) });
  if (previous) query.set('previous', 'true');
  if (follow) query.set('follow', 'true');
  else query.set('limitBytes', String(MAX_LOG_BYTES));
  const url = `/api/v1/namespaces/${namespace}/pods/${pod}/log?${query.toString()}`;
  const { status, body } = await viewer.connection.request({ method: 'GET', url, headers: { accept: '*/*' }, signal });
  if (status !== 200) throw new Refused(status, wordsOf(decodeText(await readAll(body, 64 * 1024))));
  return lines(body instanceof Uint8Array ? [body] : body, signal);
}

async function* lines(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const log = new LogLines();
  try {
    for await (const chunk of chunks) {
      const text = log.add(chunk);
      if (text !== '') yield encodeText(text);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const rest = log.end();
  if (rest !== '') yield encodeText(rest);
}

function wordsOf(text: string): string {
  try {
    return shownText((JSON.parse(text) as Status).message ?? text);
  } catch {
    return shownText(text);
  }
}
