/** Finds what keeps the volume of a claim away from its pods, when it is a folder of one node. */
import {
  findCondition,
  isConditionTrue,
  isLocalVolume,
  type NodeVolumeSpace,
  VOLUME_DISK_PROBLEM,
  VOLUME_SPACE_ANNOTATION,
} from '../../../api/index.ts';
import type { Node } from '../../evidence/kinds.ts';
import type { ClaimEvidence } from '../../evidence/pod-evidence.ts';
import type { Quote } from '../../finding.ts';
import { conditionAgeMs } from '../pod/pod-facts.ts';
import { formatAge, quotable } from '../words/text.ts';

export interface VolumeTrouble {
  readonly kind: 'node-lost' | 'folder-lost' | 'disk-problem';
  readonly volume: string;
  /** Of the node with the folder. */
  readonly node: string;
  /** What is wrong, after the node's name: "has not been heard of for 5m". */
  readonly what: string;
  readonly evidence: readonly Quote[];
}

/** @param now wall ms */
export function volumeTrouble({ volume, home }: ClaimEvidence, now: number): VolumeTrouble | undefined {
  if (volume === undefined || home === undefined || !isLocalVolume(volume)) return undefined;
  const name = volume.metadata?.name ?? '';
  const base = { volume: name, node: home.name };
  const of = `node/${home.name}`;
  const folder: Quote = {
    source: 'field',
    of: `persistentvolume/${name}`,
    path: 'spec.local.path',
    value: `${volume.spec?.local?.path ?? ''} on node ${home.name}`,
  };
  if (home.missing === true) {
    const evidence: readonly Quote[] = [{ source: 'object', object: of, says: 'not found' }, folder];
    return { ...base, kind: 'node-lost', what: 'does not exist any more', evidence };
  }
  const ready = findCondition(home.node?.status?.conditions, 'Ready');
  if (ready?.status === 'Unknown') {
    const since = conditionAgeMs(ready, now);
    const value = quotable(`Unknown ${ready.reason ?? ''}: ${ready.message ?? ''}`);
    const evidence: readonly Quote[] = [{ source: 'field', of, path: 'status.conditions[Ready]', value }, folder];
    const what = `has not been heard of${since === undefined ? '' : ` for ${formatAge(since)}`}`;
    return { ...base, kind: 'node-lost', what, evidence };
  }
  if (lostOn(home.node).includes(name)) {
    const path = `metadata.annotations[${VOLUME_SPACE_ANNOTATION}]`;
    const evidence: readonly Quote[] = [{ source: 'field', of, path, value: `lost: ${name}` }, folder];
    return { ...base, kind: 'folder-lost', what: 'does not have its folder any more', evidence };
  }
  const disk = findCondition(home.node?.status?.conditions, VOLUME_DISK_PROBLEM);
  if (disk === undefined || !isConditionTrue(home.node?.status?.conditions, VOLUME_DISK_PROBLEM)) return undefined;
  const value = quotable(`True ${disk.reason ?? ''}: ${disk.message ?? ''}`);
  const evidence: readonly Quote[] = [
    { source: 'field', of, path: `status.conditions[${VOLUME_DISK_PROBLEM}]`, value },
    folder,
  ];
  return { ...base, kind: 'disk-problem', what: `says of its disk: ${quotable(disk.message ?? '')}`, evidence };
}

function lostOn(node: Node | undefined): readonly string[] {
  try {
    const text = node?.metadata?.annotations?.[VOLUME_SPACE_ANNOTATION] ?? '{}';
    const { lost } = JSON.parse(text) as Partial<NodeVolumeSpace>;
    return Array.isArray(lost) ? lost : [];
  } catch {
    return [];
  }
}

/** What a person can do: commands of the cluster, and of the claim's namespace. */
export interface VolumeCommands {
  readonly cluster: (...words: readonly string[]) => string;
  readonly mendlet: (...words: readonly string[]) => string;
  readonly whyNode: (name: string) => string;
}

/** The command that waits, and the one that gives the volume up, each with what it leads to. */
export function volumeChoices(
  { kind, node }: VolumeTrouble,
  claim: string,
  { cluster, mendlet, whyNode }: VolumeCommands,
): readonly string[] {
  const giveUp = mendlet('volumes', 'give-up', claim);
  if (kind === 'folder-lost') return [`${giveUp}  # the claim gets a new, empty volume`];
  const empty = `${giveUp}  # give the data up: it stays on the disk of ${node}, and the claim gets a new, empty volume`;
  if (kind === 'disk-problem') return [whyNode(node), empty];
  const wait = cluster('wait', '--for=condition=Ready', `node/${node}`, '--timeout=24h');
  return [`${wait}  # wait: nothing else has to be done`, empty];
}
