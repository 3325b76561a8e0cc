/** Packets to host ports through both tables of a node, as the oracle understands them. */
import { describe, expect, it } from 'vitest';
import { fullLoad } from '../../network/index.ts';
import { elementsOf, planHostPorts } from '../../network/host-ports/plan-host-ports.ts';
import { PEERS_SET, podTable, podTableName } from '../../network/host-ports/pod-table-text.ts';
import { statements } from '../../network/router/element-statements.ts';
import { podNetworkOf } from '../../network/set-up-network.ts';
import { followPacket, type Packet } from './follow-packet.ts';
import { PacketFilter } from './packet-filter.ts';

const HOST = '192.0.2.1';
const SECOND = '192.0.2.3';
const network = podNetworkOf('sim', '10.244.0.0/24');
const port = (hostPort: number, hostIp = '', protocol = 'TCP') => ({ protocol, hostPort, hostIp, containerPort: 80 });
const { targets } = planHostPorts(
  new Map([
    [
      'a',
      { createdAt: 1, addresses: ['10.244.0.2'], ports: [port(80), port(53, '', 'UDP'), port(30_080), port(90, HOST)] },
    ],
    [
      'b',
      { createdAt: 2, addresses: ['10.244.0.3'], ports: [port(90, SECOND), port(91, '127.0.0.1'), port(80, SECOND)] },
    ],
  ]),
);
const filter = new PacketFilter();
const service = {
  metadata: { namespace: 'n', name: 's' },
  spec: { type: 'NodePort', clusterIP: '10.96.0.1', ports: [{ port: 80, nodePort: 30_080 }] },
};
const slice = {
  addressType: 'IPv4',
  ports: [{ name: '', port: 8080, protocol: 'TCP' }],
  endpoints: [{ addresses: ['10.244.0.9'], nodeName: 'here', conditions: { ready: true } }],
};
for (const text of [
  fullLoad(
    [{ service, slices: [slice] }],
    { nodeName: 'here', zone: undefined, verdictOf: () => undefined },
    { instanceId: 'sim', podNetworks: ['10.244.0.0/24'], serviceNetworks: ['10.96.0.0/16'], routesHost: true },
  ),
  podTable(network),
  statements('add', podTableName('sim'), [...elementsOf(targets), [`${PEERS_SET} 10.244.1.0/24`, '']]),
]) {
  const refusal = filter.apply(text, 0);
  if (refusal !== undefined) throw new Error(refusal);
}

const FROM = {
  beyond: { from: '198.51.100.7', through: 'eth0' },
  pod: { from: '10.244.0.5', through: 'mndt-sim' },
  itself: { from: '10.244.0.2', through: 'mndt-sim' },
  farPod: { from: '10.244.1.5', through: 'eth0' },
  node: { from: HOST, through: undefined },
  loopback: { from: '127.0.0.1', through: undefined },
} as const;

function ask(from: keyof typeof FROM, to: string, protocol: Packet['protocol'] = 'tcp'): string {
  const [ip = '', portText] = to.split(':');
  const packet: Packet = { ...FROM[from], to: ip, port: Number(portText), protocol, mark: 0x1 };
  const outcomes = followPacket(packet, { tables: [...filter.tables()], own: new Set([HOST, SECOND]), mono: 0 });
  return outcomes.map((each) => `${each.fate} ${each.to}${each.isHidden ? ' hidden' : ''}`).join(', ');
}

describe('a packet', () => {
  it.each<[keyof typeof FROM, string, string, Packet['protocol']?]>([
    ['beyond', `${HOST}:80`, 'sent 10.244.0.2:80'],
    ['farPod', `${HOST}:80`, 'sent 10.244.0.2:80'],
    ['node', `${HOST}:80`, 'sent 10.244.0.2:80'],
    ['pod', `${HOST}:80`, 'sent 10.244.0.2:80 hidden'],
    ['itself', `${HOST}:80`, 'sent 10.244.0.2:80 hidden'],
    ['loopback', '127.0.0.1:80', 'sent 10.244.0.2:80 hidden'],
    ['beyond', `${HOST}:53`, 'sent 10.244.0.2:80', 'udp'],
    ['beyond', `${HOST}:80`, `untouched ${HOST}:80`, 'udp'],
    // The port of one address comes before that of all.
    ['beyond', `${SECOND}:80`, 'sent 10.244.0.3:80'],
    ['beyond', `${HOST}:90`, 'sent 10.244.0.2:80'],
    ['beyond', `${SECOND}:90`, 'sent 10.244.0.3:80'],
    ['loopback', '127.0.0.1:90', 'untouched 127.0.0.1:90'],
    ['loopback', '127.0.0.1:91', 'sent 10.244.0.3:80 hidden'],
    ['beyond', `${HOST}:91`, `untouched ${HOST}:91`],
    // 127.0.0.0/8 is this machine's own alone.
    ['beyond', '127.0.0.1:80', 'dropped 127.0.0.1:80'],
    ['pod', '127.0.0.1:91', 'dropped 127.0.0.1:91'],
    // A node port of a service comes first, as with kube-proxy and portmap.
    ['beyond', `${HOST}:30080`, 'sent 10.244.0.9:8080 hidden'],
    ['pod', '10.96.0.1:80', 'sent 10.244.0.9:8080'],
    // Ports of others are none of ours.
    ['beyond', '203.0.113.9:80', 'untouched 203.0.113.9:80'],
    // Pods leave under the node's address, but not to other pods.
    ['pod', '203.0.113.9:80', 'untouched 203.0.113.9:80 hidden'],
    ['pod', '10.244.1.9:80', 'untouched 10.244.1.9:80'],
    ['pod', '10.244.0.9:80', 'untouched 10.244.0.9:80'],
    ['pod', '224.0.0.1:80', 'untouched 224.0.0.1:80'],
    ['beyond', '203.0.113.9:443', 'untouched 203.0.113.9:443'],
  ])('from %s to %s is %s', (from, to, wanted, protocol) => {
    expect(ask(from, to, protocol)).toBe(wanted);
  });
});
