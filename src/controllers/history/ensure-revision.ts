/** Makes sure that what an owner wants now is the newest of its revisions: see `findNewest`. */
import {
  CONTROLLER_REVISIONS,
  type ControllerRevision,
  isAlreadyExists,
  isControlledBy,
  isDeleting,
  isNotFound,
  type KubeObject,
  nameOf,
  namespaceOf,
  uidOf,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import type { ReconcileContext } from '../controller.ts';
import { MAX_REVISION_NAMES } from '../limits.ts';
import { findNewest } from './plan-history.ts';
import { newRevision, type NewRevision, recordsSame, revisionData } from './revision.ts';

export interface EnsureOptions<T extends KubeObject> extends Omit<NewRevision<T>, 'revision'> {
  readonly client: KubeClient;
  readonly context: ReconcileContext;
  /** The owner's own, from the oldest on. */
  readonly sorted: readonly ControllerRevision[];
}

export interface Ensured {
  readonly revision: ControllerRevision;
  /** As the owner's status must keep it. */
  readonly collisionCount: number;
}

/** @throws StatusError when the server refuses, or when so many names in a row are taken */
export async function ensureRevision<T extends KubeObject>(options: EnsureOptions<T>): Promise<Ensured> {
  const { sorted, template, collisionCount, context } = options;
  const newest = findNewest(sorted, revisionData(template));
  if (newest.kind === 'recorded') return { revision: newest.revision, collisionCount };
  if (newest.kind === 'missing') return create(options, newest.number);
  const { revision, number } = newest;
  const renumbered = await context.write({
    verb: 'patch',
    resource: CONTROLLER_REVISIONS,
    namespace: namespaceOf(revision),
    name: nameOf(revision),
    type: 'merge',
    patch: { metadata: { uid: uidOf(revision) }, revision: number },
  });
  // It is gone since: the next reconcile sees that.
  return {
    revision: (renumbered as ControllerRevision | undefined) ?? { ...revision, revision: number },
    collisionCount,
  };
}

async function create<T extends KubeObject>(options: EnsureOptions<T>, number: number): Promise<Ensured> {
  const { context, owner } = options;
  let { collisionCount } = options;
  for (let tries = 1; ; tries += 1) {
    const wanted = newRevision({ ...options, revision: number, collisionCount });
    try {
      const written = await context.write(
        { verb: 'create', resource: CONTROLLER_REVISIONS, object: wanted },
        { ownName: true },
      );
      return { revision: (written as ControllerRevision | undefined) ?? wanted, collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error) || tries >= MAX_REVISION_NAMES) throw error;
      const taken = await read(options.client, wanted, context.signal);
      if (taken !== undefined && isOurs(taken, owner) && recordsSame(taken, wanted.data))
        return { revision: taken, collisionCount };
      // Something else has the name (it may be what an earlier owner of our name left): take another one.
      if (taken !== undefined) collisionCount += 1;
    }
  }
}

function isOurs(revision: ControllerRevision, owner: KubeObject): boolean {
  return isControlledBy(revision, owner) && !isDeleting(revision);
}

async function read(
  client: KubeClient,
  revision: ControllerRevision,
  signal: AbortSignal,
): Promise<ControllerRevision | undefined> {
  try {
    return await client.get(CONTROLLER_REVISIONS, namespaceOf(revision), nameOf(revision), signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
