/** Tells which mode a file of a ConfigMap or Secret has, and whether its container's user may read it. Pure. */
import { fileAt } from '../configs/config-files.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { pathWithin } from './mounted-files.ts';
import { configsBehind, type MountedVolume, volumeOf } from './mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

interface Items {
  readonly items?: readonly { readonly key: string; readonly path: string; readonly mode?: number | null }[];
}

/** The mode that its volume gives the file, where the specification says one; undefined: it does not, or it is no such volume. */
export function modeOf(mounted: MountedVolume, file: string): number | undefined {
  const { configMap, secret, projected } = mounted.volume;
  const path = pathWithin(mounted, file);
  const ofItem = ({ items = [] }: Items): number | undefined =>
    items.find((each) => each.path === path)?.mode ?? undefined;
  const sources: readonly (Items | undefined)[] = (projected?.sources ?? []).map(
    (source) => source.configMap ?? source.secret,
  );
  const own = [configMap, secret, ...sources].flatMap((each) => (each === undefined ? [] : (ofItem(each) ?? [])));
  return own.at(-1) ?? secret?.defaultMode ?? configMap?.defaultMode ?? projected?.defaultMode ?? undefined;
}

/** The user of its specification. */
export function userOf({ pod }: PodFacts, { spec }: ContainerFacts): number | undefined {
  return spec.securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser ?? undefined;
}

/** Whether the file is there, is root's, and its mode surely keeps the container's user out. */
export function isUnreadable(facts: PodFacts, container: ContainerFacts, file: string): boolean {
  const user = userOf(facts, container);
  const mounted = user === undefined || user === 0 ? undefined : volumeOf(facts, container, file);
  if (mounted === undefined || configsBehind(mounted).length === 0) return false;
  const mode = modeOf(mounted, file);
  if (mode === undefined || fileAt(facts, mounted, file).origin?.config === undefined) return false;
  const { fsGroup, supplementalGroups = [], runAsGroup } = facts.pod.spec?.securityContext ?? {};
  // The node lets the group of the pod read them.
  if (fsGroup !== undefined && fsGroup !== null) return false;
  const group = container.spec.securityContext?.runAsGroup ?? runAsGroup ?? 0;
  const isOfGroup = group === 0 || supplementalGroups.includes(0);
  return (mode & 0o004) === 0 && ((mode & 0o040) === 0 || !isOfGroup);
}
