import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { AllowedClients } from './allowed-clients.ts';
import { dnsLinkAddresses, dnsLinkName, networksOfLinks } from './dns-link.ts';
import { service, slice, viewOf } from './dns.fixtures.ts';
import { otherClusterDns } from './other-cluster-dns.ts';
import { isSystemdStub, serversOf } from './resolv-conf.ts';
import { TcpFrames, tcpFrame } from './tcp-frames.ts';

describe('the node’s servers', () => {
  it('are read from resolv.conf', () => {
    const text =
      '# a\nnameserver 192.0.2.1 # first\n\tnameserver   fe80::1%eth0\nnameserver no\nsearch x\nnameserver ::1;\n';
    expect(serversOf(text).map(({ address }) => address)).toEqual(['192.0.2.1', 'fe80::1%eth0', '::1']);
  });
  it.each<[string, boolean]>([
    ['nameserver 127.0.0.53', true],
    ['nameserver 127.0.0.53\nnameserver 192.0.2.1', false],
    ['', false],
  ])('are systemd’s: %j %s', (text, expected) => expect(isSystemdStub(serversOf(text))).toBe(expected));
});

describe('another DNS of the cluster', () => {
  const dns = service(
    'kube-dns',
    { clusterIP: '10.96.0.10', ports: [{ name: 'dns', protocol: 'UDP', port: 53 }] },
    'kube-system',
  );
  const ports = [{ name: 'dns', protocol: 'UDP', port: 5353 }];
  it.each<[string, Parameters<typeof viewOf>, unknown]>([
    ['no service', [[], []], undefined],
    ['ours', [[dns], []], undefined],
    [
      'one without ready pods',
      [[dns], [slice('kube-dns', [{ ip: '10.244.0.9', ready: false }], ports, 'kube-system')]],
      undefined,
    ],
    [
      'one that answers',
      [[dns], [slice('kube-dns', [{ ip: '10.244.0.9' }], ports, 'kube-system')]],
      [{ address: '10.244.0.9', port: 5353 }],
    ],
  ])('%s', (_what, objects, expected) =>
    expect(otherClusterDns(viewOf(...objects).directory, () => undefined)).toEqual(expected),
  );
});

describe('clients', () => {
  it('are the node and its pods', () => {
    const clock = createManualClock();
    const own = ['192.0.2.7'];
    const allowed = new AllowedClients({ clock, addresses: () => own, localNetworks: async () => [] }, '10.244.3.0/24');
    const isAllowed = (address: string): boolean => allowed.isAllowed(address);
    expect(['10.244.3.9', '127.0.0.1', '192.0.2.7'].map(isAllowed)).toEqual([true, true, true]);
    expect(['10.244.4.9', '192.0.2.8', '::1', 'nonsense'].map(isAllowed)).toEqual([false, false, false, false]);
  });
  it('on a given runtime are behind links of the machine, which it may get later', async () => {
    const clock = createManualClock();
    let networks = ['10.88.0.0/16'];
    const allowed = new AllowedClients({ clock, addresses: () => [], localNetworks: async () => networks }, '');
    await allowed.refresh();
    expect(allowed.isAllowed('10.88.0.3')).toBe(true);
    expect(allowed.isAllowed('10.99.0.3')).toBe(false);
    networks = ['10.99.0.0/16'];
    await clock.advance(1000);
    allowed.isAllowed('10.99.0.3');
    await clock.advance(0);
    expect(allowed.isAllowed('10.99.0.3')).toBe(true);
  });
  it('are not behind the default route', () =>
    expect(
      networksOfLinks([
        { dst: 'default', dev: 'eth0' },
        { dst: '192.0.2.0/24', dev: 'eth0' },
        { dst: '10.88.0.0/16', dev: 'cni0' },
        { dst: '10.88.0.1', dev: 'cni0', type: 'local' },
      ]),
    ).toEqual([{ dst: '10.88.0.0/16', dev: 'cni0' }]));
});

describe('the link of a server', () => {
  const local = (dev: string, dst: string) => ({ type: 'local', dev, dst });
  it('has a name that Linux takes', () => expect(dnsLinkName('0123456789abcdef0123').length).toBeLessThanOrEqual(15));
  it('keeps its address, and takes none of another', () => {
    const [first = '', second] = dnsLinkAddresses('a', []);
    expect(first).toMatch(/^169\.254\.20\.\d+$/);
    expect(dnsLinkAddresses('a', [local('mndd-b', first)])[0]).toBe(second);
    expect(dnsLinkAddresses('a', [local('mndd-a', '169.254.20.200')])[0]).toBe('169.254.20.200');
  });
});

describe('messages by TCP', () => {
  it('come in pieces, or several at a time', () => {
    const frames = new TcpFrames();
    const bytes = [...tcpFrame(Uint8Array.of(1, 2, 3)), ...tcpFrame(Uint8Array.of(4))];
    const seen: number[][] = [];
    for (const byte of bytes.slice(0, 6)) {
      frames.push(Uint8Array.of(byte));
      for (let next = frames.next(); next !== undefined; next = frames.next()) seen.push([...next]);
    }
    expect(seen).toEqual([[1, 2, 3]]);
    frames.push(Uint8Array.from([...bytes.slice(6), ...bytes]));
    for (let next = frames.next(); next !== undefined; next = frames.next()) seen.push([...next]);
    expect(seen).toEqual([[1, 2, 3], [4], [1, 2, 3], [4]]);
  });
});
