import { describe, expect, it } from 'vitest';
import { defaultInterface, meminfoBytes, nodeAddresses, osImage, processCount } from './machine-facts.ts';

const HEADER = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT';
const route = (dev: string, destination: string, metric: number, mask: string) =>
  `${dev}\t${destination}\t010200C0\t0003\t0\t0\t${metric}\t${mask}\t0\t0\t0`;

describe('what the machine says', () => {
  it.each([
    ['NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n', 'Debian GNU/Linux 12 (bookworm)'],
    ["PRETTY_NAME='Alpine'\n", 'Alpine'],
    ['PRETTY_NAME=Arch\n', 'Arch'],
    ['ID=x\n', 'Linux'],
  ])('os-release %j is %s', (text, image) => {
    expect(osImage(text)).toBe(image);
  });

  it('meminfo counts kB', () => {
    expect(meminfoBytes('MemTotal:       100 kB\nMemAvailable:    7 kB\n', 'MemAvailable')).toBe(7168);
    expect(meminfoBytes('MemTotal: 100 kB\n', 'MemAvailable')).toBe(0);
  });

  it('loadavg counts tasks', () => {
    expect(processCount('0.10 0.20 0.30 2/345 6789\n')).toBe(345);
  });

  it('the default route of the least metric counts', () => {
    const table = [
      HEADER,
      route('wlan0', '00000000', 600, '00000000'),
      route('eth0', '00000000', 100, '00000000'),
      route('tun0', '00000000', 0, '00000080'),
    ];
    expect(defaultInterface(table.join('\n'))).toBe('eth0');
    expect(defaultInterface(HEADER)).toBeUndefined();
  });

  const v4 = (address: string, internal = false) => ({ address, family: 'IPv4' as const, internal });
  const v6 = (address: string, internal = false) => ({ address, family: 'IPv6' as const, internal });
  it.each([
    [
      'the route’s interface',
      { lo: [v4('127.0.0.1', true)], a: [v4('10.0.0.1')], b: [v6('fe80::1'), v6('fd00::2'), v4('10.0.0.2')] },
      'b',
      ['10.0.0.2', 'fd00::2'],
    ],
    ['any other', { lo: [v4('127.0.0.1', true)], a: [v4('10.0.0.1')] }, undefined, ['10.0.0.1']],
    ['nothing but loopback', { lo: [v4('127.0.0.1', true)] }, 'eth0', ['127.0.0.1']],
    ['link-local alone', { a: [v4('169.254.1.1'), v6('fe80::1')] }, 'a', ['127.0.0.1']],
  ])('addresses with %s', (_, interfaces, preferred, addresses) => {
    expect(nodeAddresses(interfaces, preferred)).toEqual(addresses);
  });
});
