/** Of several copies of a sidecar, the one that holds the Lease works (client-go's leader election, in short). */
import { setTimeout as sleep } from 'node:timers/promises';
import { settings } from '../settings.ts';
import { ApiError, type Cluster, type KubeObject } from './cluster.ts';

const LEASE_SECONDS = 10;
const RENEW_MS = 2000;

interface Lease extends KubeObject {
  readonly spec: {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly acquireTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** Resolves when this copy leads. It ends when it does not any more. */
export async function lead(cluster: Cluster, name: string): Promise<void> {
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${settings.namespace}/leases`;
  const hold = (): Promise<boolean> => holdLease(cluster, leases, name);
  while (!(await hold().catch(said))) await sleep(RENEW_MS);
  console.log(`leads: ${name}`);
  void (async () => {
    for (let lastMs = Date.now(); ; ) {
      await sleep(RENEW_MS);
      if (await hold().catch(said)) lastMs = Date.now();
      else if (Date.now() - lastMs > LEASE_SECONDS * 1000) process.exit(1);
    }
  })();
}

function said(error: unknown): boolean {
  console.log(`lease: ${error instanceof Error ? error.message : String(error)}`);
  return false;
}

/** Takes the lease when it is free or has run out, and keeps it. @returns whether this copy has it now */
async function holdLease(cluster: Cluster, leases: string, name: string): Promise<boolean> {
  const now = new Date().toISOString().replace('Z', '000Z');
  const mine = { holderIdentity: settings.pod, leaseDurationSeconds: LEASE_SECONDS, renewTime: now };
  let lease: Lease;
  try {
    lease = await cluster.get<Lease>(`${leases}/${name}`);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error;
    const spec = { ...mine, acquireTime: now, leaseTransitions: 0 };
    await cluster.create(leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name },
      spec,
    });
    return true;
  }
  const { holderIdentity = '', renewTime = '', leaseTransitions = 0 } = lease.spec;
  const isMine = holderIdentity === settings.pod;
  const isFree = holderIdentity === '' || !(Date.now() - Date.parse(renewTime) < LEASE_SECONDS * 1000);
  if (!isMine && !isFree) return false;
  const taken = isMine ? {} : { acquireTime: now, leaseTransitions: leaseTransitions + 1 };
  await cluster.replace(`${leases}/${name}`, { ...lease, spec: { ...lease.spec, ...mine, ...taken } });
  return true;
}
