import { afterEach, describe, expect, it } from 'vitest';
import { calm, TestCluster } from '../../../test/support/node-cluster.ts';
import { NODES } from '../../api/index.ts';

describe('the controller', () => {
  let cluster: TestCluster;
  afterEach(async () => {
    await cluster.stop();
  });
  const add = async (name: string, podCIDR?: string): Promise<void> => {
    const spec = podCIDR === undefined ? {} : { podCIDR, podCIDRs: [podCIDR] };
    await cluster.api.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec });
    await calm();
  };
  const cidr = async (name: string): Promise<unknown> => {
    const { podCIDR, podCIDRs } = (await cluster.node(name)).spec ?? {};
    expect(podCIDRs).toEqual(podCIDR === undefined ? undefined : [podCIDR]);
    return podCIDR;
  };

  it('gives each node its network, keeps what is there, and takes it back', async () => {
    const nodeIpam = { clusterCidr: '10.0.0.0/22', nodeMaskSize: 24 };
    cluster = await TestCluster.start({}, { nodeIpam });
    await add('own', '10.0.0.0/24');
    for (const name of ['a', 'b', 'c', 'late']) await add(name);
    expect([await cidr('a'), await cidr('b'), await cidr('c'), await cidr('late')]).toEqual([
      '10.0.1.0/24',
      '10.0.2.0/24',
      '10.0.3.0/24',
      undefined,
    ]);
    expect(await cluster.told()).toContain('late CIDRNotAvailable Node late status is now: CIDRNotAvailable');
    // Another leader begins with what is there.
    await cluster.stop();
    cluster.startControllers({}, { nodeIpam });
    await cluster.pass(1000);
    await cluster.api.client.delete(NODES, undefined, 'b');
    await calm();
    expect(await cidr('late')).toBe('10.0.2.0/24');
    expect(cluster.metrics.text()).toContain(
      'node_ipam_controller_cidrset_cidrs_allocations_total{clusterCIDR="10.0.0.0/22"} 4',
    );
  });

  it('is not there unless there is a network to give out', async () => {
    cluster = await TestCluster.start();
    await add('a');
    expect(await cidr('a')).toBeUndefined();
  });
});
