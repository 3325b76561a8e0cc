/** Classifies errors of calls. */
import { StatusError } from '../api/index.ts';
import { ConnectionError } from '../lib/index.ts';

/** Whether the same call may succeed later: there was no answer, or the server is busy, starting or has an internal error. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof StatusError && (error.code === 429 || error.code >= 500);
}

/** Whether the server refused a create because the namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError) || error.code !== 403) return false;
  return (error.status.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating');
}
