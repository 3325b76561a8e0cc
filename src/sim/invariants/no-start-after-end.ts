import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/**
 * No start after termination began, nor after a terminal phase was written. Termination has begun once an agent that knows
 * of the deletion stops something of the pod. What counts is when a start was sent: one on its way is nobody's mistake.
 */
export function noStartAfterEnd(facts: Facts): void {
  const told = new Set<string>();
  const ending = new Set<string>();
  const over = new Set<string>();
  facts.listen((fact) => {
    switch (fact.kind) {
      case 'deletion-delivered':
        told.add(fact.uid);
        return;
      case 'stop-called':
      case 'sandbox-stopped':
        if (told.has(fact.uid)) ending.add(fact.uid);
        return;
      case 'pod-written': {
        const phase = fact.pod.status?.phase;
        if (phase === 'Succeeded' || phase === 'Failed') over.add(fact.pod.metadata?.uid ?? '');
        return;
      }
      case 'start-sent': {
        const why = ending.has(fact.uid)
          ? 'its termination began'
          : over.has(fact.uid)
            ? 'its phase was terminal'
            : undefined;
        if (why === undefined) return;
        throw new InvariantViolation(
          'no start after the end',
          `${fact.uid} ${fact.container}#${fact.attempt} started after ${why}`,
        );
      }
      default:
    }
  });
}
