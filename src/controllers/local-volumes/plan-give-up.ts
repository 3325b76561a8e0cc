/** Decides when a volume whose node is lost may be given up, and in what words that is told. Pure. */
import {
  findCondition,
  isConditionTrue,
  isLocalVolume,
  nameOf,
  namespacedName,
  namespaceOf,
  type Node,
  type NodeVolumeSpace,
  NODE_LOST_SINCE_ANNOTATION,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  VOLUME_DISK_PROBLEM,
  VOLUME_SPACE_ANNOTATION,
  volumeHost,
} from '../../api/index.ts';
import { formatTime, parseTime } from '../../lib/index.ts';

/** What is known of the node that has the volume's folder. */
export type Whereabouts =
  /** The node is heard: its pods run, and the folder is there. */
  | 'heard'
  /** The node is heard, and says that the folder is not there any more, or that the disk of its volumes does not work. */
  | 'damaged'
  /** The node has not been heard of: nobody knows whether its pods run. */
  | 'silent'
  /** There is no such node any more. */
  | 'gone';

/** @param node undefined: there is none with the volume's host name */
export function whereabouts(volume: PersistentVolume, node: Node | undefined): Whereabouts {
  if (node === undefined) return 'gone';
  const { conditions } = node.status ?? {};
  if (findCondition(conditions, 'Ready')?.status === 'Unknown') return 'silent';
  const isDamaged = isConditionTrue(conditions, VOLUME_DISK_PROBLEM) || lostOn(node).includes(nameOf(volume));
  return isDamaged ? 'damaged' : 'heard';
}

/** Whether what a node says of itself may concern its volumes: most changes of nodes are heartbeats. */
export function isOtherNews(before: Node, after: Node): boolean {
  const facts = ({ metadata, status }: Node): string =>
    JSON.stringify([
      findCondition(status?.conditions, 'Ready')?.status,
      findCondition(status?.conditions, VOLUME_DISK_PROBLEM)?.status,
      metadata?.annotations?.[VOLUME_SPACE_ANNOTATION],
      metadata?.labels?.['kubernetes.io/hostname'],
    ]);
  return facts(before) !== facts(after);
}

export function isFolderLost(volume: PersistentVolume, node: Node | undefined): boolean {
  return node !== undefined && lostOn(node).includes(nameOf(volume));
}

function lostOn({ metadata }: Node): readonly string[] {
  try {
    const space = JSON.parse(metadata?.annotations?.[VOLUME_SPACE_ANNOTATION] ?? '{}') as Partial<NodeVolumeSpace>;
    return Array.isArray(space.lost) ? space.lost : [];
  } catch {
    return [];
  }
}

/** The facts of a wish to give a volume up. */
export interface GiveUpFacts {
  readonly volume: PersistentVolume;
  readonly claim: PersistentVolumeClaim;
  /** Of the volume's host name. */
  readonly node: Node | undefined;
  /** Pods of the claim on that node, or on one that does not exist any more, that have not ended. */
  readonly here: readonly Pod[];
  /** Those on other nodes, which have no business there. */
  readonly elsewhere: readonly Pod[];
}

/**
 * Why the volume is not given up; undefined: it may be.
 * @param wanted the volume that the wish names
 */
export function whyKept({ volume, claim, node, here, elsewhere }: GiveUpFacts, wanted: string): string | undefined {
  const name = nameOf(volume);
  if (wanted !== name) return `the request names volume "${wanted.slice(0, 253)}", and the claim has "${name}"`;
  if (!isLocalVolume(volume)) return `volume "${name}" is not a folder that mendlet made on a node`;
  const where = whereabouts(volume, node);
  const [stray] = elsewhere;
  if (stray !== undefined)
    return `pod "${nameOf(stray)}" has the claim on node "${stray.spec?.nodeName}", where the volume is not`;
  if (where !== 'heard') return undefined;
  const [user] = here;
  const who = user === undefined ? 'its data is there' : `pod "${nameOf(user)}" uses the volume there`;
  return `node "${nodeNameOf(volume, node)}" is heard, and ${who}. To begin with an empty volume all the same, delete the claim: kubectl delete pvc ${nameOf(claim)} -n ${namespaceOf(claim)}`;
}

export function nodeNameOf(volume: PersistentVolume, node: Node | undefined): string {
  return node === undefined ? volumeHost(volume) : nameOf(node);
}

/**
 * Since when the node is lost, wall ms: as the volume has it noted, else as the node's condition says, else now. A time to come is
 * now.
 * @param now wall ms
 */
export function lostSince({ metadata }: PersistentVolume, node: Node | undefined, now: number): number {
  const noted = parseTime(metadata?.annotations?.[NODE_LOST_SINCE_ANNOTATION]);
  const told = parseTime(findCondition(node?.status?.conditions, 'Ready')?.lastTransitionTime ?? undefined);
  return Math.min(noted ?? told ?? now, now);
}

/** What people are told while the node is lost. `givesUpAt`: wall ms at which a policy gives the volume up. */
export function lostMessage(
  { volume, claim, node }: Pick<GiveUpFacts, 'volume' | 'claim' | 'node'>,
  since: number,
  policy?: { readonly name: string; readonly givesUpAt: number },
): string {
  const host = nodeNameOf(volume, node);
  const what = node === undefined ? 'does not exist any more' : `has not been heard of since ${formatTime(since)}`;
  const [name, namespace] = [nameOf(claim), namespaceOf(claim)];
  const later =
    policy === undefined
      ? ''
      : `. HealingPolicy "${policy.name}" gives the volume up at ${formatTime(policy.givesUpAt)}`;
  return (
    `volume "${nameOf(volume)}" of claim ${namespacedName(claim)} is a folder on the disk of node "${host}", which ${what}: ` +
    `pods of the claim wait for that node, and no other node can run them. Nothing has to be done to wait. ` +
    `To give the volume up (the data stays on that disk, and the claim gets a new, empty volume): ` +
    `mendlet volumes give-up ${name} -n ${namespace}${later}`
  );
}

/** How many nodes are heard, and how many are not. */
export interface Audience {
  readonly heard: number;
  readonly silent: number;
}

/**
 * Whether silence may be the node's own fault: as many nodes are heard as are not, or more. Otherwise it is more likely that we are
 * the one who is cut off.
 */
export function isSilenceTheirs({ heard, silent }: Audience): boolean {
  return heard > 0 && heard >= silent;
}
