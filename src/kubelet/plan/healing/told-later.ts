/**
 * A note that could not be written (a full disk, a power loss) is older than what the pod was told: an agent that begins
 * anew goes on from the later of the two, or it would try more than the policy allows. Pure.
 */
import { HEALING_SCOPES, type Pod } from '../../../api/index.ts';
import type { HealingNote, PodNote } from '../pod-memory.ts';
import { withLadderFromStatus } from './ladder-from-status.ts';

/** The note from the disk, with the ladder as it was told where that is later for certain. */
export function withLadderToldLater(note: PodNote, pod: Pod): PodNote {
  const told = withLadderFromStatus(note, pod).healing;
  if (told === undefined || told === note.healing || !isLater(told, note.healing)) return note;
  return { ...note, healing: told };
}

function isLater(told: HealingNote, noted: HealingNote | undefined): boolean {
  // Of another policy it begins anew in any case.
  if (noted !== undefined && noted.policy !== told.policy) return false;
  if (told.podRestarts !== (noted?.podRestarts ?? 0)) return told.podRestarts > (noted?.podRestarts ?? 0);
  // Nothing is later than the end of the ladder.
  if (told.since === undefined || noted?.since === undefined || noted.stopped !== undefined) return false;
  // What is told knows whole seconds only.
  if (Math.floor(noted.since / 1000) !== Math.floor(told.since / 1000)) return false;
  const [toldRung, notedRung] = [told.rung, noted.rung].map((rung) => HEALING_SCOPES.indexOf(rung));
  if (toldRung !== notedRung) return (toldRung ?? 0) > (notedRung ?? 0);
  return told.stopped !== undefined && noted.stopped === undefined;
}
