/** The pods' network of two instances on one machine. Root only; removes all it made. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PodNetwork, podNetwork } from '../../src/cri/containerd/cni-config.ts';
import {
  ensureNetwork,
  NetworkInUseError,
  refuseTakenNetwork,
  removeNetwork,
} from '../../src/cri/containerd/network.node.ts';
import { waitForKernelLock } from '../../src/lib/kernel-lock.node.ts';
import { systemProcess } from '../../src/lib/process.node.ts';
import { isRoot } from './harness.ts';

const CIDR = '10.98.7.0/24';

function network(instanceId: string): PodNetwork {
  const made = podNetwork(instanceId, CIDR);
  if (typeof made === 'string') throw new Error(made);
  return made;
}

describe.runIf(isRoot)('two instances with one network', () => {
  let folder: string;
  const networks = ['tnet-a', 'tnet-b'].map(network);
  const options = ({ instanceId }: PodNetwork) => ({
    confDir: join(folder, instanceId, 'cni'),
    leasesDir: join(folder, instanceId, 'leases'),
    apiServerPort: undefined,
    lock: () => waitForKernelLock(join(folder, 'lock')),
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mendlet-network-'));
  });
  afterEach(async () => {
    for (const each of networks) await removeNetwork(systemProcess, each, options(each));
    rmSync(folder, { recursive: true, force: true });
  });

  it('one has it, the other is refused, though both begin at the same time', async () => {
    const results = await Promise.allSettled(networks.map((each) => ensureNetwork(systemProcess, each, options(each))));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refused).toEqual([expect.any(NetworkInUseError)]);
    await expect(refuseTakenNetwork(systemProcess, '10.98.0.0/16')).rejects.toThrow(
      /overlaps the route to 10\.98\.7\.0/,
    );
  });

  it('is had again by whoever has it', async () => {
    const [first] = networks;
    if (first === undefined) throw new Error('no network');
    await ensureNetwork(systemProcess, first, options(first));
    await ensureNetwork(systemProcess, first, options(first));
  });
});
