/** The record and the event of a container that lives on after one of its processes was killed for memory. Pure. */
import { timeText } from './compose-death.ts';
import type { NewDeath } from './death-book.ts';
import { lossText } from './oom-proofs.ts';
import type { Survival } from './oom-watch.ts';
import { findContainer } from '../plan/containers.ts';

/** The exit code after SIGKILL. */
const KILLED = 137;

/** `at`: wall ms. */
export function survivalRecord({ container, proof, untold }: Survival, at: number): NewDeath {
  const image = findContainer(container.pod, container.name)?.container.image;
  return {
    containerId: container.id,
    restartCount: container.restartCount,
    ...(image === undefined ? {} : { image }),
    ...(container.startedAt > 0 ? { startedAt: timeText(container.startedAt) } : {}),
    finishedAt: timeText(at),
    exitCode: KILLED,
    signal: 'SIGKILL',
    reason: 'OOMKilled',
    message: `${lossText(proof, Math.max(untold, proof.kills ?? 0))}; the container lives on`,
    survived: true,
    oom: proof,
  };
}

/** The event's text. */
export function survivalText({ container, proof, untold }: Survival): string {
  return `container ${container.name}: ${lossText(proof, untold)} and the container lives on`;
}
