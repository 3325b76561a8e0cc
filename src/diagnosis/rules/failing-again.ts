/** Rule: a container runs and looks well, and fails at its work with each try, as only its log tells. */
import { type ContainerFacts, failingAt } from '../facts/container-facts.ts';
import { dependencyTrouble, isItself } from '../facts/dependencies.ts';
import { quoteLine } from '../facts/last-words.ts';
import { isAuxiliary } from '../facts/optional-peers.ts';
import type { PodFacts } from '../facts/pod-facts.ts';
import { quotable } from '../facts/text.ts';
import { wrongPeer } from '../facts/wrong-peers.ts';
import type { RankedFinding } from '../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../rule.ts';
import { blameOf, serviceCommands, serviceQuote, troubleFinding } from './dependencies.ts';
import { because } from './peer-words.ts';
import { title } from './exit-code.ts';
import { heldUpBy } from './held-up.ts';

/**
 * A note, because a program may well do without what it fails at; a warning where the cluster shows that nobody can answer it, and its log
 * tells of nothing else.
 */
const ofContainer: ContainerRule = (facts, container) => {
  const { again } = container;
  if (again === undefined) return NOTHING;
  const failing = failingAt(container, again);
  const { cause, isProven } = causeOf(facts, failing, again.times);
  const isExtra = isAuxiliary(again.said.line);
  return [
    {
      ...cause,
      severity: isExtra || !isProven ? 'info' : 'warning',
      rank: Math.min(cause.rank, MAX_RANK),
      topic: `runs/${container.name}`,
      says: `${cause.says}${container.spec.readinessProbe === undefined ? '; it has no readiness probe that would tell of it' : ''}`,
      fallback: true,
    },
  ];
};

/** What ends or is not ready comes first. */
const MAX_RANK = 50;

export const failingAgain: PodRule = eachContainer(ofContainer);

interface FailingCause {
  readonly cause: RankedFinding;
  /** The cluster shows that nobody can answer. */
  readonly isProven: boolean;
}

function causeOf(facts: PodFacts, container: ContainerFacts, times: number): FailingCause {
  const said = container.reading.decisive?.line ?? '';
  const outcome = ` and tries again and again (${times} times at the end of its log)`;
  const trouble = dependencyTrouble(container);
  if (trouble !== undefined && !isItself(trouble) && isSaid(said, trouble.word.line)) {
    const cause = troubleFinding(facts, container, trouble, { unready: true, outcome, more: [] });
    return { cause, isProven: cause.blames !== undefined };
  }
  const known = heldUpBy(facts, container);
  const wrong = wrongPeer(facts, container, said);
  const services = wrong?.service === undefined ? [] : [wrong.service];
  const cause: RankedFinding = {
    id: known?.id ?? 'fails-again',
    severity: 'info',
    rank: known?.rank ?? 20,
    topic: '',
    container: container.name,
    says: `${title(container)} runs, and fails with each try (${times} times at the end of its log): ${quotable(said).replace(/\.+$/, '')}${wrong === undefined ? '' : `; ${wrong.says}`}`,
    ...blameOf(because('refused', services), services),
    evidence: [quoteLine(container, said), ...(wrong?.quotes ?? []), ...services.map(serviceQuote)],
    try: [
      ...services.flatMap((service) => serviceCommands(facts, service)),
      facts.commands.kubectl('logs', facts.name, '-c', container.name),
    ],
  };
  return { cause, isProven: wrong !== undefined };
}

/** The trouble is that of the failure, and no older one. */
function isSaid(said: string, line: string): boolean {
  return line.includes(said.slice(0, 40)) || said.includes(line.slice(0, 40));
}
