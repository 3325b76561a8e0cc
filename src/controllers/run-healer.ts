/** Runs the healing controllers without the others: beside a control plane that is not mendlet's, or that left them to another process. */
import { type Candidacy, runElected } from '../client/index.ts';
import type { Controller } from './controller.ts';
import type { LocalVolumesSettings } from './controller-setup.ts';
import { healingControllers } from './healing/healing-controllers.ts';
import type { Refusals } from './healing/other-nodes.ts';
import type { NoticeSender } from './notifications/notice-sender.ts';
import { notificationController, NOTIFICATIONS_COMPONENT } from './notifications/notification-controller.ts';
import { localVolumeControllers } from './local-volumes/local-volume-controllers.ts';
import { runSet, type SetOptions, type SetParts } from './run-set.ts';

export interface HealerSettings {
  /** One of several: they run only while this process leads. Absent: it is the only one. */
  readonly leaderElection?: Candidacy;
  /** The API server is not mendlet's. */
  readonly foreignServer: boolean;
  /** The scheduler's filters. */
  readonly refusals: Refusals;
  /** Sends the messages of notifications. Absent: none are sent. */
  readonly sendNotices?: NoticeSender;
  /** Absent: nobody makes volumes here. */
  readonly localVolumes?: LocalVolumesSettings;
}

/** Name of the lease, in kube-system. */
const LEASE = 'mendlet-healer';

/** Runs until the signal is aborted and everything in flight has ended. */
export async function runHealer(options: SetOptions, settings: HealerSettings, signal: AbortSignal): Promise<void> {
  const { leaderElection } = settings;
  const run = (own: SetOptions, term: AbortSignal): Promise<void> => runSet({ ...own, settings }, controllersOf, term);
  if (leaderElection === undefined) return run(options, signal);
  const election = { ...options, candidacy: leaderElection, name: LEASE };
  return runElected(election, signal, (client, term) => run({ ...options, client }, term));
}

function controllersOf(setup: SetOptions & SetParts & { readonly settings: HealerSettings }): readonly Controller[] {
  const { foreignServer, refusals, localVolumes, sendNotices: send } = setup.settings;
  return [
    ...healingControllers({ ...setup, foreignServer, refusals }),
    ...(send ? [notificationController({ ...setup, events: setup.events(NOTIFICATIONS_COMPONENT), send })] : []),
    ...(localVolumes ? localVolumeControllers(setup, localVolumes) : []),
  ];
}
