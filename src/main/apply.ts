/** Brings the objects of manifests into the API server: creates what is not there, patches what is. */
import { StatusError } from '../api/index.ts';
import type { KubeClient } from '../client/index.ts';
import type { ManifestObject } from './manifests.ts';
import { UserError } from './user-error.ts';

export type Applied = 'created' | 'configured' | 'unchanged';

/**
 * @param onApplied hears of each object, in order
 * @throws UserError at the first one that the server refuses, with its place; those before it are applied
 */
export async function applyManifests(
  client: KubeClient,
  objects: readonly ManifestObject[],
  onApplied: (object: ManifestObject, how: Applied) => void,
): Promise<void> {
  for (const object of objects) {
    try {
      onApplied(object, await applyOne(client, object));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      throw new UserError(`${object.place}: ${error.message}`, { cause: error });
    }
  }
}

async function applyOne(client: KubeClient, { row, object, namespace, name }: ManifestObject): Promise<Applied> {
  try {
    await client.create(row, object);
    return 'created';
  } catch (error) {
    if (!(error instanceof StatusError && error.status.reason === 'AlreadyExists')) throw error;
  }
  const before = await client.get(row, namespace, name);
  const after = await client.patch(row, namespace, name, 'strategic', object);
  return before.metadata?.resourceVersion === after.metadata?.resourceVersion ? 'unchanged' : 'configured';
}
