/** A variable that is told with an error, and which errors may be about the value of one. Pure. */
import type { Quote } from '../../finding.ts';

export interface Blamed {
  readonly name: string;
  readonly says: string;
  readonly quote?: Quote;
  /** Its name in the headline does not tell what is said of it: that it is not set at all, or of which Secret it is. */
  readonly isAbsent?: true;
  /** What the error quotes is its value. */
  readonly isValue?: true;
}

/** The error is about the value itself, and not about who answers for it. */
export function mayBeOfValue(id: string): boolean {
  return !/^(?:authentication|not-allowed|certificate|dependency|tls|missing-data|connections|port-in-use|out-of|child-)/.test(
    id,
  );
}

/** Causes that no variable of the pod has to do with. */
export const UNRELATED: ReadonlySet<string> = new Set([
  'out-of-memory',
  'sandbox-lost',
  'died-together',
  'signal',
  'port-in-use',
]);
