/** The sources of a volume's content: the objects to follow, and the pod's own fields. Pure. */
import type { Pod, Volume } from '../../api/index.ts';
import type { ConfigKind } from '../env/config-source.ts';

export interface ObjectReference {
  readonly kind: ConfigKind;
  readonly name: string;
}

/** The ConfigMaps and Secrets that the volume shows, each once. */
export function objectsOf({ configMap, secret, projected }: Volume): readonly ObjectReference[] {
  const names: ObjectReference[] = [];
  const add = (kind: ConfigKind, name: string | undefined): void => {
    const there = names.some((each) => each.kind === kind && each.name === name);
    if (name !== undefined && name !== '' && !there) names.push({ kind, name });
  };
  add('ConfigMap', configMap?.name);
  add('Secret', secret?.secretName);
  for (const source of projected?.sources ?? []) {
    add('ConfigMap', source.configMap?.name);
    add('Secret', source.secret?.name);
  }
  return names;
}

/** Whether the volume shows fields of the pod. */
export function showsPod({ downwardAPI, projected }: Volume): boolean {
  return downwardAPI !== undefined || (projected?.sources ?? []).some((source) => source.downwardAPI !== undefined);
}

/** A text that differs when a downward API volume may: labels, annotations and resources can change under a running pod. */
export function shownFields({ metadata, spec }: Pod): string {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return JSON.stringify([metadata?.labels, metadata?.annotations, containers.map(({ resources }) => resources)]);
}
