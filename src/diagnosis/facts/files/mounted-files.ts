/** Tells of a file in a volume of ConfigMaps, Secrets and tokens which source it is of, and which sources it hides. Pure. */
import type { ConfigReference } from '../configs/config-references.ts';
import type { MountedVolume } from './mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

/** A file that the node writes into a volume. */
export interface VolumeFile {
  /** Within the volume. */
  readonly path: string;
  /** Absent: it is of a token, a field of the pod, or a bundle of certificates. */
  readonly config?: ConfigReference;
  readonly key?: string;
}

interface Items {
  readonly items?: readonly { readonly key: string; readonly path: string }[];
}

/**
 * The files of a volume, those that come later hide others of the same path. Undefined: it is no such volume, or its keys are not
 * known.
 */
export function filesOf(facts: PodFacts, { volume }: Pick<MountedVolume, 'volume'>): readonly VolumeFile[] | undefined {
  const { configMap, secret, projected, downwardAPI } = volume;
  if (configMap !== undefined) return ofConfig(facts, 'ConfigMap', configMap.name, configMap);
  if (secret !== undefined) return ofConfig(facts, 'Secret', secret.secretName, secret);
  if (downwardAPI !== undefined) return (downwardAPI.items ?? []).map(({ path }) => ({ path }));
  if (projected === undefined) return undefined;
  const all = (projected.sources ?? []).map((source): readonly VolumeFile[] | undefined => {
    if (source.configMap !== undefined) return ofConfig(facts, 'ConfigMap', source.configMap.name, source.configMap);
    if (source.secret !== undefined) return ofConfig(facts, 'Secret', source.secret.name, source.secret);
    if (source.serviceAccountToken !== undefined) return [{ path: source.serviceAccountToken.path }];
    return source.downwardAPI === undefined
      ? undefined
      : (source.downwardAPI.items ?? []).map(({ path }) => ({ path }));
  });
  return all.every((each) => each !== undefined) ? all.flat() : undefined;
}

function ofConfig(
  { evidence }: PodFacts,
  kind: ConfigReference['kind'],
  name = '',
  { items }: Items,
): readonly VolumeFile[] | undefined {
  const config = { kind, name };
  if (items !== undefined) return items.map(({ key, path }) => ({ path, key, config }));
  const known = evidence.configs.find((each) => each.kind === kind && each.name === name);
  return known?.state === 'found' ? known.keys.map((key) => ({ path: key, key, config })) : undefined;
}

/** The file's path within its volume. */
export function pathWithin({ mountPath, subPath = '' }: MountedVolume, file: string): string {
  const rest = file.slice(mountPath.replace(/\/+$/, '').length + 1);
  return [subPath.replace(/\/+$/, ''), rest].filter((part) => part !== '').join('/');
}

export interface Origin extends VolumeFile {
  /** Other sources of the volume that have a file of the same path, which nobody sees. */
  readonly hides: readonly ConfigReference[];
}

/** Where the file comes from; undefined: the volume has no such file, or that is not known. */
export function originOf(facts: PodFacts, mounted: MountedVolume, file: string): Origin | undefined {
  const path = pathWithin(mounted, file);
  const same = (filesOf(facts, mounted) ?? []).filter((each) => each.path === path);
  const last = same.at(-1);
  return last === undefined ? undefined : { ...last, hides: same.slice(0, -1).flatMap(({ config }) => config ?? []) };
}
