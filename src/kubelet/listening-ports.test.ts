import { describe, expect, it } from 'vitest';
import { type HeldSockets, listenersIn, listeningPorts, openSocketsIn, ownedPorts } from './listening-ports.ts';

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';

function line(address: string, { state = '0A', inode = '42' } = {}): string {
  const remote = address.length > 20 ? '0'.repeat(32) : '00000000';
  return `   0: ${address} ${remote}:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 00000000d402b410 100 0 0 10 0\n`;
}

describe('a line of the table', () => {
  it.each<[string, string, object[]]>([
    ['all addresses', line('00000000:1F90'), [{ port: 8080, inode: '42' }]],
    ['one address of the pod', line('0500F40A:0050'), [{ port: 80, inode: '42' }]],
    ['loopback', line('0100007F:1F90'), [{ port: 8080, inode: '42', loopback: '127.0.0.1' }]],
    ['another loopback address', line('3500007F:0035'), [{ port: 53, inode: '42', loopback: '127.0.0.53' }]],
    ['all addresses of IPv6', line(`${'0'.repeat(32)}:2382`), [{ port: 9090, inode: '42' }]],
    ['loopback of IPv6', line(`${'0'.repeat(24)}01000000:1F90`), [{ port: 8080, inode: '42', loopback: '::1' }]],
    [
      'loopback of IPv4, by a socket of IPv6',
      line('0000000000000000FFFF00000100007F:1F90'),
      [{ port: 8080, inode: '42', loopback: '127.0.0.1' }],
    ],
    [
      'an address of IPv4, by a socket of IPv6',
      line('0000000000000000FFFF00000500F40A:1F90'),
      [{ port: 8080, inode: '42' }],
    ],
    ['an address of IPv6', line('000080FE00000000FF005450B6ABCDEF:1F90'), [{ port: 8080, inode: '42' }]],
    ['a connection', line('00000000:1F90', { state: '01' }), []],
    ['one that is closing', line('00000000:1F90', { state: '06' }), []],
    ['no address', '   0: zz 00000000:0000 0A x x x x x 42\n', []],
    ['nothing', '', []],
  ])('%s', (_, text, expected) => {
    expect(listenersIn(`${HEAD}${text}`, true)).toEqual(expected);
  });

  it('of UDP, which waits for anybody', () => {
    const waits = line('00000000:1FBD', { state: '07' });
    expect(listenersIn(`${HEAD}${waits}`, true, 'UDP')).toEqual([{ port: 8125, inode: '42' }]);
    expect(listenersIn(`${HEAD}${waits}`, true)).toEqual([]);
    expect(listenersIn(`${HEAD}${line('00000000:1FBD', { state: '01' })}`, true, 'UDP')).toEqual([]);
  });

  it('of a machine of the other endianness', () => {
    expect(listenersIn(`${HEAD}${line('7F000001:1F90')}${line(`${'0'.repeat(31)}1:1F91`)}`, false)).toEqual([
      { port: 8080, inode: '42', loopback: '127.0.0.1' },
      { port: 8081, inode: '42', loopback: '::1' },
    ]);
  });
});

describe('the ports', () => {
  const held = (complete: boolean, ...inodes: readonly string[]): HeldSockets => ({
    inodes: new Set(inodes),
    complete,
  });
  const loopback = '127.0.0.1';
  it.each<[string, Parameters<typeof listeningPorts>, object[]]>([
    [
      'its own first, then by number',
      [
        [
          { port: 15_001, inode: '1' },
          { port: 9090, inode: '2' },
          { port: 8080, inode: '3' },
        ],
        held(true, '2', '3'),
      ],
      [
        { port: 8080, own: true },
        { port: 9090, own: true },
        { port: 15_001, own: false },
      ],
    ],
    [
      'those of whom nobody knows',
      [
        [
          { port: 80, inode: '1' },
          { port: 8080, inode: '2' },
        ],
        held(false, '2'),
      ],
      [{ port: 8080, own: true }, { port: 80 }],
    ],
    [
      'one port by both families',
      [
        [
          { port: 8080, inode: '1' },
          { port: 8080, inode: '2' },
        ],
        held(true, '1'),
      ],
      [{ port: 8080, own: true }],
    ],
    [
      'loopback alone',
      [[{ port: 8080, inode: '1', loopback }], held(true, '1')],
      [{ port: 8080, loopback, own: true }],
    ],
    [
      'loopback of both families',
      [
        [
          { port: 8080, inode: '2', loopback: '::1' },
          { port: 8080, inode: '1', loopback },
        ],
        held(true, '1'),
      ],
      [{ port: 8080, loopback, own: true }],
    ],
    [
      'loopback and another address',
      [
        [
          { port: 8080, inode: '1', loopback },
          { port: 8080, inode: '2' },
        ],
        held(true, '1'),
      ],
      [{ port: 8080, own: true }],
    ],
    ['none', [[], held(true)], []],
  ])('%s', (_, given, expected) => {
    expect(listeningPorts(...given)).toEqual(expected);
  });
});

describe('the ports of a pod', () => {
  it('name who holds them, by number; one of several sockets is enough', () => {
    const holders = new Map([
      ['2', { container: 'auth-proxy', process: 'haproxy' }],
      ['4', { container: 'catalog' }],
    ]);
    const listeners = [
      { port: 9090, inode: '4', loopback: '127.0.0.1' },
      { port: 8080, inode: '1' },
      { port: 8080, inode: '2' },
      { port: 7070, inode: '3' },
    ];
    expect(ownedPorts(listeners, holders)).toEqual([
      { port: 7070 },
      { port: 8080, container: 'auth-proxy', process: 'haproxy' },
      { port: 9090, loopback: '127.0.0.1', container: 'catalog' },
    ]);
  });
});

describe('the open sockets of a machine', () => {
  it.each<[string, 'TCP' | 'UDP', string, object[]]>([
    ['all addresses', 'TCP', line('00000000:0050'), [{ port: 80, address: undefined }]],
    ['one address', 'TCP', line('010200C0:0050'), [{ port: 80, address: '192.0.2.1' }]],
    [
      'one address, by a socket of IPv6',
      'TCP',
      line('0000000000000000FFFF0000010200C0:0050'),
      [{ port: 80, address: '192.0.2.1' }],
    ],
    ['all addresses of IPv6', 'TCP', line(`${'0'.repeat(32)}:0050`), [{ port: 80, address: undefined }]],
    ['loopback', 'TCP', line('0100007F:0050'), []],
    ['a connection', 'TCP', line('010200C0:0050', { state: '01' }), []],
    ['UDP without a peer', 'UDP', line('00000000:0035', { state: '07' }), [{ port: 53, address: undefined }]],
    ['UDP with a peer', 'UDP', line('010200C0:0035', { state: '01' }), []],
  ])('%s', (_, protocol, text, expected) => {
    expect(openSocketsIn(`${HEAD}${text}`, protocol, true)).toEqual(expected);
  });
});
