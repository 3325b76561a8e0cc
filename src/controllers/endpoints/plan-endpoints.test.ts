import { describe, expect, it } from 'vitest';
import type { Endpoints, Pod, Service } from '../../api/index.ts';
import { planEndpoints } from './plan-endpoints.ts';

const SERVICE: Service = {
  metadata: { namespace: 'n', name: 'web', uid: 's', labels: { team: 'a' } },
  spec: {
    selector: { app: 'web' },
    clusterIP: '10.96.0.5',
    ports: [
      { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' },
      { name: 'admin', port: 81, targetPort: 9000, protocol: 'TCP' },
    ],
  },
};

function pod(name: string, ip: string, ready = true, portName = 'http'): Pod {
  return {
    metadata: { namespace: 'n', name, uid: name },
    spec: {
      nodeName: 'n1',
      hostname: name,
      subdomain: 'web',
      containers: [{ name: 'c', ports: [{ name: portName, containerPort: 8080, protocol: 'TCP' }] }],
    },
    status: { phase: 'Running', podIP: ip, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

function subsets(pods: readonly Pod[], more: Partial<Parameters<typeof planEndpoints>[0]> = {}): Endpoints['subsets'] {
  const operation = planEndpoints({ service: SERVICE, pods, current: undefined, triggerTime: undefined, ...more });
  return operation?.verb === 'create' ? (operation.object as Endpoints).subsets : undefined;
}

const address = (name: string, ip: string) => ({
  ip,
  hostname: name,
  nodeName: 'n1',
  targetRef: { kind: 'Pod', namespace: 'n', name, uid: name },
});
const ADMIN = { name: 'admin', port: 9000, protocol: 'TCP' };
const HTTP = { name: 'http', port: 8080, protocol: 'TCP' };

describe('planEndpoints', () => {
  it('ready and others, by the ports that they have', () => {
    const pods = [
      pod('b', '10.0.0.2'),
      pod('a', '10.0.0.1'),
      pod('c', '10.0.0.3', false),
      pod('d', '10.0.0.4', true, 'x'),
    ];
    expect(subsets(pods)).toEqual([
      {
        addresses: [address('a', '10.0.0.1'), address('b', '10.0.0.2')],
        notReadyAddresses: [address('c', '10.0.0.3')],
        ports: [ADMIN, HTTP],
      },
      { addresses: [address('d', '10.0.0.4')], ports: [ADMIN] },
    ]);
  });

  it('all are ready where readiness does not count', () => {
    const service = { ...SERVICE, spec: { ...SERVICE.spec, publishNotReadyAddresses: true } };
    expect(subsets([pod('c', '10.0.0.3', false)], { service })?.[0]).toMatchObject({ addresses: [{ ip: '10.0.0.3' }] });
  });

  it('a headless service needs no ports', () => {
    const service = { ...SERVICE, spec: { selector: { app: 'web' }, clusterIP: 'None' } };
    expect(subsets([pod('a', '10.0.0.1')], { service })).toEqual([{ addresses: [address('a', '10.0.0.1')] }]);
    const operation = planEndpoints({ service, pods: [], current: undefined, triggerTime: 'T' });
    expect(operation).toMatchObject({
      object: {
        metadata: {
          labels: { team: 'a', 'service.kubernetes.io/headless': '' },
          annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': 'T' },
        },
      },
    });
  });

  it('nothing is written twice', () => {
    const input = { service: SERVICE, pods: [pod('a', '10.0.0.1')], triggerTime: 'T' };
    const first = planEndpoints({ ...input, current: undefined });
    const current = (first as { object: Endpoints }).object;
    expect(planEndpoints({ ...input, current, triggerTime: undefined })).toBeUndefined();
    expect(planEndpoints({ ...input, current, pods: [] })).toMatchObject({ verb: 'update', object: { subsets: [] } });
  });

  it.each([
    { what: 'others are cut first', ready: 3, notReady: 4, kept: [3, 2] },
    { what: 'then those that are ready', ready: 8, notReady: 4, kept: [5, 0] },
  ])('too many: $what', ({ ready, notReady, kept }) => {
    const pods = Array.from({ length: ready + notReady }, (_, i) => pod(`p${i}`, `10.0.0.${i}`, i < ready));
    const operation = planEndpoints({
      service: SERVICE,
      pods,
      current: undefined,
      triggerTime: undefined,
      maxAddresses: 5,
    });
    const object = (operation as { object: Endpoints }).object;
    const [subset] = object.subsets ?? [];
    expect([subset?.addresses?.length ?? 0, subset?.notReadyAddresses?.length ?? 0]).toEqual(kept);
    expect(object.metadata?.annotations).toEqual({ 'endpoints.kubernetes.io/over-capacity': 'truncated' });
    expect(planEndpoints({ service: SERVICE, pods, current: object, triggerTime: undefined, maxAddresses: 5 })).toBe(
      undefined,
    );
  });
});
