/** Invariant: restart policies are kept. */
import type { Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { wasAsked } from './healing-words.ts';
import { InvariantViolation } from './violation.ts';

/**
 * Containers with Never and ephemeral containers are never restarted, those with OnFailure only after a failure. Init
 * containers may run again and are not checked.
 */
export function keepsRestartPolicy(facts: Facts): void {
  const pods = new Map<string, Pod>();
  const lastExit = new Map<string, number>();
  facts.on({
    'pod-written': ({ pod }) => void pods.set(pod.metadata?.uid ?? '', pod),
    exited: ({ uid, container, exitCode }) => void lastExit.set(`${uid} ${container}`, exitCode),
    started: ({ uid, container }) => {
      const key = `${uid} ${container}`;
      const exitCode = lastExit.get(key);
      const spec = pods.get(uid)?.spec;
      const ephemeral = spec?.ephemeralContainers?.some(({ name }) => name === container) === true;
      if (ephemeral && exitCode !== undefined) throw new InvariantViolation('restart policy', `${key} is ephemeral`);
      const regular = spec?.containers.some(({ name }) => name === container) === true;
      if (exitCode === undefined || !regular || wasAsked(pods.get(uid))) return;
      const policy = spec?.restartPolicy ?? 'Always';
      const allowed = policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
      if (!allowed)
        throw new InvariantViolation('restart policy', `${key} restarted after exit ${exitCode} under ${policy}`);
    },
  });
}
