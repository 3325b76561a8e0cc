/** The node's heartbeat: its Lease in kube-node-lease, made once and renewed after each quarter of its duration. */
import { isConflict, isNotFound, type Lease, LEASES, type Node } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { type Clock, exponentialDelay, formatMicroTime, jitterUp, type Logger, type Random } from '../../lib/index.ts';
import { callInTime } from './call-in-time.ts';
import { CALL_TIMEOUT_MS, LEASE_JITTER, LEASE_PERIOD_FRACTION, RETRY_BACK_OFF } from './limits.ts';

const NAMESPACE = 'kube-node-lease';

export interface NodeLeaseOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly client: KubeClient;
  readonly nodeName: string;
  /** The registered node, which owns the lease. */
  readonly node: () => Node | undefined;
  readonly durationSeconds: number;
  /** It is renewed after it could not be. */
  readonly onRecovered?: () => void;
}

/** Runs until the signal is aborted. */
export async function renewNodeLease(options: NodeLeaseOptions, signal: AbortSignal): Promise<void> {
  const { clock, random, logger, durationSeconds } = options;
  const periodMs = durationSeconds * 1000 * LEASE_PERIOD_FRACTION;
  let lease: Lease | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      lease = await renew(options, lease, signal);
      if (failures > 0) options.onRecovered?.();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      // The object in hand is old: the next try begins with reading it.
      lease = undefined;
      if (!isConflict(error)) logger.warn('node lease not renewed', { failures, error });
    }
    const delayMs = failures === 0 ? jitterUp(periodMs, LEASE_JITTER, random) : retryDelayMs(failures, periodMs);
    await clock.sleep(delayMs, signal).catch(() => {});
  }
}

/** A lease that is short is not given up for long: never less often than it would be renewed. */
function retryDelayMs(failures: number, periodMs: number): number {
  return Math.min(exponentialDelay(RETRY_BACK_OFF, failures), Math.max(periodMs, RETRY_BACK_OFF.baseMs));
}

async function renew(options: NodeLeaseOptions, known: Lease | undefined, signal: AbortSignal): Promise<Lease> {
  const { clock, client, nodeName } = options;
  const current = known ?? (await readLease(options, signal));
  const renewed = leaseNow(options, current);
  return callInTime(
    clock,
    signal,
    (callSignal) =>
      current === undefined
        ? client.create(LEASES, renewed, callSignal)
        : client.update(LEASES, renewed, undefined, callSignal),
    timeoutOf(options),
  ).catch((error: unknown) => {
    if (current !== undefined && isNotFound(error)) return renew(options, undefined, signal);
    throw error instanceof Error ? error : new Error(`lease ${nodeName}: ${String(error)}`);
  });
}

/** A renewal that takes longer than the lease is none. */
function timeoutOf({ durationSeconds }: NodeLeaseOptions): number {
  return Math.min(CALL_TIMEOUT_MS, durationSeconds * 1000);
}

async function readLease(options: NodeLeaseOptions, signal: AbortSignal): Promise<Lease | undefined> {
  const { clock, client, nodeName } = options;
  try {
    const read = (callSignal: AbortSignal): Promise<Lease> => client.get(LEASES, NAMESPACE, nodeName, callSignal);
    return await callInTime(clock, signal, read, timeoutOf(options));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function leaseNow({ clock, nodeName, node, durationSeconds }: NodeLeaseOptions, current: Lease | undefined): Lease {
  const uid = node()?.metadata?.uid;
  const owner = uid === undefined ? [] : [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid }];
  return {
    ...current,
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...current?.metadata,
      name: nodeName,
      namespace: NAMESPACE,
      ...(owner.length > 0 && { ownerReferences: owner }),
    },
    spec: {
      ...current?.spec,
      holderIdentity: nodeName,
      leaseDurationSeconds: durationSeconds,
      renewTime: formatMicroTime(clock.now().wall),
    },
  };
}
