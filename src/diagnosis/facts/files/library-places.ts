/** Finds where in its pod's volumes a library lies that the loader of a container's program does not find. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';
import { filesOf } from './mounted-files.ts';
import { mountedVolumes, volumeOf } from './mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';

export interface LibraryPlace {
  readonly folder: string;
  readonly volume: string;
  /** "init container build": whose command names it there; absent: the volume's own files have it. */
  readonly by?: string;
}

const KINDS = { container: 'container', init: 'init container', sidecar: 'sidecar' } as const;
const PATH = /(?:^|[\s"'=:,(])(\/[\w@%+.,~/-]{1,300})/g;

/** @param name "libshop.so.1" */
export function libraryPlace(facts: PodFacts, container: ContainerFacts, name: string): LibraryPlace | undefined {
  for (const mounted of mountedVolumes(facts, container)) {
    const file = (filesOf(facts, mounted) ?? []).find(({ path }) => path.split('/').at(-1) === name);
    if (file === undefined) continue;
    const folder = [mounted.mountPath.replace(/\/+$/, ''), ...file.path.split('/').slice(0, -1)].join('/');
    return { folder, volume: mounted.volume.name };
  }
  for (const other of facts.containers) {
    const paths = [...commandText(other.spec, other.environment).matchAll(PATH)].flatMap(([, path]) => path ?? []);
    const path = paths.find((each) => each.endsWith(`/${name}`));
    const there = path === undefined ? undefined : volumeOf(facts, other, path);
    if (path === undefined || there === undefined) continue;
    const own = mountedVolumes(facts, container).find(({ volume }) => volume.name === there.volume.name);
    if (own === undefined) continue;
    const within = path.slice(there.mountPath.replace(/\/+$/, '').length, -name.length - 1);
    const by = `${KINDS[other.kind]} ${other.name}`;
    return { folder: `${own.mountPath.replace(/\/+$/, '')}${within}`, volume: own.volume.name, by };
  }
  return undefined;
}

/** "lies in /opt/shop/lib (volume out, by init container build), where its loader does not look: LD_LIBRARY_PATH is not set" */
export function libraryText(facts: PodFacts, container: ContainerFacts, name: string): string | undefined {
  const place = libraryPlace(facts, container, name);
  if (place === undefined) return undefined;
  const path = container.environment.find((each) => each.name === 'LD_LIBRARY_PATH')?.value;
  const isSet = (container.spec.env ?? []).some((each) => each.name === 'LD_LIBRARY_PATH');
  if (path?.split(':').includes(place.folder) === true || (isSet && path === undefined)) return undefined;
  const by = place.by === undefined ? '' : `, by ${place.by}`;
  return `lies in ${place.folder} (volume ${place.volume}${by}), where its loader does not look: LD_LIBRARY_PATH is ${path === undefined ? 'not set' : path}`;
}
