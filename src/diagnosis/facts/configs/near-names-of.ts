/** Tells which name in the files and variables of a container is nearly the one that its error does not find. Pure. */
import { configFiles } from './config-files.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { ofText } from '../variables/environment.ts';
import { nearSetting, type NamingText } from './near-settings.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { hasWord } from '../words/text.ts';

/** "its configuration /etc/a.conf, of ConfigMap a, has off-site instead (line 3)": a name that is nearly the one that an error does not find. */
export function nearNameText(
  facts: PodFacts,
  container: ContainerFacts,
  line: string,
  told: string,
): string | undefined {
  const near = nearSetting(line, namingTexts(facts, container));
  if (near === undefined || hasWord(told, near.name)) return undefined;
  const at = near.line === undefined ? '' : ` (line ${near.line})`;
  return `${near.from.says} has ${near.name} instead${at}`;
}

/** Variables whose values nobody may see. */
const MAY_BE_SECRET = /pass|pwd|secret|token|key|cred|auth|private|salt|hash|cookie|session|dsn/i;

/** The files and variables of a container in which names may be defined. */
function namingTexts(facts: PodFacts, container: ContainerFacts): readonly NamingText[] {
  const files = configFiles(facts, container).flatMap(({ file, origin }): readonly NamingText[] => {
    const { config, key = '' } = origin ?? {};
    const known = facts.evidence.configs.find(({ kind, name }) => kind === config?.kind && name === config.name);
    const text = known?.texts?.[key];
    if (text === undefined || config === undefined) return [];
    return [{ says: `its configuration ${file}, of ${config.kind} ${config.name},`, text, isList: false }];
  });
  const variables = container.environment
    .filter(({ name, value }) => !MAY_BE_SECRET.test(name) && !value.includes('@'))
    .map(
      (variable): NamingText => ({
        says: `its variable ${variable.name}${ofText(variable)}`,
        text: variable.value,
        isList: true,
      }),
    );
  return [...files, ...variables];
}
