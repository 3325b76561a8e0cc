/**
 * Which call to a driver comes next for one volume, by its note alone and what is mounted. Any call before may have happened or
 * not: it is repeated, or undone, never left out. Pure.
 */
import type { PodUID } from '../types.ts';
import type { Publication, VolumeNote } from './volume-note.ts';

export type Goal =
  /** `stagingPath` absent: the driver does not stage. */
  | {
      readonly kind: 'published';
      readonly publication: Omit<Publication, 'step'>;
      readonly stagingPath?: string | undefined;
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

/** One call: the note to write before it, and the one to write when it has succeeded; `after` absent: the note goes. */
export interface Call {
  readonly kind: 'stage' | 'publish' | 'unpublish' | 'unstage';
  /** Staging or target path. */
  readonly path: string;
  readonly before: VolumeNote;
  readonly after?: VolumeNote;
}

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
  { driver, handle }: Pick<VolumeNote, 'driver' | 'handle'>,
  goal: Goal,
  facts: StepFacts,
): Step {
  const note = sinceBoot(stored ?? { driver, handle, boot: facts.boot, publications: [] }, facts.boot);
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

function towardsPublished(note: VolumeNote, goal: Extract<Goal, { kind: 'published' }>, facts: StepFacts): Step {
  const { staging } = note;
  const { publication, stagingPath } = goal;
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
  if (known?.step === 'published' && facts.isMounted) return { kind: 'done' };
  return {
    kind: 'publish',
    path: publication.target,
    before: withPublication(note, { ...publication, step: 'publishing' }),
    after: withPublication(note, { ...publication, step: 'published' }),
  };
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
  const isLast = rest.length === 0 && note.staging !== undefined;
  return {
    kind: 'unpublish',
    path: publication.target,
    before: withPublication(note, { ...publication, step: 'unpublishing' }),
    // The last pod answers for the staging until that is gone, too.
    after: isLast ? withPublication(note, { ...publication, step: 'planned' }) : { ...note, publications: rest },
  };
}

/** What was begun to be unstaged is unstaged, before it is staged for another pod. */
function unstageFirst(note: VolumeNote, path: string): Call {
  const { staging: _, ...rest } = note;
  return { kind: 'unstage', path, before: { ...note, staging: { path, step: 'unstaging' } }, after: rest };
}

function withPublication(note: VolumeNote, publication: Publication): VolumeNote {
  return { ...note, publications: [...others(note, publication.target), publication] };
}

function others(note: VolumeNote, target: string): readonly Publication[] {
  return note.publications.filter((each) => each.target !== target);
}
