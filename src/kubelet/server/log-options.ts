/** The query of /containerLogs (upstream: PodLogOptions). Pure. */
import { parseTime } from '../../lib/index.ts';
import { RequestError } from './responses.ts';
import type { LogOptions } from '../pods/log-format.ts';

/** Throws `RequestError` 400 for values that make no sense. `wall`: now. */
export function parseLogOptions(query: URLSearchParams, wall: number): LogOptions {
  const sinceSeconds = integer(query, 'sinceSeconds', 1);
  const sinceTime = query.get('sinceTime') ?? undefined;
  const since = parseTime(sinceTime);
  if (sinceTime !== undefined && since === undefined) throw new RequestError(400, `invalid sinceTime: ${sinceTime}`);
  if (sinceSeconds !== undefined && since !== undefined) {
    throw new RequestError(400, 'at most one of `sinceTime` or `sinceSeconds` may be specified');
  }
  const sinceWall = sinceSeconds === undefined ? since : wall - sinceSeconds * 1000;
  const tailLines = integer(query, 'tailLines', 0);
  const limitBytes = integer(query, 'limitBytes', 1);
  const stream = streamOf(query.get('stream'));
  return {
    follow: bool(query, 'follow'),
    previous: bool(query, 'previous'),
    timestamps: bool(query, 'timestamps'),
    ...(sinceWall !== undefined && { sinceWall }),
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(stream !== undefined && { stream }),
  };
}

function integer(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RequestError(400, `invalid ${name}: ${text}: must be an integer of at least ${least}`);
}

function bool(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && ['', '1', 't', 'true'].includes(text.toLowerCase());
}

function streamOf(text: string | null): 'stdout' | 'stderr' | undefined {
  const stream = text?.toLowerCase();
  if (stream === undefined || stream === '' || stream === 'all') return undefined;
  if (stream === 'stdout' || stream === 'stderr') return stream;
  throw new RequestError(400, `invalid stream: ${text}`);
}
