/** What users read of a death: the findings of `why`, and the decisive line as `history` shows it. Pure. */
import { decisiveLine } from '../../src/log-analysis/index.ts';
import type { Recording } from './trial.ts';

export { diagnosePod, type PodEvidence, quoteText } from '../../src/diagnosis/index.ts';

/** The decisive line of the log; empty when there is none. `livedSeconds`: how long the program ran, where the node knows it. */
export function deathText({ lines }: Pick<Recording, 'lines' | 'exitCode'>, livedSeconds?: number): string {
  return decisiveLine(lines, livedSeconds === undefined ? {} : { livedMs: livedSeconds * 1000 })?.line ?? '';
}
