/** Computes the size of an environment as the kernel counts it, and the message for one that is too large. Pure. */
import { EnvironmentError } from './environment-error.ts';
import { KERNEL_STRING_BYTES, KERNEL_TOTAL_BYTES, MAX_NAMED_VARIABLES } from './limits.ts';

/** "NAME=value" with its end, and the pointer to it. */
export function variableBytes({ name, value }: { readonly name: string; readonly value: string }): number {
  return textBytes(name) + '='.length + Buffer.byteLength(value, 'utf8');
}

/** A string with its end, and the pointer to it. */
export function textBytes(text: string): number {
  return Buffer.byteLength(text, 'utf8') + 1 + POINTER_BYTES;
}

const POINTER_BYTES = 8;

export interface SizedVariable {
  readonly name: string;
  /** The origin of a variable: "env[2]", "envFrom[0] (configMap default/big)", "service links". */
  readonly from: string;
  readonly bytes: number;
}

export interface EnvironmentSize {
  readonly variables: readonly SizedVariable[];
  /** Bytes of command and arguments, each. */
  readonly words: readonly { readonly place: string; readonly bytes: number }[];
}

export function totalBytes({ variables, words }: EnvironmentSize): number {
  return [...variables, ...words].reduce((sum, { bytes }) => sum + bytes, 0);
}

export function wordSizes(field: string, words: readonly string[]): EnvironmentSize['words'] {
  return words.map((word, position) => ({ place: `${field}[${position}]`, bytes: textBytes(word) }));
}

/** Runs `work`; an error names the place of a text that is too long. Throws `EnvironmentError`. */
export function bounded(place: string, work: () => string): string {
  try {
    return work();
  } catch (error) {
    throw error instanceof EnvironmentError ? new EnvironmentError(`${place}: ${error.message}`) : error;
  }
}

/** The message about it; `undefined`: the kernel accepts it under its usual limits. */
export function tooLargeMessage(container: string, { variables, words }: EnvironmentSize): string | undefined {
  const total = totalBytes({ variables, words });
  const parts = [
    ...variables.map(({ name, from, bytes }) => ({ what: `variable ${name} of ${from}`, bytes })),
    ...words.map(({ place, bytes }) => ({ what: place, bytes })),
  ].toSorted((a, b) => b.bytes - a.bytes);
  const large = parts.filter(({ bytes }) => bytes > KERNEL_STRING_BYTES);
  if (large.length === 0 && total <= KERNEL_TOTAL_BYTES) return undefined;
  const told = (large.length > 0 ? large : parts).slice(0, MAX_NAMED_VARIABLES);
  const more = large.length - told.length;
  const named = told.map(({ what, bytes }) => `${what} has ${bytes} bytes`).join(', ');
  const limits = `${KERNEL_STRING_BYTES} bytes a string and ${KERNEL_TOTAL_BYTES} in all`;
  return (
    `Environment and arguments of container "${container}" have ${total} bytes; Linux usually takes ${limits}, else the ` +
    `container ends with "argument list too long": ${named}${more > 0 ? `, and ${more} more` : ''}`
  );
}
