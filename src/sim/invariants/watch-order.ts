/** Invariant: watchers see each event once, in order. */
import { PODS, isExpired } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import type { Clock } from '../../lib/index.ts';
import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/**
 * Every watcher sees each event once, in order: an observer watches pods over a faulty link, resumes from its last version, and
 * its events are compared with the store's commits one by one.
 */
export async function observeWatch(client: KubeClient, clock: Clock, facts: Facts): Promise<void> {
  const revisions: number[] = [];
  facts.on({
    'pod-written': ({ revision }) => void revisions.push(revision),
    'pod-deleted': ({ revision }) => void revisions.push(revision),
  });
  const forever = new AbortController().signal;
  let from: string | undefined;
  let position = 0;
  for (;;) {
    try {
      if (from === undefined) {
        from = (await client.list(PODS)).resourceVersion;
        const listed = Number(from);
        const next = revisions.findIndex((revision) => revision > listed);
        position = next === -1 ? revisions.length : next;
      }
      for await (const event of client.watch(PODS, { resourceVersion: from }, forever)) {
        if (event.type === 'BOOKMARK') {
          from = event.resourceVersion;
          continue;
        }
        const seen: string = event.object.metadata?.resourceVersion ?? '';
        const expected = revisions[position];
        if (Number(seen) !== expected)
          throw new InvariantViolation('watch order', `saw ${event.type} ${seen}, expected ${expected}`);
        position += 1;
        from = seen;
      }
    } catch (error) {
      if (error instanceof InvariantViolation) throw error;
      if (isExpired(error)) from = undefined;
    }
    await clock.sleep(500);
  }
}
