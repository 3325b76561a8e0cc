/** Tries failed images and volumes again now, because a forced restart ignores all back-offs. Pure. */
import type { ContainerView } from '../container-view.ts';
import { act, type Draft } from '../draft.ts';

/** Once, when the containers of the restart are started again. `views`: of these containers. */
export function tryAfresh(draft: Draft, views: readonly ContainerView[]): void {
  const { volumes, image } = draft.input.facts;
  // It takes the pod's images with it; a try that is under way may have begun before what was wrong was put right.
  if (volumes?.state === 'failed') {
    act(draft, { verb: 'prepare-volumes', afresh: true });
    return;
  }
  for (const { container, nextAttempt } of views) {
    const fact = image(container.name, nextAttempt);
    const waits = fact?.state === 'failed' && draft.input.now.mono < (fact.retryAt ?? 0);
    if (waits) act(draft, { verb: 'request-image', container: container.name, attempt: nextAttempt, afresh: true });
  }
}
