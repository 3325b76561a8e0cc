/** The texts about a restart in events, conditions and kills. Pure. */
import { cutText, quotedReason } from '../../../api/index.ts';
import type { GoingRestart } from '../pod-memory.ts';
import { MAX_RESTART_TEXT_BYTES } from '../limits.ts';

/** "container web", "all containers", "the pod". */
export function scopeText({ scope, container }: Pick<GoingRestart, 'scope' | 'container'>): string {
  if (scope === 'container') return `container ${container}`;
  return scope === 'containers' ? 'all containers' : 'the pod';
}

/** "requested by alice: config changed", "healing: container web exited with 1". */
export function whoAndWhy({ source, by, reason }: Pick<GoingRestart, 'source' | 'by' | 'reason'>): string {
  const who = source === 'ladder' ? 'healing' : by === undefined ? 'requested' : `requested by ${by}`;
  return cutText(reason === '' ? who : `${who}: ${quotedReason(reason)}`, MAX_RESTART_TEXT_BYTES);
}
