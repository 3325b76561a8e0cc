/** Says where a file may be that a container does not find: in a volume that another container mounts there, or one mounted elsewhere. Pure. */
import type { ConfigReference } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { configsBehind, type MountedVolume, volumeOf } from './mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { listed } from '../words/text.ts';

/** ConfigMaps and Secrets of one container whose keys are compared with a file's name. */
const MAX_COMPARED = 8;

/** "volume applogs is mounted at /var/log/app in container shop only"; "Secret tls has tls.crt, and is mounted at /run/secret/tls" */
export function otherPlaceText(facts: PodFacts, container: ContainerFacts, file: string): string {
  if (volumeOf(facts, container, file) !== undefined) return '';
  return elsewhereText(facts, container, file) || inOtherContainer(facts, container, file);
}

/** What its volumes are of whose mounts do not reach the file: one of them may have it. */
export function configsElsewhere(facts: PodFacts, container: ContainerFacts, file: string): readonly ConfigReference[] {
  if (volumeOf(facts, container, file) !== undefined) return [];
  return mountsOf(facts, container)
    .flatMap((mounted) => configsBehind(mounted))
    .map(({ kind, name }) => ({ kind, name }))
    .slice(0, MAX_COMPARED);
}

function mountsOf(facts: PodFacts, container: ContainerFacts): readonly MountedVolume[] {
  return (container.spec.volumeMounts ?? []).flatMap(({ mountPath }) => volumeOf(facts, container, mountPath) ?? []);
}

/** A volume that has a file of that name, or is mounted at nearly that path. */
function elsewhereText(facts: PodFacts, container: ContainerFacts, file: string): string {
  const at = file.lastIndexOf('/');
  const [folder, name] = [file.slice(0, at), file.slice(at + 1)];
  for (const mounted of mountsOf(facts, container)) {
    const { volume, mountPath } = mounted;
    const has = configsBehind(mounted).find((config) => keysOf(facts, config).includes(name));
    const items = (volume.configMap?.items ?? volume.secret?.items)?.map(({ path }) => path);
    if (has !== undefined && (items === undefined || items.includes(name)))
      return `${has.kind} ${has.name} has ${name}, and is mounted at ${mountPath}`;
  }
  const near = mountsOf(facts, container).find(({ mountPath }) => isNear(mountPath, folder));
  return near === undefined ? '' : `volume ${near.volume.name} is mounted at ${near.mountPath}`;
}

function keysOf({ evidence }: PodFacts, { kind, name }: ConfigReference): readonly string[] {
  const known = evidence.configs.find((config) => config.kind === kind && config.name === name);
  return known?.state === 'found' ? known.keys : [];
}

/** Whether one path is the other with a slip of the pen: of one letter more, less or other, or of other capitals. */
export function isNear(a: string, b: string): boolean {
  const [first, second] = [a, b].map((path) => path.replace(/\/+$/, '').toLowerCase()) as [string, string];
  if (first === second) return true;
  if (Math.min(first.length, second.length) < 5 || Math.abs(first.length - second.length) > 1) return false;
  let start = 0;
  while (start < first.length && first[start] === second[start]) start += 1;
  let end = 0;
  while (end < Math.min(first.length, second.length) - start && first.at(-1 - end) === second.at(-1 - end)) end += 1;
  return Math.max(first.length, second.length) - start - end <= 1;
}

/** A volume that other containers of the pod have there. */
function inOtherContainer(facts: PodFacts, container: ContainerFacts, file: string): string {
  const found = facts.containers.flatMap((other) => {
    const mounted = other === container ? undefined : volumeOf(facts, other, file);
    return mounted === undefined || mounted.mountPath === '/' ? [] : [{ other, mounted }];
  });
  const [first] = found;
  if (first === undefined) return '';
  const { volume, mountPath } = first.mounted;
  const names = found.filter(({ mounted }) => mounted.volume === volume).map(({ other }) => `container ${other.name}`);
  const own = (container.spec.volumeMounts ?? []).find((mount) => mount.name === volume.name);
  const there = `volume ${volume.name} is mounted at ${mountPath} in ${listed(names)}`;
  return own === undefined ? `${there} only` : `${there}, and at ${own.mountPath} in this one`;
}
