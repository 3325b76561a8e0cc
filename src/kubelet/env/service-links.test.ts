import { describe, expect, it } from 'vitest';
import type { Pod, Service } from '../../api/index.ts';
import { linkedServices, variablesOf } from './service-links.ts';

const pod = (spec: Partial<Pod['spec'] & object> = {}): Pod => ({
  metadata: { name: 'p', namespace: 'shop' },
  spec: { containers: [], ...spec },
});

const service = (name: string, spec: Service['spec'], namespace = 'shop'): Service => ({
  metadata: { name, namespace },
  ...(spec === undefined ? {} : { spec }),
});

const lines = (services: readonly Service[], of: Pod = pod()) =>
  linkedServices(services, of)
    .flatMap(variablesOf)
    .map(({ name, value }) => `${name}=${value}`);

describe('serviceLinks', () => {
  it('tells of a service’s address and ports', () => {
    const ports = [
      { name: 'web', port: 80 },
      { name: 'dns-udp', port: 53, protocol: 'UDP' },
    ];
    expect(lines([service('my-db', { clusterIP: '10.96.0.7', ports })])).toEqual([
      'MY_DB_SERVICE_HOST=10.96.0.7',
      'MY_DB_SERVICE_PORT=80',
      'MY_DB_SERVICE_PORT_WEB=80',
      'MY_DB_SERVICE_PORT_DNS_UDP=53',
      'MY_DB_PORT=tcp://10.96.0.7:80',
      'MY_DB_PORT_80_TCP=tcp://10.96.0.7:80',
      'MY_DB_PORT_80_TCP_PROTO=tcp',
      'MY_DB_PORT_80_TCP_PORT=80',
      'MY_DB_PORT_80_TCP_ADDR=10.96.0.7',
      'MY_DB_PORT_53_UDP=udp://10.96.0.7:53',
      'MY_DB_PORT_53_UDP_PROTO=udp',
      'MY_DB_PORT_53_UDP_PORT=53',
      'MY_DB_PORT_53_UDP_ADDR=10.96.0.7',
    ]);
  });

  it.each([
    ['headless', service('a', { clusterIP: 'None', ports: [{ port: 1 }] })],
    ['without an address yet', service('a', { ports: [{ port: 1 }] })],
    ['without a port', service('a', { clusterIP: '10.96.0.7' })],
    ['of another namespace', service('a', { clusterIP: '10.96.0.7', ports: [{ port: 1 }] }, 'other')],
    ['the API server’s', service('kubernetes', { clusterIP: '10.96.0.1', ports: [{ port: 443 }] })],
  ])('leaves out one that is %s', (_, given) => {
    expect(lines([given])).toEqual([]);
  });

  it('tells nothing to a pod that wants no links', () => {
    const given = service('a', { clusterIP: '10.96.0.7', ports: [{ port: 1 }] });
    expect(lines([given], pod({ enableServiceLinks: false }))).toEqual([]);
  });
});
