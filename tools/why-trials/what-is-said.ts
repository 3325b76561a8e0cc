/** What users read of a death: the findings of `why`, and the decisive line as `history` shows it. Pure. */
import { decisiveLine } from '../../src/log-analysis/index.ts';
import type { Recording } from './trial.ts';

export { diagnosePod, type PodEvidence, quoteText } from '../../src/diagnosis/index.ts';

/** The decisive line of the log; empty when there is none. */
export function deathText({ lines }: Pick<Recording, 'lines' | 'exitCode'>): string {
  return decisiveLine(lines)?.line ?? '';
}
