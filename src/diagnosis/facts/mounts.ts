/** Which volume a container's file lies in, and what fills it. */
import type { Quote } from '../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';

type Volume = NonNullable<NonNullable<PodFacts['pod']['spec']>['volumes']>[number];

export interface MountedVolume {
  readonly volume: Volume;
  /** "spec.volumes[0]" */
  readonly path: string;
  readonly mountPath: string;
}

/** The innermost volume mounted at or above the file. */
export function volumeOf(facts: PodFacts, { spec }: ContainerFacts, file: string): MountedVolume | undefined {
  const [mount] = (spec.volumeMounts ?? [])
    .filter(({ mountPath }) => isWithin(file, mountPath))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  const volumes = facts.pod.spec?.volumes ?? [];
  const index = mount === undefined ? -1 : volumes.findIndex(({ name }) => name === mount.name);
  const volume = volumes[index];
  if (mount === undefined || volume === undefined) return undefined;
  return { volume, path: `spec.volumes[${index}]`, mountPath: mount.mountPath };
}

function isWithin(file: string, folder: string): boolean {
  const trimmed = folder.replace(/\/+$/, '');
  return file === trimmed || file.startsWith(`${trimmed}/`);
}

export interface ConfigBehind {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly quote: Quote;
}

/** The ConfigMaps and Secrets that a volume is made of. */
export function configsBehind({ volume, path }: MountedVolume): readonly ConfigBehind[] {
  const found: ConfigBehind[] = [];
  const add = (kind: ConfigBehind['kind'], name: string | undefined, at: string): void => {
    if (name === undefined || name === '') return;
    found.push({ kind, name, quote: { source: 'field', path: `${path}.${at}`, value: name } });
  };
  add('ConfigMap', volume.configMap?.name, 'configMap.name');
  add('Secret', volume.secret?.secretName, 'secret.secretName');
  for (const [index, { configMap, secret }] of (volume.projected?.sources ?? []).entries()) {
    add('ConfigMap', configMap?.name, `projected.sources[${index}].configMap.name`);
    add('Secret', secret?.name, `projected.sources[${index}].secret.name`);
  }
  return found;
}
