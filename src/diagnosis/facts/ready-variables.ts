/** Tells which variable sets what a container that is not ready complains about. Pure. */
import type { RankedFinding } from '../finding.ts';
import { withFirstsOf } from './first-ends.ts';
import { ofText } from './environment.ts';
import type { PodFacts } from './pod-facts.ts';
import { quotedLine } from './quoted-line.ts';
import { settingVariable } from './setting-variables.ts';
import { hasWord } from './text.ts';

/** The findings; the first of each container about why it is not ready names the variable. */
export function withReadyVariables(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return withFirstsOf('ready', facts, found, (container, finding) => {
    const { path, environment } = container;
    const line = quotedLine(container, finding.says);
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
