/** The API server as a source of desired pods: list-watch of the pods bound to this node. */
import { type Pod, PODS } from '../../api/index.ts';
import {
  type Change,
  createReflector,
  type KubeClient,
  type Lister,
  withoutManagedFields,
} from '../../client/index.ts';
import type { Clock, Logger, Random } from '../../lib/index.ts';
import type { DesiredPods } from './desired-pods.ts';
import { isMirrorPod } from './mirror-pods.ts';

/** As for every pod that nobody knows (upstream: the least grace there is). */
const FORCED_GRACE_PERIOD_SECONDS = 1;

export interface ApiSourceOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly nodeName: string;
  readonly desired: DesiredPods;
  /** Takes the mirrors of static pods, which are never run. */
  readonly mirrors: { put(pod: Pod): void; remove(pod: Pod): void };
}

export interface ApiSource {
  readonly lister: Lister<Pod>;
  /** The server can be reached again. */
  retryNow(): void;
  run(signal: AbortSignal): Promise<void>;
}

export function createApiSource(options: ApiSourceOptions): ApiSource {
  const seat = options.desired.addSource('api');
  const reflector = createReflector<Pod>({
    ...options,
    resource: PODS,
    query: { fieldSelector: `spec.nodeName=${options.nodeName}` },
    transform: withoutManagedFields,
  });
  const apply = (change: Change<Pod>): void => {
    if (isMirrorPod(change.object)) {
      if (change.type === 'delete') options.mirrors.remove(change.object);
      else options.mirrors.put(change.object);
      return;
    }
    if (change.type === 'delete') {
      seat.remove(forced(change.object));
      return;
    }
    // A pod deleted and made again under its name is another pod: the first one has gone unseen.
    const { previous } = change;
    if (previous !== undefined && previous.metadata?.uid !== change.object.metadata?.uid) seat.remove(forced(previous));
    seat.put(change.object);
  };
  reflector.lister.onChange(apply);
  return {
    lister: reflector.lister,
    retryNow: () => reflector.retryNow(),
    run: async (signal) => {
      const synced = reflector.lister.waitForSync(signal).then(
        () => seat.markSynced(),
        () => {},
      );
      await Promise.all([reflector.run(signal), synced]);
    },
  };
}

/** An object that goes while its containers run was deleted by force: they get a small grace, as documented. */
function forced(pod: Pod): Pod {
  const asked = pod.metadata?.deletionGracePeriodSeconds ?? FORCED_GRACE_PERIOD_SECONDS;
  const deletionGracePeriodSeconds = Math.min(asked, FORCED_GRACE_PERIOD_SECONDS);
  return { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds } };
}
