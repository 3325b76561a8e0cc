/** A rung that restarts more than the container begins when the container's back-off is over. Pure. */
import type { ResolvedHealingPolicy } from '../../../api/index.ts';
import { tellBackOff } from '../ask-back-off.ts';
import { type Draft, updateContainer, wait } from '../draft.ts';
import { askBackOffOrRecovery } from '../recovery/ends-back-off.ts';
import { beginRestart } from '../restart/begin-restart.ts';
import type { Dead } from './dead-containers.ts';
import { deathFacts, deathText } from './death-facts.ts';
import { answerTo, withHealing } from './ladder-note.ts';
import { doingText } from './ladder-texts.ts';

/** The restart of more than the container waits as long as that of the container would. */
export function beginDueRestart(draft: Draft, policy: ResolvedHealingPolicy, { view, death }: Dead): void {
  const scope = draft.note.healing === undefined ? undefined : answerTo(draft.note.healing, death.containerId)?.scope;
  if (scope !== 'containers' && scope !== 'pod') return;
  if (draft.note.restart !== undefined && draft.note.restart.starting !== true) {
    wait(draft, `container ${view.container.name}: another restart goes on`);
    return;
  }
  const backOff = askBackOffOrRecovery(draft, view, death);
  if (!backOff.restart) {
    tellBackOff(draft, view, death, backOff);
    return;
  }
  const before = draft.note;
  draft.note = beginRestart(
    before,
    {
      id: `ladder-${death.containerId}`,
      source: 'ladder',
      scope,
      reason: `${deathText(deathFacts(view, death))}: ${doingText(scope)}`,
      force: false,
      emptyDirs: policy.rungs.find((rung) => rung.scope === scope)?.emptyDirs ?? [],
    },
    draft.input.now,
  );
  if (draft.note === before) return;
  updateContainer(draft, view.container.name, { backOff: { ...backOff.state, attempt: view.nextAttempt } });
  const { healing } = draft.note;
  if (scope !== 'pod' || healing === undefined) return;
  draft.note = withHealing(draft.note, { ...healing, podRestarts: healing.podRestarts + 1 });
}
