/** Knows what servers log of those that only ask whether they are well. Pure. */

const OF_PROBE =
  /user: 'unauthenticated'|IP address '[^']{1,60}' could not be resolved|incomplete startup packet|\bNONE_NONE\/000\b.{0,40}transaction-end-before-headers/;

/** Whether the line tells of a probe that opens a connection and says nothing, and of no client. */
export function isOfProbe(line: string): boolean {
  return OF_PROBE.test(line);
}

/** The node and load balancers, as they name themselves in their requests. */
const HEALTH_CHECKER = /kube-probe|GoogleHC|ELB-HealthChecker/i;

/** Whether the line is of a request of the node or of a load balancer. */
export function isOfHealthChecker(line: string): boolean {
  return HEALTH_CHECKER.test(line);
}
