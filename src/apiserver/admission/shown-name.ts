/** Names of objects in refusals, before they have one. Pure. */
import type { ObjectMeta } from '../../api/index.ts';

/** What to call an object that may still have to be named (upstream: `NewForbidden` of admission). */
export function shownName(metadata: Pick<ObjectMeta, 'name' | 'generateName'> | undefined): string {
  return metadata?.name || metadata?.generateName || '';
}
