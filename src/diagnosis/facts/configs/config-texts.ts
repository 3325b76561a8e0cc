/** What the ConfigMaps hold that a container uses, as far as they were read. It is compared, and not shown itself. Pure. */
import { usedBy } from './config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

export interface ConfigText {
  /** "ConfigMap zoo, key zoo.cfg" */
  readonly at: string;
  readonly text: string;
}

export function configTexts({ evidence, pod }: PodFacts, { spec }: ContainerFacts): readonly ConfigText[] {
  const used = new Set(usedBy(pod, spec).flatMap(({ kind, name }) => (kind === 'ConfigMap' ? [name] : [])));
  return evidence.configs
    .filter(({ kind, name }) => kind === 'ConfigMap' && used.has(name))
    .flatMap(({ name, texts = {} }) =>
      Object.entries(texts).map(([key, text]) => ({ at: `ConfigMap ${name}, key ${key}`, text })),
    );
}
