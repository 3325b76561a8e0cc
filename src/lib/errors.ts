/** Small tools for errors and exhaustive decisions. `AssertionFailed` is a programmer's error and is never caught. */
export class AssertionFailed extends Error {
  override readonly name = 'AssertionFailed';
}

/** Throws unless `condition` holds. It checks guarantees of the code itself, never input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionFailed(message);
}

/** For the default branch of an exhaustive switch. */
export function assertNever(value: never): never {
  throw new AssertionFailed(`unexpected value ${JSON.stringify(value)}`);
}

/** The message of any thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
