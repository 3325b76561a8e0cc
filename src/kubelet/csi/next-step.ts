/**
 * Which call to a driver comes next for one volume, by its note alone and what is mounted. Any call before may have happened or
 * not: it is repeated, or undone, never left out. Pure.
 */
import type { PodUID } from '../types.ts';
import type { NotedSize, Publication, VolumeNote } from './volume-note.ts';

/** A size that the volume shall have at least. */
export interface WantedSize {
  readonly bytes: number;
  /** The size that the cluster knows it to have, for a volume whose size was not noted yet. */
  readonly known: number;
}

export type Goal =
  /** `stagingPath` absent: the driver does not stage. */
  | {
      readonly kind: 'published';
      readonly publication: Omit<Publication, 'step'>;
      readonly stagingPath?: string | undefined;
      /** Absent: it may have any. */
      readonly size?: WantedSize;
    }
  /** The target is gone; and the staging, if no other target is left. */
  | { readonly kind: 'gone'; readonly target: string };

export interface StepFacts {
  /** The present one. */
  readonly boot: string;
  /** Whether something is mounted at the target of the goal. */
  readonly isMounted: boolean;
  /** Whether something is mounted at the staging path of the note. */
  readonly isStagingMounted: boolean;
}

interface AnyCall {
  /** Staging or target path. */
  readonly path: string;
  readonly before: VolumeNote;
  readonly after?: VolumeNote;
}

/** `refused`: the note to write when the driver refuses while the volume is used. */
export interface ExpandCall extends AnyCall {
  readonly kind: 'expand';
  readonly refused: VolumeNote;
}

/** One call: the note to write before it, and the one to write when it has succeeded; `after` absent: the note goes. */
export type Call = ExpandCall | (AnyCall & { readonly kind: 'stage' | 'publish' | 'unpublish' | 'unstage' });

/**
 * `drop`: a target that no call was made for is not wanted any more. `forget`: nothing is left. Both take no call. `blocked`: these
 * pods have the volume, and its staging, which is dead, goes when they do not.
 */
export type Step =
  | Call
  | { readonly kind: 'done' }
  | { readonly kind: 'blocked'; readonly by: readonly PodUID[] }
  | { readonly kind: 'drop'; readonly after: VolumeNote }
  | { readonly kind: 'forget' };

/** @param stored undefined: there is none */
export function nextStep(
  stored: VolumeNote | undefined,
  { driver, handle, isAttached }: Pick<VolumeNote, 'driver' | 'handle' | 'isAttached'>,
  goal: Goal,
  facts: StepFacts,
): Step {
  const known = stored ?? { driver, handle, boot: facts.boot, publications: [] };
  const note = sinceBoot(isAttached === true ? { ...known, isAttached } : known, facts.boot);
  return goal.kind === 'gone' ? towardsGone(note, goal.target) : towardsPublished(note, goal, facts);
}

/** No mount outlives a boot; a driver may have state of its own that does. */
function sinceBoot(note: VolumeNote, boot: string): VolumeNote {
  if (note.boot === boot) return note;
  const { staging } = note;
  return {
    ...note,
    boot,
    ...(staging && { staging: { ...staging, step: staging.step === 'staged' ? 'staging' : staging.step } }),
    publications: note.publications.map((each) => (each.step === 'published' ? { ...each, step: 'publishing' } : each)),
  };
}

/**
 * The note after a call that failed; undefined: as it was before the call. A driver that says that the volume is not ready for
 * publishing has lost its staging, or never had it: it is staged again. A driver that has it takes that as done.
 * @param code gRPC's name
 */
export function noteAfterFailure({ kind, before }: Call, code: string): VolumeNote | undefined {
  const { staging } = before;
  if (kind !== 'publish' || code !== 'FailedPrecondition' || staging?.step !== 'staged') return undefined;
  return { ...before, staging: { path: staging.path, step: 'staging' } };
}

/** Whether the driver is to be asked for the size. A size that it refused is not asked for again. */
export function isTooSmall(noted: NotedSize | undefined, { bytes, known }: WantedSize): boolean {
  if (noted === undefined) return known < bytes;
  if (noted.step === 'refused') return false;
  return noted.step === 'expanding' || noted.bytes < bytes;
}

