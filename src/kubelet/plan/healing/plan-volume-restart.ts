/**
 * Restarts the whole pod when a volume of it does not work and the pod's policy asks for that: containers alone would get the same
 * dead mount again. Each problem is answered once, within the bounds of the rung `pod` and a back-off. Pure.
 */
import { DEFAULT_RUNG_ATTEMPTS, type ResolvedHealingPolicy } from '../../../api/index.ts';
import type { VolumeTrouble } from '../../types.ts';
import { type Draft, tellNext, wait } from '../draft.ts';
import { VOLUME_RESTARTS_WINDOW_MS } from '../limits.ts';
import type { HealingNote, LadderAttempt } from '../pod-memory.ts';
import { beginRestart } from '../restart/begin-restart.ts';
import { defaultCurve, nominalMs } from './curve.ts';
import { ANY_CONTAINER, answersOf, answerTo, calmHealing, withAnswer, withHealing } from './ladder-note.ts';
import { attemptMono } from './ladder-times.ts';
import { doingText, restartCommand } from './ladder-texts.ts';
import type { ValidPolicy } from './pod-policy.ts';

const PREFIX = 'volume-';

/** What is wrong with the pod's volumes for which its policy restarts it. */
export function troublesOf({ input }: Draft, { restartPodOn = [] }: ResolvedHealingPolicy): readonly VolumeTrouble[] {
  return (input.facts.volumeTroubles ?? []).filter(({ reason }) => restartPodOn.includes(reason));
}

/** True while the restart is decided and waits: deaths of containers meanwhile are of no account. */
export function planVolumeRestart(draft: Draft, own: ValidPolicy): boolean {
  const { note } = draft;
  if (note.restart !== undefined && note.restart.starting !== true) return false;
  const healing = note.healing ?? calmHealing(own.hash, 0);
  const troubles = troublesOf(draft, own.policy);
  const trouble = troubles.find((each) => answerTo(healing, idOf(each)) === undefined);
  if (trouble === undefined) return false;
  const limit = limitOf(draft, own.policy, healing);
  if (limit !== undefined) {
    tellLimit(draft, healing, trouble, limit);
    return false;
  }
  const until = notBefore(draft, own.policy, healing);
  if (draft.input.now.mono < until) {
    wait(draft, `the restart of the pod for volume ${trouble.volume} waits for its back-off`, until);
    tellNext(draft, 'restarts, with its volumes mounted anew', until);
    return true;
  }
  begin(draft, own.policy, healing, trouble, troubles);
  return true;
}

/** Each time that the problem begins, or is there again after the volume was mounted anew, it has another one. */
function idOf({ volume, since }: VolumeTrouble): string {
  return `${PREFIX}${volume}-${since}`;
}

/** What allows no more restarts; `undefined`: nothing. */
function limitOf(draft: Draft, { rungs, maxPodRestarts }: ResolvedHealingPolicy, healing: HealingNote) {
  if (healing.podRestarts >= (maxPodRestarts ?? Number.POSITIVE_INFINITY)) return `maxPodRestarts ${maxPodRestarts}`;
  const { attempts, windowMs } = rungs.find(({ scope }) => scope === 'pod') ?? {
    attempts: DEFAULT_RUNG_ATTEMPTS,
    windowMs: VOLUME_RESTARTS_WINDOW_MS,
  };
  const bounds = { scope: 'pod' as const, ...(windowMs !== undefined && { windowMs }) };
  const given = answersOf(healing, bounds, (attempt) => draft.input.now.mono - attemptMono(draft, attempt));
  return given.length < attempts ? undefined : `${attempts} restarts of the whole pod`;
}

function tellLimit(draft: Draft, healing: HealingNote, trouble: VolumeTrouble, limit: string): void {
  const { pod, now } = draft.input;
  const told: LadderAttempt = { ...answer(trouble, now.wall), uncounted: 'joined' };
  draft.note = withHealing(draft.note, { ...healing, attempts: withAnswer(healing.attempts, told) });
  const message = `${causeOf(trouble)}; its healing policy allows no further restart (${limit}). To go on: ${restartCommand(pod)}`;
  draft.events.push({ type: 'Warning', reason: 'VolumeNotHealed', message });
}

/** Mono ms. The first restart is free; a long enough time without one resets the curve. */
function notBefore(draft: Draft, { backOff }: ResolvedHealingPolicy, { attempts }: HealingNote): number {
  const curve = backOff ?? defaultCurve(draft.input.facts.node.maxRestartPeriodMs);
  const times = attempts
    .filter(({ containerId, uncounted }) => containerId.startsWith(PREFIX) && uncounted === undefined)
    .map((attempt) => attemptMono(draft, attempt))
    .toSorted((a, b) => b - a);
  const [last] = times;
  if (last === undefined || draft.input.now.mono - last >= curve.resetAfterMs) return Number.NEGATIVE_INFINITY;
  const pause = times.findIndex((at, index) => at - (times[index + 1] ?? at) >= curve.resetAfterMs);
  return last + nominalMs(curve, pause < 0 ? times.length : pause + 1);
}

function begin(
  draft: Draft,
  policy: ResolvedHealingPolicy,
  healing: HealingNote,
  trouble: VolumeTrouble,
  troubles: readonly VolumeTrouble[],
): void {
  const { now } = draft.input;
  const rung = policy.rungs.find(({ scope }) => scope === 'pod');
  const before = draft.note;
  const begun = beginRestart(
    before,
    {
      id: idOf(trouble),
      source: 'ladder',
      scope: 'pod',
      reason: `${causeOf(trouble)}: ${doingText('pod')}`,
      force: false,
      emptyDirs: rung?.emptyDirs ?? [],
      volumes: troubles.map(({ volume }) => volume),
    },
    now,
  );
  if (begun === before) return;
  const attempts = troubles
    .filter((each) => each !== trouble)
    .reduce<readonly LadderAttempt[]>(
      (all, each) => withAnswer(all, { ...answer(each, now.wall), uncounted: 'joined' }),
      healing.attempts,
    );
  const { wellSince: _well, ...rest } = healing;
  draft.note = withHealing(begun, {
    ...rest,
    ...(rung !== undefined && { rung: 'pod' }),
    since: healing.since ?? now.wall,
    cause: causeOf(trouble),
    attempts: withAnswer(attempts, answer(trouble, now.wall)),
    podRestarts: healing.podRestarts + 1,
  });
  for (const attempt of draft.note.healing?.attempts ?? []) attemptMono(draft, attempt);
}

function answer(trouble: VolumeTrouble, at: number): LadderAttempt {
  return { scope: 'pod', container: ANY_CONTAINER, containerId: idOf(trouble), at };
}

function causeOf({ volume, message }: VolumeTrouble): string {
  return `volume ${volume}: ${message.slice(0, MAX_CAUSE)}`;
}

/** Of what a driver says in an event of ours. */
const MAX_CAUSE = 256;
