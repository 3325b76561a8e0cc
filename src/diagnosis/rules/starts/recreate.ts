/** The command for a rollout whose new pod waits for what the old one has. */
import type { Deployment } from '../../../api/index.ts';
import type { Pod } from '../../evidence/kinds.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';

/** A rollout that makes the new pod first waits for ever when only one of them can have what both want. */
export function recreate({ owner, commands, evidence }: PodFacts, holders: readonly Pod[]): readonly string[] {
  const { replicas = 1, strategy } = (owner as Deployment | undefined)?.spec ?? {};
  if (owner?.kind !== 'Deployment' || replicas !== 1 || strategy?.type === 'Recreate') return [];
  const siblings = new Set(evidence.siblings.map(({ metadata }) => metadata?.uid));
  if (!holders.some(({ metadata }) => siblings.has(metadata?.uid))) return [];
  const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
  return [commands.kubectl('patch', commands.target, '-p', JSON.stringify(patch))];
}
