import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import { type RunningControllers, startControllers } from '../../../test/support/running-controllers.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { isNotFound, IP_ADDRESSES, SERVICE_CIDRS, type ServiceCIDR, SERVICES, type Service } from '../../api/index.ts';
import { planServiceCidr, SERVICE_CIDR_FINALIZER } from './plan-service-cidr.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const ready = { type: 'Ready', status: 'True', reason: '', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };

function range(
  name: string,
  cidr: string,
  more: { going?: string; holds?: boolean; isReady?: boolean } = {},
): ServiceCIDR {
  const { going, holds = true, isReady = true } = more;
  return {
    metadata: {
      name,
      ...(holds && { finalizers: [SERVICE_CIDR_FINALIZER] }),
      ...(going !== undefined && { deletionTimestamp: going }),
    },
    spec: { cidrs: [cidr] },
    status: { conditions: isReady ? [ready] : [] },
  };
}

describe('the plan', () => {
  const LONG_AGO = '2026-01-01T00:00:00Z';
  const gone = range('a', '10.0.0.0/24', { going: LONG_AGO });
  const plan = (object: ServiceCIDR, addresses: readonly string[] = [], others: readonly ServiceCIDR[] = []) =>
    planServiceCidr(object, { all: [object, ...others], addresses, now: NOW });

  it('holds a new range before it is ready', () => {
    const fresh = range('a', '10.0.0.0/24', { holds: false, isReady: false });
    expect(plan(fresh)).toEqual({ kind: 'finalizers', finalizers: [SERVICE_CIDR_FINALIZER] });
    expect(plan(range('a', '10.0.0.0/24', { isReady: false }))).toMatchObject({
      kind: 'condition',
      condition: { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' },
    });
    expect(plan(range('a', '10.0.0.0/24'))).toEqual({ kind: 'none' });
  });

  it('keeps one in use, and says so', () => {
    expect(plan(gone, ['10.0.0.7'])).toMatchObject({
      kind: 'condition',
      condition: { status: 'False', reason: 'Terminating' },
    });
  });

  it.each<[string, string[], ServiceCIDR[]]>([
    ['nobody has an address of it', ['10.0.1.7'], []],
    ['a larger range has all of it', ['10.0.0.7'], [range('b', '10.0.0.0/16')]],
    ['the same range is there twice', ['10.0.0.7'], [range('b', '10.0.0.0/24')]],
    ['a smaller range has what is in use', ['10.0.0.7'], [range('b', '10.0.0.0/28')]],
  ])('lets it go when %s', (_, addresses, others) => {
    expect(plan(gone, addresses, others)).toEqual({ kind: 'finalizers', finalizers: [] });
  });

  it.each<[string, ServiceCIDR]>([
    ['another one', range('b', '10.0.1.0/24')],
    ['one that goes itself', range('b', '10.0.0.0/16', { going: LONG_AGO })],
    ['the other family', range('b', '::/0')],
  ])('is not helped by %s', (_, other) => {
    expect(plan(gone, ['10.0.0.7'], [other]).kind).toBe('condition');
  });

  it('waits for servers that have not seen its deletion', () => {
    expect(plan(range('a', '10.0.0.0/24', { going: '2026-01-01T00:00:54Z' }))).toEqual({ kind: 'wait', ms: 4000 });
  });
});

describe('with a server', () => {
  let cluster: RunningControllers;
  beforeEach(async () => {
    cluster = await startControllers();
  });
  afterEach(() => cluster.stop());

  const service = (name: string, clusterIP: string): Service => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'default', name },
    spec: { clusterIP, ports: [{ port: 80 }] },
  });
  const get = async (): Promise<ServiceCIDR | undefined> => {
    try {
      return await cluster.client.get(SERVICE_CIDRS, undefined, 'more');
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  it('a further range gives addresses once it is ready, and goes when nobody has one any more', async () => {
    const { client, clock } = cluster;
    await expect(client.create(SERVICES, service('a', '10.7.0.9'))).rejects.toThrow('not in the valid range');
    const object = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'more' } };
    await client.create(SERVICE_CIDRS, { ...object, spec: { cidrs: ['10.7.0.0/24'] } });
    await until(async () => (await get())?.status?.conditions?.[0]?.status === 'True', 'ready');
    await client.create(SERVICES, service('a', '10.7.0.9'));
    await client.delete(SERVICE_CIDRS, undefined, 'more');
    await until(async () => (await get())?.status?.conditions?.[0]?.status === 'False', 'in use');
    await expect(client.create(SERVICES, service('b', '10.7.0.10'))).rejects.toThrow('not in the valid range');
    await client.delete(SERVICES, 'default', 'a');
    await expect(client.get(IP_ADDRESSES, undefined, '10.7.0.9')).rejects.toThrow('not found');
    await settle();
    await clock.advance(11_000);
    await until(async () => (await get()) === undefined, 'gone');
  });
});
