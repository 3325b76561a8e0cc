/** Runs the healing controllers alone: beside a control plane that is not mendlet's, or that has left them to another process. */
import { type Candidacy, runElected } from '../../client/index.ts';
import type { LocalVolumesSettings } from '../controller-setup.ts';
import { localVolumeControllers } from '../local-volumes/local-volume-controllers.ts';
import { runSet, type SetOptions, type SetParts } from '../run-set.ts';
import type { Controller } from '../controller.ts';
import { healingControllers } from './healing-controllers.ts';
import type { Refusals } from './other-nodes.ts';

export interface HealerOptions extends SetOptions {
  /** One of several: they run only while this process leads. Absent: it is the only one. */
  readonly leaderElection?: Candidacy;
  /** The API server is not mendlet's. */
  readonly foreignServer: boolean;
  /** The scheduler's filters. */
  readonly refusals: Refusals;
  /** Absent: nobody makes volumes here. */
  readonly localVolumes?: LocalVolumesSettings;
}

/** Name of the lease, in kube-system. */
const LEASE = 'mendlet-healer';

/** Runs until the signal is aborted and everything in flight has ended. */
export async function runHealingControllers(options: HealerOptions, signal: AbortSignal): Promise<void> {
  const { leaderElection } = options;
  if (leaderElection === undefined) return runSet(options, controllersOf, signal);
  const election = { ...options, candidacy: leaderElection, name: LEASE };
  return runElected(election, signal, (client, term) => runSet({ ...options, client }, controllersOf, term));
}

function controllersOf(setup: HealerOptions & SetParts): readonly Controller[] {
  const { localVolumes } = setup;
  return [...healingControllers(setup), ...(localVolumes ? localVolumeControllers(setup, localVolumes) : [])];
}
