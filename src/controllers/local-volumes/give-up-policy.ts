/** Which healing policy gives a volume up, and when: a pure function of the pods that have its claim. */
import { durationMs, type HealingPolicy, type Pod } from '../../api/index.ts';
import { readPolicy, winnerFor } from '../healing/read-policies.ts';

export interface GiveUpPolicy {
  readonly name: string;
  readonly afterMs: number;
}

/**
 * The policy that waits longest, if every pod of the claim has one that gives up; undefined: nobody but a person does. Without a pod
 * there is none: nobody misses the volume.
 * @param policies those of the namespace that are not being deleted
 */
export function giveUpPolicyFor(pods: readonly Pod[], policies: readonly HealingPolicy[]): GiveUpPolicy | undefined {
  const read = policies.map(readPolicy);
  let longest: GiveUpPolicy | undefined;
  for (const { metadata } of pods) {
    const winner = winnerFor(read, metadata?.labels);
    const policy = policies.find((each) => each.metadata?.name === winner?.name);
    const afterMs = durationMs(policy?.spec?.volumes?.giveUpAfter ?? '');
    if (winner === undefined || afterMs === undefined) return undefined;
    if (longest === undefined || afterMs > longest.afterMs) longest = { name: winner.name, afterMs };
  }
  return longest;
}
