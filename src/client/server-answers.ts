/** What an error of a call means for its caller. */
import { StatusError } from '../api/index.ts';
import { ConnectionError } from '../lib/index.ts';

/** Worth trying again as it is: no answer came, or the server is busy, starting or internally troubled. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof StatusError && (error.code === 429 || error.code >= 500);
}

/** The server refused a create because the namespace is going away. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError) || error.code !== 403) return false;
  return (error.status.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating');
}