function towardsPublished(stored: VolumeNote, goal: Extract<Goal, { kind: 'published' }>, facts: StepFacts): Step {
  const { publication, stagingPath, size } = goal;
  const note = withSize(stored, size);
  const { staging } = note;
  const known = note.publications.find(({ target }) => target === publication.target);
  if (known?.step === 'unpublishing') return unpublish(note, known);
  if (staging !== undefined && staging.step === 'unstaging') return unstageFirst(note, staging.path);
  if (staging?.isDead === true) {
    if (known !== undefined && known.step !== 'planned') return unpublish(note, known);
    const by = others(note, publication.target).filter(({ step }) => step !== 'planned');
    return by.length === 0 ? unstageFirst(note, staging.path) : { kind: 'blocked', by: by.map(({ pod }) => pod) };
  }
  const isStaged = staging?.step === 'staged' && (staging.isMount !== true || facts.isStagingMounted);
  if (stagingPath !== undefined && !isStaged) {
    // A call that was begun at another path is ended there: nobody else would.
    const path = staging?.path ?? stagingPath;
    const wanted = known === undefined ? withPublication(note, { ...publication, step: 'planned' }) : note;
    return {
      kind: 'stage',
      path,
      before: { ...wanted, staging: { path, step: 'staging' } },
      after: { ...wanted, staging: { path, step: 'staged' } },
    };
  }
  const isPublished = known?.step === 'published' && facts.isMounted;
  // A staged volume has its size before a pod has it (upstream: expandVolumeDuringMount).
  const isThere = isPublished || (stagingPath !== undefined && staging !== undefined);
  if (size !== undefined && isThere && isTooSmall(note.size, size))
    return expand(note, isPublished ? publication.target : (staging?.path ?? ''), size.bytes);
  if (isPublished) return { kind: 'done' };
  return {
    kind: 'publish',
    path: publication.target,
    before: withPublication(note, { ...publication, step: 'publishing' }),
    after: withPublication(note, { ...publication, step: 'published' }),
  };
}

function expand(note: VolumeNote, path: string, bytes: number): ExpandCall {
  const before: VolumeNote = { ...note, size: { bytes, step: 'expanding' } };
  return {
    kind: 'expand',
    path,
    before,
    after: { ...before, size: { bytes, step: 'expanded' } },
    refused: { ...before, size: { bytes, step: 'refused' } },
  };
}

/** A volume has the size that the cluster knows until its driver says more. */
function withSize(note: VolumeNote, size: WantedSize | undefined): VolumeNote {
  if (size === undefined || note.size !== undefined) return note;
  return { ...note, size: { bytes: size.known, step: 'expanded' } };
}

function towardsGone(note: VolumeNote, target: string): Step {
  const known = note.publications.find((each) => each.target === target);
  const rest = others(note, target);
  if (known !== undefined && known.step !== 'planned') return unpublish(note, known);
  if (rest.length > 0)
    return known === undefined ? { kind: 'done' } : { kind: 'drop', after: { ...note, publications: rest } };
  if (note.staging === undefined) return { kind: 'forget' };
  const { path } = note.staging;
  // Nothing else needs the note.
  return { kind: 'unstage', path, before: { ...note, staging: { path, step: 'unstaging' } } };
}

function unpublish(note: VolumeNote, publication: Publication): Call {
  const rest = others(note, publication.target);
  const before = withPublication(note, { ...publication, step: 'unpublishing' });
  const call = { kind: 'unpublish', path: publication.target, before } as const;
  if (rest.length > 0) return { ...call, after: { ...note, publications: rest } };
  // A note without pods would stay for ever: nobody would ask for it.
  if (note.staging === undefined) return call;
  // The last pod answers for the staging until that is gone, too.
  return { ...call, after: withPublication(note, { ...publication, step: 'planned' }) };
}

/** What was begun to be unstaged is unstaged, before it is staged for another pod. */
function unstageFirst(note: VolumeNote, path: string): Call {
  // Elsewhere it may be expanded meanwhile: the cluster knows of that, and the note does not.
  const { staging: _, size: __, ...rest } = note;
  return { kind: 'unstage', path, before: { ...note, staging: { path, step: 'unstaging' } }, after: rest };
}

function withPublication(note: VolumeNote, publication: Publication): VolumeNote {
  return { ...note, publications: [...others(note, publication.target), publication] };
}

function others(note: VolumeNote, target: string): readonly Publication[] {
  return note.publications.filter((each) => each.target !== target);
}
