/** Randomness as a port. One stream per component (`split`), so that a change in one does not disturb the others. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A version 4 UUID. */
  uuid(): string;
  /** `length` characters of Kubernetes' generateName alphabet ("bcdfghjklmnpqrstvwxz2456789"). */
  suffix(length: number): string;
  /** A separate stream, derived from this one and `label`. */
  split(label: string): Random;
}
