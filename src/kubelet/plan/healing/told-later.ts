/**
 * Chooses the later of note and status. A note that could not be written (a full disk, a power loss) is older than the pod's
 * reported state; an agent that went on from it would try more than the policy allows. Pure.
 */
import { HEALING_SCOPES, type Pod } from '../../../api/index.ts';
import type { HealingNote, PodNote } from '../pod-memory.ts';
import { withLadderFromStatus } from './ladder-from-status.ts';

/** The note from the disk, with the ladder as reported if that is certainly later. */
export function withLadderToldLater(note: PodNote, pod: Pod): PodNote {
  const told = withLadderFromStatus(note, pod).healing;
  if (told === undefined || told === note.healing || !isLater(told, note.healing)) return note;
  return { ...note, healing: told };
}

function isLater(told: HealingNote, noted: HealingNote | undefined): boolean {
  // Under another policy the ladder is reset in any case.
  if (noted !== undefined && noted.policy !== told.policy) return false;
  if (told.podRestarts !== (noted?.podRestarts ?? 0)) return told.podRestarts > (noted?.podRestarts ?? 0);
  // Nothing is later than the end of the ladder.
  if (told.since === undefined || noted?.since === undefined || noted.stopped !== undefined) return false;
  // Reported times are in whole seconds.
  if (Math.floor(noted.since / 1000) !== Math.floor(told.since / 1000)) return false;
  const [toldRung, notedRung] = [told.rung, noted.rung].map((rung) => HEALING_SCOPES.indexOf(rung));
  if (toldRung !== notedRung) return (toldRung ?? 0) > (notedRung ?? 0);
  return told.stopped !== undefined && noted.stopped === undefined;
}
