/** Rule: a variable refers to another one that is defined after it, or nowhere, so that its value holds "$(NAME)" as it stands. */
import type { ContainerFacts } from '../facts/container-facts.ts';
import { endedByItself, lastWord } from '../facts/last-words.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../rule.ts';
import { commandForLog, explainedEnd, title } from './exit-code.ts';
import { isLateForReady } from './readiness.ts';

/** What Kubernetes expands, and leaves as it is where it knows no such variable. */
const REFERENCE = /\$\(([A-Za-z_][\w.-]{0,200})\)/;

interface Unexpanded {
  readonly variable: string;
  readonly index: number;
  readonly wants: string;
  /** Where it is defined after all. */
  readonly definedAt?: number;
}

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container) && !isLateForReady(facts, container)) return NOTHING;
  const word = lastWord(container, REFERENCE) ?? failingWord(container);
  const wants = word?.match[1];
  const found = unexpandedIn(container).find((each) => each.wants === wants);
  if (word === undefined || found === undefined) return NOTHING;
  const { variable, index, definedAt } = found;
  const why =
    definedAt === undefined
      ? `which nothing defines`
      : `which is defined after it, and only what is defined before is filled in`;
  const { name, path } = container;
  const ended = container.death !== undefined;
  const told = explainedEnd(facts, container, {
    id: 'unexpanded-variable',
    rank: 92,
    says: `variable ${variable} of ${title(container)} refers to $(${found.wants}), ${why}`,
    line: word.line,
    more: [
      { source: 'field', path: `${path}.env[${index}] (${variable})`, value: `refers to $(${found.wants})` },
      ...(definedAt === undefined
        ? []
        : [{ source: 'field' as const, path: `${path}.env[${definedAt}]`, value: found.wants }]),
    ],
    try: ended ? [...facts.commands.edit, commandForLog(facts, container)] : facts.commands.edit,
  });
  return [ended ? told : { ...told, severity: 'critical', topic: `ready/${name}` }];
};

export const unexpandedVariables: PodRule = eachContainer(ofContainer);

function failingWord({ failing }: ContainerFacts) {
  const match = failing === undefined ? null : REFERENCE.exec(failing.line);
  return failing === undefined || match === null ? undefined : { line: failing.line, match };
}

/** The references of a container's variables that are not filled in. */
function unexpandedIn({ spec }: ContainerFacts): readonly Unexpanded[] {
  const names = (spec.env ?? []).map(({ name }) => name);
  return (spec.env ?? []).flatMap(({ name: variable, value = '' }, index): readonly Unexpanded[] => {
    // "$$(NAME)" is meant to stay as it is.
    const references = [...value.replaceAll('$$', '').matchAll(new RegExp(REFERENCE, 'g'))];
    return references.flatMap(([, wants = '']): readonly Unexpanded[] => {
      const definedAt = names.indexOf(wants);
      if (definedAt !== -1 && definedAt < index) return [];
      // A variable of envFrom or of a service is defined before all others.
      if (definedAt === -1 && (spec.envFrom ?? []).length > 0) return [];
      return [{ variable, index, wants, ...(definedAt !== -1 && { definedAt }) }];
    });
  });
}
