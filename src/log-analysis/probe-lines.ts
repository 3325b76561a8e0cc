/** Knows what servers log of a probe that opens a connection and says nothing. Pure. */

const OF_PROBE = /user: 'unauthenticated'|IP address '[^']{1,60}' could not be resolved|incomplete startup packet/;

/** Whether the line tells of a probe, and of no client. */
export function isOfProbe(line: string): boolean {
  return OF_PROBE.test(line);
}
