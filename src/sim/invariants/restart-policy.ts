import type { Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/** Never is never restarted, OnFailure only after a failure. Of init containers only sidecars restart by themselves. */
export function keepsRestartPolicy(facts: Facts): void {
  const pods = new Map<string, Pod>();
  const lastExit = new Map<string, number>();
  facts.listen((fact) => {
    if (fact.kind === 'pod-written') pods.set(fact.pod.metadata?.uid ?? '', fact.pod);
    if (fact.kind !== 'exited' && fact.kind !== 'started') return;
    const key = `${fact.uid} ${fact.container}`;
    if (fact.kind === 'exited') {
      lastExit.set(key, fact.exitCode);
      return;
    }
    const spec = pods.get(fact.uid)?.spec;
    const exitCode = lastExit.get(key);
    const regular = spec?.containers.some(({ name }) => name === fact.container) === true;
    if (exitCode === undefined || !regular) return;
    const policy = spec?.restartPolicy ?? 'Always';
    const allowed = policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
    if (!allowed)
      throw new InvariantViolation('restart policy', `${key} restarted after exit ${exitCode} under ${policy}`);
  });
}
