/** A mistake in how mendlet was called: one clear message and exit code 2, before anything is begun. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
