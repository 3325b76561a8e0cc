/** Defaults of our own kinds. A policy has none in the object: it stays as it was written, and each reader fills them in. */
import type { PodRestart } from '../healing/types.ts';

/** Seconds that a restart is kept for after its end. */
const DEFAULT_TTL_SECONDS = 3600;

export function defaultPodRestart(restart: PodRestart): void {
  restart.spec ??= {};
  restart.spec.scope ||= 'pod';
  restart.spec.ttlSecondsAfterFinished ??= DEFAULT_TTL_SECONDS;
}
