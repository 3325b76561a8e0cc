/** Finds the configurations that an init container copies for another one into an emptyDir that both mount. Pure. */
import type { Container, Pod } from '../../evidence/kinds.ts';
import { type ConfigFile, configFiles } from './config-files.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';

export interface CopiedConfig extends ConfigFile {
  /** Where the container has it; `file` is where the init container has it. */
  readonly copy: string;
  /** The name of the init container. */
  readonly by: string;
}

/** The init containers that mount an emptyDir of the container, too. */
export function fillersOf({ spec }: Pod, { volumeMounts = [] }: Container): readonly Container[] {
  const empty = (spec?.volumes ?? []).flatMap(({ name, emptyDir }) => (emptyDir === undefined ? [] : [name]));
  const shared = new Set(volumeMounts.flatMap(({ name }) => (empty.includes(name) ? [name] : [])));
  return (spec?.initContainers ?? []).filter((init) => (init.volumeMounts ?? []).some(({ name }) => shared.has(name)));
}

/** Files of ConfigMaps and Secrets that the init container's command names, and that the container's command has by the same name elsewhere. */
export function copiedConfigs(facts: PodFacts, container: ContainerFacts): readonly CopiedConfig[] {
  const own = commandText(container.spec, container.environment);
  return fillersOf(facts.pod, container.spec).flatMap((init) => {
    const filler = facts.containers.find(({ kind, name }) => kind !== 'container' && name === init.name);
    if (filler === undefined || filler === container) return [];
    const command = commandText(filler.spec, filler.environment);
    return configFiles(facts, filler).flatMap((found): readonly CopiedConfig[] => {
      const name = found.file.slice(found.file.lastIndexOf('/') + 1);
      const folder = found.file.slice(0, found.file.lastIndexOf('/') + 1);
      const isNamed = command.includes(found.file) || command.includes(`${folder}*`);
      const copy = isNamed ? pathTo(own, name) : undefined;
      return copy === undefined || copy === found.file ? [] : [{ ...found, copy, by: filler.name }];
    });
  });
}

/** "/work/sentinel.conf": the only path of the text that ends with this name. */
function pathTo(text: string, name: string): string | undefined {
  const all = new Set(text.split(/[\s"'=,]+/).filter((word) => word.startsWith('/') && word.endsWith(`/${name}`)));
  return all.size === 1 ? [...all][0] : undefined;
}
