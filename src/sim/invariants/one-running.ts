/** Invariant: a container never runs twice at once. */
import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/** There are never two running containers of one (UID, name) on any nodes. */
export function oneRunning(facts: Facts): void {
  const running = new Map<string, string>();
  facts.on({
    started: ({ uid, container, id }) => {
      const key = `${uid} ${container}`;
      const other = running.get(key);
      if (other !== undefined) throw new InvariantViolation('one running', `${key}: ${id} started while ${other} runs`);
      running.set(key, id);
    },
    exited: ({ uid, container, id }) => {
      const key = `${uid} ${container}`;
      if (running.get(key) === id) running.delete(key);
    },
  });
}
