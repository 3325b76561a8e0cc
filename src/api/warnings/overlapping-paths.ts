/** Files of one volume that would lie on or in each other (upstream: warningsForOverlappingVirtualPaths). Pure. */
import type { Volume, VolumeProjection } from '../types.gen.ts';

interface Item {
  readonly path?: string;
}

const quoted = JSON.stringify;

export function overlappingPaths(volumes: readonly Volume[]): string[] {
  return volumes.flatMap((volume) => {
    const { name, configMap, secret, downwardAPI, projected } = volume;
    const start = `volume ${quoted(name)}`;
    return [
      ...overlaps(pathsOf(configMap?.items), `${start} (ConfigMap ${quoted(configMap?.name ?? '')})`),
      ...overlaps(pathsOf(secret?.items), `${start} (Secret ${quoted(secret?.secretName ?? '')})`),
      ...overlaps(pathsOf(downwardAPI?.items), `${start} (DownwardAPI)`),
      ...ofProjection(projected?.sources ?? [], start),
    ];
  });
}

function pathsOf(items: readonly Item[] | undefined): readonly string[] {
  return (items ?? []).map(({ path = '' }) => path);
}

/** Each source by itself, then together with those before it. */
function ofProjection(sources: readonly VolumeProjection[], start: string): string[] {
  const before = new Set<string>();
  return sources.flatMap((source) => {
    const { what, paths } = named(source);
    if (what === undefined) return [`${start} (Projected) has no sources provided`];
    if (paths.length === 0) return [];
    const own = [...new Set(paths)];
    const text = `${start} (Projected ${what})`;
    const found = [...overlaps(paths, text), ...overlaps([...own, ...before].toSorted(), text)];
    for (const path of own) before.add(path);
    return [...new Set(found)];
  });
}

function named({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken,
  clusterTrustBundle,
  ...rest
}: VolumeProjection): {
  readonly what: string | undefined;
  readonly paths: readonly string[];
} {
  if (configMap) return { what: `ConfigMap ${quoted(configMap.name ?? '')}`, paths: pathsOf(configMap.items) };
  if (secret) return { what: `Secret ${quoted(secret.name ?? '')}`, paths: pathsOf(secret.items) };
  if (downwardAPI) return { what: 'DownwardAPI', paths: pathsOf(downwardAPI.items) };
  if (serviceAccountToken) return { what: 'ServiceAccountToken', paths: [serviceAccountToken.path] };
  if (clusterTrustBundle) {
    const name = clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? '';
    return { what: `ClusterTrustBundle ${quoted(name)}`, paths: [clusterTrustBundle.path] };
  }
  return { what: Object.keys(rest).length === 0 ? undefined : 'source', paths: [] };
}

function overlaps(paths: readonly string[], text: string): string[] {
  const seen: string[] = [];
  return paths.flatMap((given) => {
    const path = given.replace(/\/+$/, '');
    const other = seen.find((each) => each !== '' && path !== '' && liesOn(each, path));
    seen.push(path);
    return other === undefined ? [] : [`${text}: overlapping paths: ${quoted(path)} with ${quoted(other)}`];
  });
}

/** Upstream's measure: one with a slash begins with the other. */
function liesOn(one: string, other: string): boolean {
  return `${one}/`.startsWith(other) || `${other}/`.startsWith(one);
}
