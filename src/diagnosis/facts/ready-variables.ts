/** Tells which variable sets what a container that is not ready complains about. Pure. */
import type { RankedFinding } from '../finding.ts';
import { withFirstsOf } from './first-ends.ts';
import { ofText } from './environment.ts';
import type { PodFacts } from './pod-facts.ts';
import { settingVariable } from './setting-variables.ts';
import { hasWord } from './text.ts';

/** The findings; the first of each container about why it is not ready names the variable. */
export function withReadyVariables(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return withFirstsOf('ready', facts, found, (container, finding) => {
    const { failing, standsAt, reading, path, environment } = container;
    const lines = [failing?.line, standsAt?.said.line, reading.decisive?.line];
    const line = lines.find((each) => each !== undefined && each !== '' && finding.says.includes(each.slice(0, SAME)));
    const blamed = line === undefined ? undefined : settingVariable(environment, line);
    if (blamed === undefined || hasWord(finding.says, blamed.variable.name)) return finding;
    const { variable, setting } = blamed;
    return {
      ...finding,
      says: `${finding.says}; its variable ${variable.name}${ofText(variable)} sets ${setting}`,
      evidence: [...finding.evidence, { source: 'field', path: `${path}.${variable.at}`, value: variable.of ?? 'set' }],
    };
  });
}

/** Characters of a line by which a quotation of it is known. */
const SAME = 40;
