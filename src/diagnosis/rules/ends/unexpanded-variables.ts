/** Rule: a variable or an argument refers to a variable that is defined after it, or nowhere, so that it holds "$(NAME)" as it stands. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself } from '../../facts/words/last-words.ts';
import { listed } from '../../facts/words/text.ts';
import { type FoundUnexpanded, unexpandedReference } from '../../facts/variables/unexpanded.ts';
import type { Quote } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { argumentsOf, commandForLog, explainedEnd, title } from './exit-code.ts';
import { isLateForReady } from '../probes/readiness.ts';

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container) && !isLateForReady(facts, container)) return NOTHING;
  const found = unexpandedReference(facts, container);
  if (found === undefined) return NOTHING;
  const { variable, wants, definedAt, similar, line } = found;
  const why =
    definedAt === undefined
      ? `which nothing defines${similar.length === 0 ? '' : `; it has ${listed(similar)}`}`
      : `which is defined after it, and only what is defined before is filled in`;
  const who =
    variable === undefined
      ? `the arguments of ${title(container)} refer`
      : `variable ${variable} of ${title(container)} refers`;
  const ended = container.death !== undefined;
  const told = explainedEnd(facts, container, {
    id: 'unexpanded-variable',
    rank: 92,
    says: `${who} to $(${wants}), ${why}`,
    line,
    more: fieldsOf(container, found),
    try: ended ? [...facts.commands.edit, commandForLog(facts, container)] : facts.commands.edit,
  });
  return [ended ? told : { ...told, severity: 'critical', topic: `ready/${container.name}` }];
};

export const unexpandedVariables: PodRule = eachContainer(ofContainer);

function fieldsOf(container: ContainerFacts, { variable, index, wants, definedAt }: FoundUnexpanded): readonly Quote[] {
  const { path } = container;
  if (variable === undefined) return argumentsOf(container);
  return [
    { source: 'field', path: `${path}.env[${index}] (${variable})`, value: `refers to $(${wants})` },
    ...(definedAt === undefined ? [] : [{ source: 'field' as const, path: `${path}.env[${definedAt}]`, value: wants }]),
  ];
}
