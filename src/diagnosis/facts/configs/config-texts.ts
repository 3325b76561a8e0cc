/** What the ConfigMaps hold that a container uses, as far as they were read. It is compared, and not shown itself. Pure. */
import type { ConfigEvidence } from '../../evidence/pod-evidence.ts';
import { usedBy } from './config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

export interface ConfigText {
  /** "ConfigMap zoo, key zoo.cfg" */
  readonly at: string;
  readonly text: string;
}

/** What the keys of these ConfigMaps hold, as far as they were read. */
export function textsOfMaps(configs: readonly ConfigEvidence[], names: ReadonlySet<string>): readonly ConfigText[] {
  return configs
    .filter(({ kind, name }) => kind === 'ConfigMap' && names.has(name))
    .flatMap(({ name, texts = {} }) =>
      Object.entries(texts).map(([key, text]) => ({ at: `ConfigMap ${name}, key ${key}`, text })),
    );
}

export function configTexts({ evidence, pod }: PodFacts, { spec }: ContainerFacts): readonly ConfigText[] {
  const used = new Set(usedBy(pod, spec).flatMap(({ kind, name }) => (kind === 'ConfigMap' ? [name] : [])));
  return textsOfMaps(evidence.configs, used);
}
