/** Tests the pods' networks of two instances on one machine. It needs root, and removes all that it made. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  NetworkInUseError,
  type PodNetwork,
  podNetworkOf,
  refuseTakenNetwork,
  removeNetwork,
  setUpNetwork,
} from '../../src/network/index.ts';
import { openNetworkMachine } from '../../src/network/network-machine.node.ts';
import { systemFileSystem } from '../../src/lib/file-system.node.ts';
import { waitForKernelLock } from '../../src/lib/kernel-lock.node.ts';
import { systemProcess } from '../../src/lib/process.node.ts';
import { isRoot } from './harness.ts';

const CIDR = '10.98.7.0/24';

const machine = openNetworkMachine(systemProcess);
const place = { machine, fs: systemFileSystem };

function network(instanceId: string): PodNetwork {
  return podNetworkOf(instanceId, CIDR);
}

describe.runIf(isRoot)('two instances with one network', () => {
  let folder: string;
  const networks = ['tnet-a', 'tnet-b'].map(network);
  const options = ({ instanceId }: PodNetwork) => ({
    confDir: join(folder, instanceId, 'cni'),
    leasesDir: join(folder, instanceId, 'leases'),
    apiServerPort: undefined,
    openTable: async () => undefined,
    lock: () => waitForKernelLock(join(folder, 'lock')),
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mendlet-network-'));
  });
  afterEach(async () => {
    for (const each of networks) await removeNetwork(place, each, options(each));
    rmSync(folder, { recursive: true, force: true });
  });

  it('one has it, the other is refused, though both begin at the same time', async () => {
    const results = await Promise.allSettled(networks.map((each) => setUpNetwork(place, each, options(each))));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refused).toEqual([expect.any(NetworkInUseError)]);
    await expect(refuseTakenNetwork(machine, '10.98.0.0/16')).rejects.toThrow(/overlaps the route to 10\.98\.7\.0/);
  });

  it('is had again by whoever has it', async () => {
    const [first] = networks;
    if (first === undefined) throw new Error('no network');
    await setUpNetwork(place, first, options(first));
    await setUpNetwork(place, first, options(first));
  });
});
