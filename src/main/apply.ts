/** Brings the objects of manifests into the API server: creates what is not there, patches what is. */
import { StatusError } from '../api/index.ts';
import type { KubeClient, KubeObject, Resource } from '../client/index.ts';
import type { Clock } from '../lib/index.ts';
import type { ManifestObject } from './manifests.ts';
import { UserError } from './user-error.ts';

export type Applied = 'created' | 'configured' | 'unchanged';

/**
 * @param onApplied hears of each object, in order
 * @throws UserError at the first one that the server refuses, with its place; those before it are applied
 */
export async function applyManifests(
  client: KubeClient,
  clock: Clock,
  objects: readonly ManifestObject[],
  onApplied: (object: ManifestObject, how: Applied) => void,
): Promise<void> {
  for (const object of objects) {
    try {
      onApplied(object, await applyOne(client, clock, object));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      throw new UserError(`${object.place}: ${error.message}`, { cause: error });
    }
  }
}

async function applyOne(
  client: KubeClient,
  clock: Clock,
  { row, object, namespace, name }: ManifestObject,
): Promise<Applied> {
  try {
    await createPatiently(client, clock, row, object);
    return 'created';
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
  }
  const before = await client.get(row, namespace, name);
  const after = await client.patch(row, namespace, name, 'strategic', object);
  return before.metadata?.resourceVersion === after.metadata?.resourceVersion ? 'unchanged' : 'configured';
}

const ACCOUNT_RETRY_MS = 100;
const ACCOUNT_TRIES = 100;

/** Creates; waits for the service account that a namespace made a moment ago does not have yet. */
export async function createPatiently<T extends KubeObject>(
  client: KubeClient,
  clock: Clock,
  resource: Resource<T>,
  object: T,
  signal?: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.create(resource, object, signal);
      return;
    } catch (error) {
      const noAccount =
        error instanceof StatusError && error.reason === 'Forbidden' && /service ?account/i.test(error.message);
      if (!noAccount || tries === ACCOUNT_TRIES) throw error;
      await clock.sleep(ACCOUNT_RETRY_MS, signal);
    }
  }
}
