/** Finds what a container says of its trouble: at its end, or while it is not ready. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';

/** The line that decides, else its last error, else its last line; empty: it says nothing that is known. */
export function saidLast({ reading, death, failing, standsAt, again }: ContainerFacts): string {
  const { decisive, lastError, lastLine, live } = reading;
  if (death !== undefined) return decisive?.line ?? lastError?.line ?? lastLine ?? '';
  return again?.said.line ?? failing?.line ?? decisive?.line ?? standsAt?.said.line ?? live.at(-1) ?? '';
}
