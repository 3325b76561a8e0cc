/** The end of an episode. Pure. */
import type { ResolvedHealingPolicy } from '../../../api/index.ts';
import type { ContainerView } from '../container-view.ts';
import { type Draft, wakeBy } from '../draft.ts';
import { calmHealing, withHealing } from './ladder-note.ts';
import { wellMono } from './ladder-times.ts';
import { troublesOf } from './plan-volume-restart.ts';
import { healthOf } from './pod-health.ts';

/** All containers have been well for so long that the next death is a new story. */
export function planReset(draft: Draft, policy: ResolvedHealingPolicy, views: readonly ContainerView[]): void {
  const { healing } = draft.note;
  if (healing?.since === undefined) return;
  const isCalm = draft.note.restart === undefined && troublesOf(draft, policy).length === 0;
  const health = isCalm ? healthOf(draft, views) : 'ill';
  const { wellSince, ...rest } = healing;
  if (health === 'ill') {
    if (wellSince !== undefined) draft.note = withHealing(draft.note, rest);
    return;
  }
  // A new agent does not know yet; a pod that was well before does not count as ill for that.
  if (health === 'unknown') return;
  const { wall, mono } = draft.input.now;
  if (wellSince === undefined) draft.note = withHealing(draft.note, { ...healing, wellSince: wall });
  const since = wellSince ?? wall;
  const until = wellMono(draft, since) + policy.resetAfterMs;
  if (mono < until) {
    wakeBy(draft, until);
    return;
  }
  draft.note = withHealing(draft.note, calmHealing(healing.policy, healing.podRestarts));
  draft.events.push({
    type: 'Normal',
    reason: 'HealingReset',
    message: 'All containers have been well for long enough: the healing ladder begins anew',
  });
}
