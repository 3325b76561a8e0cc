/** Tells which variable sets what a container that is not ready complains about. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { Blamed } from '../variables/blamed.ts';
import { misnamed } from '../variables/blamed-code.ts';
import { quotedIn, variableOfValue } from '../variables/blamed-variables.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { withFirstsOf } from '../pod/first-ends.ts';
import { ofText } from '../variables/environment.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { quotedLine } from '../words/quoted-line.ts';
import { settingVariable } from '../variables/setting-variables.ts';
import { hasWord } from '../words/text.ts';

/** The findings; the first of each container about why it is not ready names the variable. */
export function withReadyVariables(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return withFirstsOf('ready', facts, found, (container, finding) => {
    const line = quotedLine(container, finding.says);
    const blamed =
      misnamed(facts, container, finding) ??
      (line === undefined ? undefined : (ofSetting(container, line) ?? variableOfValue(container, quotedIn(line))));
    if (blamed === undefined || (blamed.isAbsent !== true && hasWord(finding.says, blamed.name))) return finding;
    return {
      ...finding,
      says: `${finding.says}; ${blamed.says}`,
      evidence: [...finding.evidence, ...(blamed.quote === undefined ? [] : [blamed.quote])],
    };
  });
}

function ofSetting({ path, environment }: ContainerFacts, line: string): Blamed | undefined {
  const found = settingVariable(environment, line);
  if (found === undefined) return undefined;
  const { variable, setting } = found;
  return {
    name: variable.name,
    says: `its variable ${variable.name}${ofText(variable)} sets ${setting}`,
    quote: { source: 'field', path: `${path}.${variable.at}`, value: variable.of ?? 'set' },
  };
}
