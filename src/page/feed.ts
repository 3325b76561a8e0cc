/** How the messages of the stream change what the page knows. Rows that did not change stay the same values. Pure. */
import { BEAT_MS, type Delta, type PageRow, type PageState, type StreamMessage } from './contract.ts';
import { BEAT_SLACK_MS, FIRST_RETRY_MS, LAST_RETRY_MS, MISSED_BEATS } from './limits.ts';

/** A page that hears nothing for this long calls its data stale. */
export const SILENCE_MS = MISSED_BEATS * BEAT_MS + BEAT_SLACK_MS;

export function applied(state: PageState, message: StreamMessage): PageState {
  switch (message.type) {
    case 'full':
      return { ...message.state, rows: keptWhereEqual(state.rows, message.state.rows) };
    case 'delta':
      return changed(state, message);
    case 'beat':
      return { ...state, at: message.at };
  }
}

function changed(state: PageState, delta: Delta): PageState {
  const { stale, ...rest } = state;
  const nextStale = delta.stale === undefined ? stale : (delta.stale ?? undefined);
  return {
    ...rest,
    ...(nextStale === undefined ? {} : { stale: nextStale }),
    revision: delta.revision,
    at: delta.at,
    verdict: delta.verdict ?? state.verdict,
    day: delta.day ?? state.day,
    week: delta.week ?? state.week,
    nodes: delta.nodes ?? state.nodes,
    rows: changedRows(state.rows, delta.rows ?? [], delta.gone ?? []),
  };
}

function changedRows(rows: readonly PageRow[], fresh: readonly PageRow[], gone: readonly string[]): readonly PageRow[] {
  if (fresh.length === 0 && gone.length === 0) return rows;
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const id of gone) byId.delete(id);
  for (const row of fresh) byId.set(row.id, row);
  return [...byId.values()];
}

/** After a new connection all rows come again; most of them are as they were. */
function keptWhereEqual(rows: readonly PageRow[], fresh: readonly PageRow[]): readonly PageRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return fresh.map((row) => {
    const known = byId.get(row.id);
    return known !== undefined && JSON.stringify(known) === JSON.stringify(row) ? known : row;
  });
}

/**
 * @param attempt 0 for the first
 * @param random in [0, 1): pages that lost one server do not come back at one moment
 */
export function retryDelayMs(attempt: number, random: number): number {
  const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 16));
  return Math.round(delay * (0.75 + random / 2));
}

/**
 * Takes the lines out of what came so far. @param limit characters of an unfinished line
 * @throws RangeError when a line is longer
 */
export function splitLines(text: string, limit: number): { readonly lines: readonly string[]; readonly rest: string } {
  const parts = text.split('\n');
  const rest = parts.pop() ?? '';
  if (rest.length > limit) throw new RangeError(`the server sent a line of more than ${limit} characters`);
  return { lines: parts.filter((line) => line !== ''), rest };
}
