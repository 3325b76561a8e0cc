/** How much of its past a store keeps for those who watch; absent: as `limits.ts` says. */
export interface HistoryBounds {
  readonly compactionIntervalMs?: number;
  readonly maxHistoryRevisions?: number;
  /** Events that are kept in memory, so that a watch needs no reading. */
  readonly ringMaxEvents?: number;
}
