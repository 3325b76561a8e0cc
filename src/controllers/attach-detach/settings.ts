/** What the controller that has volumes attached is given. */
import type { EventRecorder, Informers, KubeClient } from '../../client/index.ts';
import type { Clock, MetricsRegistry } from '../../lib/index.ts';

export interface AttachDetachSettings {
  /** Hexadecimal SHA-256, for the names of attachments. */
  readonly hash: (text: string) => string;
  /** False: an unheard node keeps its volumes until it is said to be out of service (upstream: --disable-force-detach-on-timeout). */
  readonly forceDetachOnTimeout?: boolean;
}

export interface AttachDetachOptions {
  readonly informers: Informers;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  readonly events: EventRecorder;
}
