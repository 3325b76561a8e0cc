import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/** Never two running containers of one (UID, name), on whatever nodes. */
export function oneRunning(facts: Facts): void {
  const running = new Map<string, string>();
  facts.listen((fact) => {
    if (fact.kind !== 'started' && fact.kind !== 'exited') return;
    const key = `${fact.uid} ${fact.container}`;
    if (fact.kind === 'exited') {
      running.delete(key);
      return;
    }
    const other = running.get(key);
    if (other !== undefined)
      throw new InvariantViolation('one running', `${key}: ${fact.id} started while ${other} runs`);
    running.set(key, fact.id);
  });
}
