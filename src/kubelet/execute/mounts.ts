/** A container's mounts (upstream: kubelet_pods.go makeMounts). Pure. */
import type { Container, VolumeMount } from '../../api/index.ts';
import type { Device, Mount } from '../../cri/index.ts';
import type { SubPathWish } from '../types.ts';

export interface ContentVolume {
  /** What it is made of may be absent. */
  readonly isOptional: boolean;
}

export interface MountsInput {
  readonly container: Container;
  /** Host folder or file of each volume by name. */
  readonly volumes: Readonly<Record<string, string>>;
  /** Image id of each image volume by name. */
  readonly images?: Readonly<Record<string, string>>;
  /** Names of the volumes whose files mendlet writes (ConfigMap, Secret, downward API, projected): always read-only. */
  readonly contentVolumes: ReadonlyMap<string, ContentVolume>;
  /** Names of the volumes that the pod wants read-only as a whole. */
  readonly readOnlyVolumes?: ReadonlySet<string>;
  /** Expands `$(NAME)`; `undefined`: a name is missing. */
  readonly expand: (text: string) => string | undefined;
  /** Host files of ours: the termination message, and /etc/hosts unless the container mounts its own. */
  readonly terminationMessage: { readonly hostPath: string; readonly containerPath: string };
  readonly etcHosts: string | undefined;
}

export type MountsResult =
  /** `subPaths`: mounts that are not to be used by their path, which leads through what others may change; by index of `mounts`. */
  | { readonly ok: true; readonly mounts: readonly Mount[]; readonly subPaths: ReadonlyMap<number, SubPathWish> }
  | { readonly ok: false; readonly message: string };

/** The block devices of a container; one whose volume is not there is `undefined` (upstream: makeBlockVolumes). */
export function containerDevices(
  { volumeDevices = [] }: Pick<Container, 'volumeDevices'>,
  volumes: Readonly<Record<string, string>>,
  isReadOnly: (volume: string) => boolean,
): readonly Device[] {
  return volumeDevices.flatMap(({ name, devicePath }) => {
    const hostPath = volumes[name];
    if (hostPath === undefined) return [];
    return [{ containerPath: devicePath, hostPath, permissions: isReadOnly(name) ? 'r' : 'mrw' }];
  });
}

export function containerMounts(input: MountsInput): MountsResult {
  const mounts: Mount[] = [];
  const subPaths = new Map<number, SubPathWish>();
  for (const [index, wish] of (input.container.volumeMounts ?? []).entries()) {
    const image = input.images?.[wish.name];
    if (image !== undefined) {
      const subPath = subPathOf(wish, input);
      if (!subPath.ok) return subPath;
      mounts.push(imageMount(wish, image, subPath.path));
      continue;
    }
    const volumePath = input.volumes[wish.name];
    if (volumePath === undefined)
      return problem(`cannot find volume "${wish.name}" to mount into container "${input.container.name}"`);
    const subPath = subPathOf(wish, input);
    if (!subPath.ok) return subPath;
    const known = input.contentVolumes.get(wish.name);
    const content = known !== undefined;
    if (subPath.path !== '') {
      const place = { volume: wish.name, container: input.container.name, index };
      subPaths.set(mounts.length, {
        ...place,
        volumePath,
        subPath: subPath.path,
        content,
        isOptional: known?.isOptional === true,
      });
    }
    mounts.push({
      containerPath: absolute(wish.mountPath),
      hostPath: subPath.path === '' ? volumePath : `${volumePath}/${subPath.path}`,
      // Files that a container wrote there would be lost, and visible to its siblings (upstream: CVE-2017-1002102).
      readonly: wish.readOnly === true || content || input.readOnlyVolumes?.has(wish.name) === true,
      propagation: propagationOf(wish),
    });
  }
  const taken = new Set(mounts.map(({ containerPath }) => containerPath));
  if (input.etcHosts !== undefined && !taken.has('/etc/hosts')) mounts.push(ours('/etc/hosts', input.etcHosts));
  const { hostPath, containerPath } = input.terminationMessage;
  if (!taken.has(containerPath)) mounts.push(ours(containerPath, hostPath));
  return { ok: true, mounts, subPaths };
}

/** An image is never written to. */
function imageMount(wish: VolumeMount, image: string, path: string): Mount {
  return {
    containerPath: absolute(wish.mountPath),
    hostPath: '',
    readonly: true,
    propagation: propagationOf(wish),
    image,
    ...(path !== '' && { imageSubPath: path }),
  };
}

function ours(containerPath: string, hostPath: string): Mount {
  return { containerPath, hostPath, readonly: false, propagation: 'private' };
}

function subPathOf(
  wish: VolumeMount,
  { container, expand }: MountsInput,
): { readonly ok: true; readonly path: string } | { readonly ok: false; readonly message: string } {
  let path = wish.subPath ?? '';
  if (wish.subPathExpr !== undefined && wish.subPathExpr !== '') {
    const expanded = expand(wish.subPathExpr);
    if (expanded === undefined) {
      return problem(`failed to expand subPathExpr "${wish.subPathExpr}" of container "${container.name}"`);
    }
    path = expanded;
  }
  if (path.startsWith('/')) return problem(`error SubPath \`${path}\` must not be an absolute path`);
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return problem(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  return { ok: true, path: parts.join('/') };
}

function absolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

function propagationOf(wish: VolumeMount): Mount['propagation'] {
  if (wish.mountPropagation === 'HostToContainer') return 'host-to-container';
  if (wish.mountPropagation === 'Bidirectional') return 'bidirectional';
  return 'private';
}

function problem(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
