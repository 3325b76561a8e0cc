/** A mistake in the command line: mendlet prints the message and exits with 2 before it begins anything. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
