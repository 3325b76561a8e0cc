/** Formats the rest of a wait as "4m10s" or "8s", in whole seconds and never less than it is. */
import { formatDelay } from '../back-off.ts';

export function formatRemaining(ms: number): string {
  return formatDelay(Math.ceil(Math.max(0, ms) / 1000) * 1000);
}
