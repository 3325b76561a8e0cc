/**
 * The note that a volume carries while it is given up: its claim as it will be made anew. A claim cannot change its volume, so it
 * is deleted and created again; the note is written first, and survives a kill between the two. Pure.
 */
import {
  controllerOf,
  GIVE_UP_ANNOTATION,
  GIVEN_UP_CLAIM_ANNOTATION,
  nameOf,
  namespaceOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  SELECTED_NODE,
  uidOf,
} from '../../api/index.ts';

export interface GivenUpClaim {
  /** Of the claim that loses the volume. */
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Who asked for it, for people: "a person", "HealingPolicy db". */
  readonly by: string;
  /** Whether the folder stays on the node; false: the node removes its record of a folder that is lost. */
  readonly keepsFolder: boolean;
  /** The new claim. Absent: its pod owned it, and the next pod makes its own. */
  readonly claim?: PersistentVolumeClaim;
}

/** Longest note. All annotations of an object together may have 256 KiB. */
const MAX_NOTE_LENGTH = 128 * 1024;

/** What was written about the binding to the old volume. */
const OF_THE_BINDING: ReadonlySet<string> = new Set([
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-resizer',
  SELECTED_NODE,
  GIVE_UP_ANNOTATION,
]);

/** The note's text. Annotations of a claim that has very long ones are left out. */
export function formatClaimNote(
  claim: PersistentVolumeClaim,
  { by, keepsFolder }: Pick<GivenUpClaim, 'by' | 'keepsFolder'>,
): string {
  const base = { uid: uidOf(claim), namespace: namespaceOf(claim), name: nameOf(claim), by, keepsFolder };
  if (controllerOf(claim)?.kind === 'Pod') return JSON.stringify(base);
  const text = JSON.stringify({ ...base, claim: newClaim(claim) });
  if (text.length <= MAX_NOTE_LENGTH) return text;
  const { annotations: _, ...metadata } = claim.metadata ?? {};
  return JSON.stringify({ ...base, claim: newClaim({ ...claim, metadata }) });
}

function newClaim({ metadata = {}, spec = {} }: PersistentVolumeClaim): PersistentVolumeClaim {
  const { labels, annotations = {}, ownerReferences = [], finalizers = [], name, namespace } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => !OF_THE_BINDING.has(key));
  // Pods that own it are about to go, and it would go with them.
  const owners = ownerReferences.filter(({ kind }) => kind !== 'Pod');
  const others = finalizers.filter((each) => !each.startsWith('kubernetes.io/'));
  const { volumeName: _, ...rest } = spec;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(labels !== undefined && { labels }),
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
      ...(owners.length > 0 && { ownerReferences: owners }),
      ...(others.length > 0 && { finalizers: others }),
    },
    spec: rest,
  };
}

/** Undefined: the volume is not being given up, or somebody wrote something else there. */
export function readClaimNote({ metadata }: PersistentVolume): GivenUpClaim | undefined {
  const text = metadata?.annotations?.[GIVEN_UP_CLAIM_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    const note = JSON.parse(text) as Partial<Record<keyof GivenUpClaim, unknown>> | null;
    const { uid, namespace, name, by } = note ?? {};
    const claim = note?.claim as PersistentVolumeClaim | undefined;
    if (typeof uid !== 'string' || typeof namespace !== 'string' || typeof name !== 'string') return undefined;
    // Whoever may write volumes may not create claims in other namespaces by this.
    const isSame = claim === undefined || (claim.metadata?.name === name && claim.metadata.namespace === namespace);
    if (!isSame) return undefined;
    const who = typeof by === 'string' ? by : '';
    return { uid, namespace, name, by: who, keepsFolder: note?.keepsFolder !== false, ...(claim && { claim }) };
  } catch {
    return undefined;
  }
}
