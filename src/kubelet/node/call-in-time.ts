/** A call to the API server that ends in time, one way or the other. */
import { type Clock, ConnectionError, withDeadline } from '../../lib/index.ts';
import { CALL_TIMEOUT_MS } from './limits.ts';

/** Rejects with ConnectionError when no answer came; then it is unknown whether the call took effect. */
export async function callInTime<T>(
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<T> {
  const result = await withDeadline({ clock, timeoutMs, signal }, work);
  if (result.kind === 'done') return result.value;
  throw new ConnectionError(`no answer within ${timeoutMs} ms`);
}
