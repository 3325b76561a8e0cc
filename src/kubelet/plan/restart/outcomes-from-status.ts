/** The outcomes of restarts, from what the pod tells of them, when the agent's own note is lost: what is done is not done again. Pure. */
import { HEALING_STATE, parseHealingState, type Pod } from '../../../api/index.ts';
import type { PodNote } from '../pod-memory.ts';

export function withOutcomesFromStatus(note: PodNote, { metadata }: Pod): PodNote {
  const { restarts = [], cleanRestarts } = parseHealingState(metadata?.annotations?.[HEALING_STATE]) ?? {};
  return {
    ...note,
    ...(restarts.length === 0 ? {} : { restartOutcomes: restarts }),
    ...(cleanRestarts === undefined ? {} : { cleanRestarts }),
  };
}
