/** Names the part of a configuration that code takes for there, behind an error about a value that is not. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';
import { configTexts } from './config-texts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { hasWord } from '../words/text.ts';

/** "Cannot read properties of undefined (reading 'host')", "Cannot read property 'host' of undefined" */
const OF_NODE =
  /Cannot (?:read|set) propert(?:ies of (?:undefined|null) \((?:reading|setting) '([\w$]{1,60})'\)|y '([\w$]{1,60})' of (?:undefined|null))/;

/** "config.smtp is not there, and no ConfigMap of it has smtp"; undefined: the code does not show what is meant. */
export function undefinedPart(facts: PodFacts, container: ContainerFacts, says: string): string | undefined {
  const { decisive } = container.reading;
  const match = OF_NODE.exec(decisive?.line ?? '');
  const wanted = match?.[1] ?? match?.[2];
  if (decisive === undefined || wanted === undefined) return undefined;
  const before = new RegExp(
    String.raw`((?:[A-Za-z_$][\w$]{0,40}\??\.){1,6}[A-Za-z_$][\w$]{0,40})\??\.${escaped(wanted)}\b`,
  );
  const expression = (decisive.code ?? []).flatMap((line) => before.exec(line)?.[1] ?? [])[0];
  const part = expression?.split('.').at(-1)?.replace(/\?$/, '');
  // Another finding tells of a variable that nothing sets.
  if (expression === undefined || /^process\.env\b/.test(expression) || part === undefined || says.includes(expression))
    return undefined;
  const texts = configTexts(facts, container).filter(({ at }) => /\.(?:json|ya?ml|toml|ini|conf|properties)$/.test(at));
  const lacks = texts.length > 0 && !texts.some(({ text }) => hasWord(text, part));
  return `${expression} is not there${lacks ? `, and ${texts.length === 1 ? texts[0]?.at : 'no configuration of its ConfigMaps'} has ${texts.length === 1 ? 'no ' : ''}${part}` : ''}`;
}

function escaped(name: string): string {
  return name.replaceAll('$', String.raw`\$`);
}
