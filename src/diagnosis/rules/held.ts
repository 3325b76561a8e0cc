/** Rule: somebody holds a container's processes from running: its cgroup is frozen, or it got SIGSTOP. */
import type { Hold } from '../evidence/kinds.ts';
import { probeFailures, quoteProbe } from '../facts/probe-failures.ts';
import { endingOf, whatFollows } from '../facts/ending.ts';
import { eachContainer, NOTHING, type PodRule } from '../rule.ts';
import { title } from './exit-code.ts';

const MEANINGS: Readonly<Record<Hold, string>> = {
  frozen: 'its cgroup is frozen, so none of its processes runs',
  stopped: 'its main process is stopped (SIGSTOP) and waits for SIGCONT',
  traced: 'a debugger or tracer holds its main process',
};

export const held: PodRule = eachContainer((facts, container) => {
  const hold = facts.evidence.held?.[container.name];
  if (hold === undefined || container.status?.state?.running === undefined) return NOTHING;
  const ending = endingOf(facts, container);
  const failures = (['liveness', 'readiness', 'startup'] as const).flatMap((type) =>
    probeFailures(container, type).slice(0, 1),
  );
  return [
    {
      id: 'held',
      severity: 'critical',
      rank: 97,
      topic: `held/${container.name}`,
      container: container.name,
      says: `${title(container)} is paused: ${MEANINGS[hold]}${ending === undefined ? '' : `; ${whatFollows(facts, container, ending)}`}`,
      evidence: [
        { source: 'object', object: `container ${container.name}, as its node sees it now`, says: hold },
        ...failures.map((failure) => quoteProbe(container, failure)),
      ],
      try: [
        ...(hold === 'stopped'
          ? [facts.commands.kubectl('exec', facts.name, '-c', container.name, '--', 'kill', '-CONT', '1')]
          : []),
        facts.commands.mendlet('restart', `pod/${facts.name}`),
      ],
    },
  ];
});
