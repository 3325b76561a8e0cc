/** Finds the volume in which a container's file lies, and its source. */
import type { Quote } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { listed } from '../words/text.ts';

type Volume = NonNullable<NonNullable<PodFacts['pod']['spec']>['volumes']>[number];

export interface MountedVolume {
  readonly volume: Volume;
  /** "spec.volumes[0]" */
  readonly path: string;
  readonly mountPath: string;
  /** What of the volume is mounted there; absent: all of it. */
  readonly subPath?: string;
}

/** The volumes that the container mounts. */
export function mountedVolumes({ pod }: PodFacts, { spec }: ContainerFacts): readonly MountedVolume[] {
  const volumes = pod.spec?.volumes ?? [];
  return (spec.volumeMounts ?? []).flatMap(({ name, mountPath, subPath }): readonly MountedVolume[] => {
    const index = volumes.findIndex((each) => each.name === name);
    const volume = volumes[index];
    return volume === undefined
      ? []
      : [{ volume, path: `spec.volumes[${index}]`, mountPath, ...(subPath !== undefined && { subPath }) }];
  });
}

/** The innermost volume mounted at or above the file. */
export function volumeOf(facts: PodFacts, container: ContainerFacts, file: string): MountedVolume | undefined {
  const [found] = (container.spec.volumeMounts ?? [])
    .filter(({ mountPath }) => isWithin(file, mountPath))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  return mountedVolumes(facts, container).find(({ mountPath }) => mountPath === found?.mountPath);
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

export interface Place {
  /** "in image registry.example/web:1", "in volume bin", "in volume run (ConfigMap scripts)" */
  readonly where: string;
  readonly quotes: readonly Quote[];
  /** A change as YAML that makes the volume's files executable, for volumes whose files the node writes. */
  readonly executable?: string;
}

/** The origin of a container's program: its image, or a volume that is mounted over it. */
export function placeOf(facts: PodFacts, container: ContainerFacts, file: string): Place {
  const mounted = file.startsWith('/') ? volumeOf(facts, container, file) : undefined;
  if (mounted === undefined) return { where: `in image ${container.spec.image ?? ''}`, quotes: [] };
  const { volume } = mounted;
  const configs = configsBehind(mounted);
  const of = ofVolumeText(mounted);
  const source =
    (volume.configMap && ['configMap', `name: ${volume.configMap.name}`]) ??
    (volume.secret && ['secret', `secretName: ${volume.secret.secretName}`]);
  return {
    where: `in volume ${volume.name}${of}`,
    quotes: configs.map(({ quote }) => quote),
    executable:
      source && `volumes:\n- name: ${volume.name}\n  ${source[0]}:\n    ${source[1]}\n    defaultMode: 0755\n`,
  };
}

/** " (ConfigMap app)", " (claim data-0)": what is behind a volume. */
export function ofVolumeText(mounted: MountedVolume): string {
  const claim = mounted.volume.persistentVolumeClaim?.claimName;
  const configs = configsBehind(mounted).map(({ kind, name }) => `${kind} ${name}`);
  const all = claim === undefined ? configs : [`claim ${claim}`];
  return all.length === 0 ? '' : ` (${listed(all)})`;
}

/**
 * The volume that hides what the image has at the file's place: " (volume settings, of ConfigMap app, is mounted at /opt/node, and hides what
 * the image has there)".
 */
export function hiddenBy(facts: PodFacts, container: ContainerFacts, file: string): string {
  const mounted = file.startsWith('/') ? volumeOf(facts, container, file) : undefined;
  if (mounted === undefined || mounted.volume.persistentVolumeClaim !== undefined) return '';
  const of = configsBehind(mounted).map(({ kind, name }) => `${kind} ${name}`);
  const kind = of.length > 0 ? `, of ${listed(of)},` : mounted.volume.emptyDir === undefined ? '' : ', an emptyDir,';
  return ` (volume ${mounted.volume.name}${kind} is mounted at ${mounted.mountPath}, and hides what the image has there)`;
}

/**
 * Who writes the files of a volume that is empty at first: ", which is empty until init container fetch fills it"; or which container of
 * the pod has a volume at that place, which this one does not mount.
 */
export function filledBy(facts: PodFacts, container: ContainerFacts, file: string): string {
  if (!file.startsWith('/')) return '';
  const mounted = volumeOf(facts, container, file);
  const others = facts.containers.filter((other) => other !== container);
  if (mounted === undefined) {
    const [other] = others.flatMap((each) => {
      const there = volumeOf(facts, each, file);
      return there?.volume.emptyDir === undefined ? [] : [{ each, volume: there.volume.name }];
    });
    return other === undefined
      ? ''
      : `; ${nameOf(other.each)} has volume ${other.volume} there, which it does not mount itself`;
  }
  if (mounted.volume.emptyDir === undefined) return '';
  const fills = others.filter(({ spec }) => spec.volumeMounts?.some(({ name }) => name === mounted.volume.name));
  const [left, ...more] = fills;
  if (
    left !== undefined &&
    more.length === 0 &&
    left.kind === 'init' &&
    left.status?.state?.terminated?.exitCode === 0
  ) {
    const at = left.spec.volumeMounts?.find(({ name }) => name === mounted.volume.name)?.mountPath ?? '';
    const elsewhere = writtenElsewhere(left, file);
    return `, an emptyDir: ${nameOf(left)}, which has it at ${at}, has ended well, and ${elsewhere === undefined ? 'left it without that file' : `writes ${elsewhere}`}`;
  }
  const wrong = fills.length > 0 ? undefined : otherVolume(container, others, file);
  if (wrong !== undefined) return `, an emptyDir that nobody fills: ${wrong}`;
  return fills.length > 0
    ? `, an emptyDir, which is empty until ${listed(fills.map((each) => nameOf(each)))} fills it`
    : `, an emptyDir, which is empty at first, hides what the image has at ${mounted.mountPath}, and is mounted by no other container`;
}

/** A path in its command that ends with the name of the file. */
function writtenElsewhere({ spec }: ContainerFacts, file: string): string | undefined {
  const text = [...(spec.command ?? []), ...(spec.args ?? [])].join(' ').slice(0, 8000);
  const name = file.slice(file.lastIndexOf('/'));
  const paths = text.match(/(?:\/[\w@%+.,~-]{1,255}){1,20}/g) ?? [];
  return paths.findLast((path) => path.endsWith(name));
}

/** "init container render writes /out/app.ini into volume rendered, which it does not mount" */
function otherVolume(container: ContainerFacts, others: readonly ContainerFacts[], file: string): string | undefined {
  const own = new Set((container.spec.volumeMounts ?? []).map(({ name }) => name));
  for (const init of others.filter(({ kind }) => kind === 'init')) {
    const written = writtenElsewhere(init, file);
    const mount = (init.spec.volumeMounts ?? [])
      .filter(({ mountPath }) => written?.startsWith(`${mountPath.replace(/\/+$/, '')}/`))
      .toSorted((a, b) => b.mountPath.length - a.mountPath.length)[0];
    if (written !== undefined && mount !== undefined && !own.has(mount.name))
      return `${nameOf(init)} writes ${written} into volume ${mount.name}, which ${nameOf(container)} does not mount`;
  }
  return undefined;
}

function nameOf({ kind, name }: ContainerFacts): string {
  return kind === 'container' ? `container ${name}` : `${kind === 'init' ? 'init container' : 'sidecar'} ${name}`;
}

/** The mount of a whole ConfigMap or Secret at a path that is named like a file. */
export function folderLikeFile(facts: PodFacts, container: ContainerFacts): MountedVolume | undefined {
  const found = (container.spec.volumeMounts ?? []).flatMap(({ mountPath, subPath }): readonly MountedVolume[] => {
    const isNamedLikeFile = /\/[\w-]{0,100}\.[a-z][a-z0-9]{1,9}$/i.test(mountPath) && !mountPath.endsWith('.d');
    const mounted = isNamedLikeFile && !subPath ? volumeOf(facts, container, mountPath) : undefined;
    return mounted === undefined || configsBehind(mounted).length === 0 ? [] : [mounted];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** The ConfigMaps and Secrets in a volume. */
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
