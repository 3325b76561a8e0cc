/** Small tools for errors and exhaustive decisions. Programmer errors crash loudly: nobody catches `AssertionFailed`. */
export class AssertionFailed extends Error {
  override readonly name = 'AssertionFailed';
}

/** Throws unless `condition` holds. For what the code itself guarantees, never for input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionFailed(message);
}

/** For the default branch of an exhaustive switch. */
export function assertNever(value: never): never {
  throw new AssertionFailed(`unexpected value ${JSON.stringify(value)}`);
}

/** The message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
