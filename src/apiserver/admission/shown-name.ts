/** Names of objects in refusals, before they have one. Pure. */
import type { ObjectMeta } from '../../api/index.ts';

/** The name of an object in messages, even if it has none yet (upstream: `NewForbidden` of admission). */
export function shownName(metadata: Pick<ObjectMeta, 'name' | 'generateName'> | undefined): string {
  return metadata?.name || metadata?.generateName || '';
}
