/** Finds the variable behind an error by the container's own code: by its place, as one that nothing sets, or by another name. Pure. */
import type { DecisiveLine } from '../../../log-analysis/index.ts';
import type { RankedFinding } from '../../finding.ts';
import { type Blamed, mayBeOfValue, UNRELATED } from './blamed.ts';
import { codeTexts, placesIn, readAt, variablesRead } from './code-variables.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { hasWord } from '../words/text.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { misnamedVariable, onlyUnset } from './unset-in-code.ts';
import { namesSet } from './unset-variables.ts';

/** A variable that its code reads and that its pod sets by another name. */
export function misnamed(facts: PodFacts, container: ContainerFacts, { id, says }: RankedFinding): Blamed | undefined {
  if (UNRELATED.has(id) || container.death?.exitCode === 0) return undefined;
  const { decisive, lastLine, lastError } = container.reading;
  const said = [says, decisive?.line ?? lastError?.line ?? lastLine ?? '', ...(decisive?.related ?? [])];
  const found = misnamedVariable(facts, container, codeTexts(facts, container), said);
  if (found === undefined) return undefined;
  const { name, instead } = found;
  const isLacked = says.includes(`lacks the environment variable ${name}`);
  const isTold = instead !== undefined && hasWord(says, instead);
  if (isLacked && isTold) return undefined;
  const other = `${instead}${ofWholeText(container, instead ?? '')}`;
  return {
    name,
    says: isLacked
      ? `it sets ${other}`
      : `its code reads the variable ${name}, which its pod does not set${isTold ? '' : `; it sets ${other}`}`,
    isAbsent: true,
    quote: { source: 'field', path: `${container.path}.env`, value: `has ${instead}, and not ${name}` },
  };
}

/** " (of ConfigMap settings, with the prefix APP_)", of a variable that only a whole ConfigMap or Secret with this prefix can set. */
function ofWholeText({ spec }: ContainerFacts, variable: string): string {
  if ((spec.env ?? []).some(({ name }) => name === variable)) return '';
  const whole = (spec.envFrom ?? []).filter(({ prefix = '' }) => prefix !== '' && variable.startsWith(prefix));
  const [only, ...more] = whole;
  if (only === undefined || more.length > 0) return '';
  const of = only.configMapRef === undefined ? `Secret ${only.secretRef?.name}` : `ConfigMap ${only.configMapRef.name}`;
  return ` (of ${of}, with the prefix ${only.prefix})`;
}

/** What runtimes say of something that is not there, without a name. */
const LACKS_ANY =
  /\bNot_found\b|\b(?:None|NoneType|null|nil|undefined|NULL|Nothing|NotPresent)\b|(?:''|"")(?=[\s.,;:)]|$)|uninitiali[sz]ed|\b(?:is|was|are|not) (?:missing|required|empty|unset|configured|set|defined|provided|specified)\b|must be (?:set|given|provided|specified)|\bmissing\b|Value cannot be null|\bno value\b|wrong-type-argument|false value|KeyError/i;

/** The only variable that its code reads without a default and that nothing sets, behind an error about something that is not there. */
export function unsetInCode(
  facts: PodFacts,
  container: ContainerFacts,
  { id, says }: RankedFinding,
): Blamed | undefined {
  if (UNRELATED.has(id) || !mayBeOfValue(id) || container.death === undefined || container.death.exitCode === 0)
    return undefined;
  const { decisive, lastLine } = container.reading;
  const line = decisive?.line ?? lastLine ?? '';
  if (!LACKS_ANY.test(line)) return undefined;
  const read = onlyUnset(facts, container, codeTexts(facts, container));
  if (read === undefined || says.includes(`its variable ${read.name}`)) return undefined;
  return {
    name: read.name,
    says: `its code reads the variable ${read.name} (${read.file}, line ${read.line}), which its pod does not set`,
    isAbsent: true,
    quote: { source: 'field', path: `${container.path}.env`, value: `does not set ${read.name}` },
  };
}

/** Whether something stands in the code for a variable that is not set: then its absence is no fault. */
export function hasDefaultInCode(facts: PodFacts, container: ContainerFacts, name: string): boolean {
  const reads = variablesRead(codeTexts(facts, container)).filter((read) => read.name === name);
  return reads.length > 0 && reads.every(({ hasDefault }) => hasDefault);
}

/** The variable with a password that the code would show to its peer, and that nothing sets. */
export function passwordNotGiven(
  facts: PodFacts,
  container: ContainerFacts,
  { id, says }: RankedFinding,
): Blamed | undefined {
  if (id !== 'authentication-refused' || !says.includes('it gives none')) return undefined;
  const set = namesSet(facts, container);
  const reads = variablesRead(codeTexts(facts, container)).filter(({ name }) => OF_PASSWORDS.test(name));
  const [only, ...more] = [...new Set(reads.map(({ name }) => name))];
  if (only === undefined || more.length > 0 || set === undefined || set.has(only)) return undefined;
  return {
    name: only,
    says: `its code reads the variable ${only} for it, which its pod does not set`,
    isAbsent: true,
    quote: { source: 'field', path: `${container.path}.env`, value: `does not set ${only}` },
  };
}

const OF_PASSWORDS = /PASS|PWD|_PW$|AUTH/;

/** What the line of its code reads at which the error happened, or has read for a name on that line; undefined: nothing, or several. */
export function readInCode(
  facts: PodFacts,
  container: ContainerFacts,
  { line, place }: DecisiveLine,
): string | undefined {
  const texts = codeTexts(facts, container);
  for (const { file, line: number } of placesIn(`${line} ${place ?? ''}`, texts)) {
    const names = [...new Set(readAt(texts, file, number).map(({ name }) => name))];
    if (names.length === 1) return names[0];
  }
  return undefined;
}
