/** Interprets a failed call about a command. Pure. */
import { RuntimeError } from '../runtime.ts';

/** The runtime did not answer: the request may have taken effect. */
export function isSilence(error: unknown): boolean {
  if (!(error instanceof RuntimeError)) return true;
  return error.code === 'Unavailable' || error.code === 'DeadlineExceeded' || error.code === 'Cancelled';
}

/** The shim's word for what runc refused. Its other failures may come after runc's success, while it opens the pipes. */
const REFUSED = /OCI runtime exec failed/;

/** Does the `error` of a start say that nothing runs? Only then may the command be started another way. */
export function isRefusedStart(error: unknown): boolean {
  if (!(error instanceof RuntimeError) || isSilence(error)) return false;
  const isKnown = ['NotFound', 'FailedPrecondition', 'PermissionDenied', 'Unimplemented'].includes(error.code);
  return isKnown || REFUSED.test(error.message);
}
