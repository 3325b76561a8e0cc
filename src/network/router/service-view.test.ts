import { describe, expect, it } from 'vitest';
import type { EndpointSlice, Service } from '../../api/index.ts';
import { servicePorts } from './service-view.ts';

const HERE = { nodeName: 'here', nodeDns: { ip: '10.244.0.1', port: 53 } };
const slice: EndpointSlice = {
  metadata: { name: 'web-1' },
  addressType: 'IPv4',
  ports: [
    { name: 'http', port: 8080, protocol: 'TCP' },
    { name: 'dns', port: 5353, protocol: 'UDP' },
  ],
  endpoints: [
    { addresses: ['10.0.0.1'], nodeName: 'here', targetRef: { kind: 'Pod', uid: 'a' } },
    { addresses: ['10.0.0.2'], nodeName: 'there', targetRef: { kind: 'Pod', uid: 'b' } },
    { addresses: ['10.0.0.3'], nodeName: 'here', conditions: { ready: false }, targetRef: { kind: 'Pod', uid: 'c' } },
  ],
};
const service = (spec: Service['spec']): Service => ({
  metadata: { name: 'web', namespace: 'shop' },
  spec: { ports: [{ name: 'http', port: 80 }], ...spec },
});

describe('the endpoints of a service as a node sees them', () => {
  it.each<[string, Service['spec'], Readonly<Record<string, 'dead'>>, readonly string[]]>([
    ['those that are ready', {}, {}, ['TCP 80: 10.0.0.1:8080 10.0.0.2:8080']],
    ['not those that died here', {}, { a: 'dead' }, ['TCP 80: 10.0.0.2:8080']],
    ['those of this node', { internalTrafficPolicy: 'Local' }, {}, ['TCP 80: 10.0.0.1:8080']],
    [
      'of each port by its name and protocol',
      {
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'other', port: 1 },
        ],
      },
      {},
      ['UDP 53: 10.0.0.1:5353 10.0.0.2:5353', 'TCP 1: '],
    ],
  ])('are %s', (_, spec, verdicts, wanted) => {
    const found = servicePorts(service(spec), [slice], { ...HERE, verdictOf: (podUid) => verdicts[podUid] });
    expect(
      found.map(
        ({ port, protocol, endpoints }) =>
          `${protocol} ${port}: ${endpoints.map((each) => `${each.ip}:${each.port}`).join(' ')}`,
      ),
    ).toEqual(wanted);
  });

  it('are this node’s own DNS for kube-dns, unless others have it', () => {
    const dns: Service = {
      metadata: { namespace: 'kube-system', name: 'kube-dns', annotations: { 'mendlet.dev/node-dns': 'true' } },
      spec: { ports: [{ name: 'dns-tcp', port: 53, protocol: 'TCP' }] },
    };
    const node = { ...HERE, verdictOf: () => undefined };
    expect(servicePorts(dns, [], node)).toEqual([
      { port: 53, protocol: 'TCP', endpoints: [{ ip: '10.244.0.1', port: 53 }] },
    ]);
    expect(servicePorts(dns, [], { ...node, nodeDns: undefined })[0]?.endpoints).toEqual([]);
    expect(servicePorts(dns, [slice], node)[0]?.endpoints).toEqual([]);
  });
});
