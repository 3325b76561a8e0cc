/** Watches one object. */
import type { KubeObject, Resource } from '../../api/index.ts';
import { watcher } from '../../client/index.ts';
import { seededRandom } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';

export interface LiveObjectListener<T> {
  /** Called for each state; undefined: no object has this name. */
  see(object: T | undefined): void;
  /** Called when a call failed; it is tried again. */
  fail(error: unknown): void;
}

/** Watches until the signal is aborted. Never rejects. */
export async function watchObject<T extends KubeObject>(
  { client, clock, namespace }: Pick<ClusterSession, 'client' | 'clock' | 'namespace'>,
  resource: Resource<T>,
  name: string,
  listener: LiveObjectListener<T>,
  signal: AbortSignal,
): Promise<void> {
  const query = { namespace, fieldSelector: `metadata.name=${name}` };
  let listed: T | undefined;
  for await (const event of watcher({ client, resource, query, clock, random: seededRandom(name) }, signal)) {
    if (event.kind === 'init') listed = undefined;
    else if (event.kind === 'init-apply') listed = event.object;
    else if (event.kind === 'init-done') listener.see(listed);
    else if (event.kind === 'apply') listener.see(event.object);
    else if (event.kind === 'delete') listener.see(undefined);
    else if (event.kind === 'error') listener.fail(event.error);
  }
}
