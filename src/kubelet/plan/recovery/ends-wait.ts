/**
 * Decides whether a container's wait (crash loop, failed start, image, volumes) ends now because the pod recovered after the
 * cause of the wait. It happens once per recovery and container, and not too often. The curve itself continues, so nothing
 * loops hot. Pure.
 */
import type { ContainerView } from '../container-view.ts';
import { fieldPath } from '../containers.ts';
import { type Draft, updateContainer, wait } from '../draft.ts';
import { EARLY_ENDS_WINDOW_MS, MAX_EARLY_ENDS, MIN_EARLY_END_INTERVAL_MS, RECOVERY_AFTERMATH_MS } from '../limits.ts';
import type { Recovery } from '../pod-memory.ts';
import { formatRemaining } from './format-remaining.ts';

/** The action that happens now instead of at `until` (mono ms): for the event. */
export interface EndedWait {
  readonly what: 'starting' | 'pulling the image of' | 'looking for the image of' | 'setting up the volumes of';
  readonly until: number;
}

/** Answers true as often as it is asked in one plan; the next plan finds it used. */
export function endsWait(draft: Draft, view: ContainerView, ended: EndedWait): boolean {
  const { recovery } = draft.note;
  if (recovery === undefined || !concerns(recovery, view)) return false;
  const { name } = view.container;
  const already = draft.note.containers[name]?.recovered === recovery.id;
  if (already) return true;
  if (recovery.endedAt === undefined && !countEnd(draft, view, recovery)) return false;
  updateContainer(draft, name, { recovered: recovery.id });
  const left = formatRemaining(ended.until - draft.input.now.mono);
  draft.events.push({
    type: 'Normal',
    reason: 'BackOffEnded',
    message: `${recovery.cause}: ${ended.what} container ${name} now instead of in ${left}`,
    fieldPath: fieldPath(view),
  });
  return true;
}

/** A container that starts now has had what there was to have: its next end waits as long as ever. */
export function noteStart(draft: Draft, { container, memory }: ContainerView): void {
  const { recovery } = draft.note;
  if (recovery === undefined || memory.recovered === recovery.id) return;
  updateContainer(draft, container.name, { recovered: recovery.id });
}

/** Its last life began before the recovery; and, unless it was made from what changed, ended about then. */
function concerns(recovery: Recovery, { memory, death }: ContainerView): boolean {
  if (memory.recovered === recovery.id) return false;
  return recovery.lasting === true || (death?.finishedAt ?? 0) <= recovery.at + RECOVERY_AFTERMATH_MS;
}

/** False: the pod has recovered so often of late that its back-offs hold. */
function countEnd(draft: Draft, view: ContainerView, recovery: Recovery): boolean {
  const { wall, mono } = draft.input.now;
  // A time from the future is of another clock.
  const recent = (draft.note.earlyEnds ?? []).filter((at) => at <= wall && at > wall - EARLY_ENDS_WINDOW_MS);
  const tenth = recent.length < MAX_EARLY_ENDS ? undefined : recent[MAX_EARLY_ENDS - 1];
  const allowedAt = Math.max(
    (recent[0] ?? Number.NEGATIVE_INFINITY) + MIN_EARLY_END_INTERVAL_MS,
    (tenth ?? Number.NEGATIVE_INFINITY) + EARLY_ENDS_WINDOW_MS,
  );
  if (wall >= allowedAt) {
    draft.note = {
      ...draft.note,
      recovery: { ...recovery, endedAt: wall },
      earlyEnds: [wall, ...recent].slice(0, MAX_EARLY_ENDS),
    };
    return true;
  }
  wait(draft, `container ${view.container.name}: recoveries follow too fast`, mono + allowedAt - wall);
  if (tenth !== undefined) tellLimit(draft, recovery);
  return false;
}

function tellLimit(draft: Draft, recovery: Recovery): void {
  const key = `recovery-limit/${draft.note.earlyEnds?.[0] ?? 0}`;
  if (draft.backOffReported[key] !== undefined) return;
  draft.backOffReported = { ...draft.backOffReported, [key]: true };
  const often = `${MAX_EARLY_ENDS} times within ${formatRemaining(EARLY_ENDS_WINDOW_MS)}`;
  draft.events.push({
    type: 'Warning',
    reason: 'RecoveryLimited',
    message: `${recovery.cause}, but back-offs ended early ${often}: they hold until fewer did`,
  });
}
