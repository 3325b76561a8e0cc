/** What the node agent tells routing and DNS of its pods, and asks them: verdicts, and how far the traffic to a pod has gone. */
import type { Clock } from '../lib/index.ts';
import type { ServiceRouter } from './router/service-router.ts';
import type { SeenConnection } from './services/fresh-connections.ts';
import type { LocalVerdicts, Verdict } from './services/local-verdicts.ts';
import type { ServiceDirectory } from './services/service-directory.ts';
import { type Withdrawal, Withdrawals } from './services/withdrawals.ts';

/** The kubelet's port `PodRouting`. */
export interface PodTraffic {
  judge(podUid: string, verdict: Verdict | undefined, addresses?: readonly string[]): void;
  taken(addresses: readonly string[]): void;
  forget(podUid: string): void;
  canLeave(podUid: string): boolean;
  withdrawal(podUid: string): Withdrawal | undefined;
  onChange(listener: (podUid: string) => void): void;
}

export interface TrafficParts {
  readonly clock: Clock;
  readonly directory: ServiceDirectory;
  readonly verdicts: LocalVerdicts;
  /** Undefined: this node answers DNS queries, and routes nothing. */
  readonly router: ServiceRouter | undefined;
  /** All TCP connections that the machine tracks; undefined: it cannot be asked. */
  readonly connections: () => Promise<readonly SeenConnection[] | undefined>;
}

/** Real and simulated agents are put together by it. */
export function podRouting({ router, ...sources }: TrafficParts): PodTraffic {
  const isApplied = (podUid: string): boolean => router?.isApplied(podUid) ?? true;
  const withdrawals = new Withdrawals({ ...sources, isApplied });
  router?.onApplied(() => withdrawals.look());
  return {
    judge: (podUid, verdict, addresses) => withdrawals.judge(podUid, verdict, addresses),
    taken: (addresses) => {
      for (const address of addresses) void router?.addressTaken(address);
    },
    forget: (podUid) => withdrawals.forget(podUid),
    canLeave: (podUid) => withdrawals.canLeave(podUid),
    withdrawal: (podUid) => withdrawals.of(podUid),
    onChange: (listener) => {
      withdrawals.onChange(listener);
    },
  };
}
