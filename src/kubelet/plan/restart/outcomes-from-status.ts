/**
 * Reads the outcomes of restarts from the pod's status when the agent's own note is lost, so that no restart is repeated.
 * Pure.
 */
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
