/** Rule: a container runs, and the supervisor in it has given up one of its programs. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { dependencyTrouble, isItself, type Trouble } from '../../facts/peers/dependencies.ts';
import { quoteLine } from '../../facts/words/last-words.ts';
import { listed } from '../../facts/words/text.ts';
import { formatHost } from '../../../log-analysis/index.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { saidBy, title } from '../ends/exit-code.ts';
import { brief, MAX_ANSWER } from '../probes/probe-case.ts';

/** A program that is refused by its own container is refused by the one that was given up. */
export function refusedByGivenUp(container: ContainerFacts): Trouble | undefined {
  if (!mayTell(container)) return undefined;
  const trouble = dependencyTrouble(container);
  return trouble?.kind === 'refused' && isItself(trouble) ? trouble : undefined;
}

function mayTell({ givenUp = [], death, kind, status }: ContainerFacts): boolean {
  return givenUp.length > 0 && death === undefined && kind !== 'init' && status?.state?.running !== undefined;
}

const ofContainer: ContainerRule = (facts, container) => {
  const { givenUp = [], name, status } = container;
  const [first, ...more] = givenUp;
  if (first === undefined || !mayTell(container)) return NOTHING;
  const refused = status?.ready === true ? undefined : refusedByGivenUp(container);
  const others = more.map(({ program }) => program);
  const why = first.because === undefined ? '' : `: ${brief(saidBy(first.because), MAX_ANSWER).replace(/\.+$/, '')}`;
  const what = status?.ready === true ? 'is ready' : 'is not ready';
  const effect =
    refused === undefined ? what : `is refused by ${formatHost(refused.host ?? '', refused.port)} and is not ready`;
  return [
    {
      id: 'program-given-up',
      severity: refused === undefined ? 'warning' : 'critical',
      rank: refused === undefined ? 45 : 92,
      topic: refused === undefined ? `runs/${name}` : `ready/${name}`,
      container: name,
      says: `${title(container)} ${effect}, and its program ${first.program} does not run, as ${first.supervisor} has given it up${others.length === 0 ? '' : ` (and ${listed(others)})`}${why}`,
      evidence: [
        ...(first.because === undefined ? [] : [quoteLine(container, first.because.line)]),
        quoteLine(container, first.line),
        ...(refused === undefined ? [] : [quoteLine(container, refused.word.line)]),
      ],
      try: [facts.commands.kubectl('logs', facts.name, '-c', name), ...facts.commands.edit],
    },
  ];
};

export const givenUpPrograms: PodRule = eachContainer(ofContainer);
