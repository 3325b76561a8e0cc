/** Rule: a member of a cluster that decides by majority has none any more, because its StatefulSet was scaled down. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself, quoteLine } from '../../facts/words/last-words.ts';
import { lostMembers } from '../../facts/pod/lost-members.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { scaledText } from '../../facts/peers/pod-names.ts';
import { listed, quotable } from '../../facts/words/text.ts';
import { readLog } from '../../../log-analysis/index.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { title } from '../ends/exit-code.ts';
import { isLateForReady } from '../probes/readiness.ts';

const ofContainer: ContainerRule = (facts, container) => {
  const outcome = outcomeOf(facts, container);
  const lost = outcome === undefined ? undefined : lostMembers(facts, container);
  if (outcome === undefined || lost === undefined) return NOTHING;
  const { set, gone, all, at, line } = lost;
  const [which, are] = gone.length === 1 ? ['member', 'is'] : ['members', 'are'];
  const last = Number(gone.at(-1)?.slice(set.name.length + 1) ?? 0);
  return [
    {
      id: 'quorum-lost',
      severity: outcome.severity,
      // Above what its probe and its peers' names say of it, which only follows.
      rank: outcome.severity === 'critical' ? 91 : 50,
      topic: `${outcome.topic}/${container.name}`,
      container: container.name,
      says: `${title(container)} ${outcome.says}: ${scaledText(set)}, so that its ${which} ${listed(gone)}, which its ${at} names, ${are} gone, and ${set.replicas} of ${all} ${set.replicas === 1 ? 'is' : 'are'} no majority: ${quotable(said(line)).replace(/\.+$/, '')}`,
      evidence: [
        { source: 'field', of: `statefulset/${set.name}`, path: 'spec.replicas', value: String(set.replicas) },
        quoteLine(container, line),
      ],
      try: [
        facts.commands.kubectl('scale', `statefulset/${set.name}`, `--replicas=${last - set.start + 1}`),
        facts.commands.kubectl('logs', facts.name, '-c', container.name),
      ],
    },
  ];
};

export const quorumLost: PodRule = eachContainer(ofContainer);

/** Without its time and level. */
function said(line: string): string {
  return readLog([line]).live.at(-1) ?? line;
}

function outcomeOf(facts: PodFacts, container: ContainerFacts) {
  if (facts.deleting || facts.finished || container.kind === 'init') return undefined;
  const { killed } = container;
  const isKilled = killed?.because === 'liveness' || killed?.because === 'startup';
  if (endedByItself(container) || (container.death !== undefined && isKilled))
    return { severity: 'critical' as const, topic: 'end', says: isKilled ? 'is killed by its probe' : 'ends' };
  if (isLateForReady(facts, container)) return { severity: 'critical' as const, topic: 'ready', says: 'is not ready' };
  return container.again === undefined
    ? undefined
    : { severity: 'warning' as const, topic: 'runs', says: 'runs, and cannot do its work' };
}
