import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressProblem } from './target-address.ts';

const LOOPBACK = 'a loopback address of the control plane';
const LINK_LOCAL = 'a link-local address, where machines get their credentials';
const METADATA = 'the address of a metadata service';

describe('an address of a target', () => {
  it.each<[string, string | undefined]>([
    ['93.184.216.34', undefined],
    ['10.0.0.7', undefined],
    ['192.168.1.5', undefined],
    ['2606:2800:220:1::1', undefined],
    ['fd12:3456::1', undefined],
    ['127.0.0.1', LOOPBACK],
    ['127.255.255.254', LOOPBACK],
    ['::1', LOOPBACK],
    ['::ffff:127.0.0.1', LOOPBACK],
    ['::ffff:7f00:1', LOOPBACK],
    ['::127.0.0.1', LOOPBACK],
    ['64:ff9b::127.0.0.1', LOOPBACK],
    ['64:ff9b:1::7f00:1', LOOPBACK],
    ['64:ff9b:1:7f00:0:100::', LOOPBACK],
    ['64:ff9b:1:7f:0:1::', LOOPBACK],
    ['64:ff9b:1:0:7f:0:100:0', LOOPBACK],
    ['64:ff9b:1::5db8:d822', undefined],
    ['::ffff:0:127.0.0.1', LOOPBACK],
    ['2001:db8::5efe:127.0.0.1', LOOPBACK],
    ['2001:db8::200:5efe:7f00:1', LOOPBACK],
    ['2001:0:7f00:1::', LOOPBACK],
    ['2001:0:5db8:d822::80ff:fffe', LOOPBACK],
    ['2002:7f00:1::', LOOPBACK],
    ['169.254.169.254', LINK_LOCAL],
    ['169.254.0.1', LINK_LOCAL],
    ['::ffff:a9fe:a9fe', LINK_LOCAL],
    ['2002:a9fe:a9fe::1', LINK_LOCAL],
    ['64:ff9b::a9fe:a9fe', LINK_LOCAL],
    ['fe80::1', LINK_LOCAL],
    ['febf::1', LINK_LOCAL],
    ['fd00:ec2::254', METADATA],
    ['fd00:0ec2:0:0:0:0:0:254', METADATA],
    ['fd00:ec2::23', METADATA],
    ['fd00:c1::a9fe:a9fe', METADATA],
    ['fd00:42::42', METADATA],
    ['fd20:ce::254', METADATA],
    ['100.100.100.200', METADATA],
    ['::ffff:100.100.100.200', METADATA],
    ['168.63.129.16', METADATA],
    ['192.0.0.192', METADATA],
    ['0.0.0.0', 'the unspecified address'],
    ['0.1.2.3', 'the unspecified address'],
    ['::', 'the unspecified address'],
    ['224.0.0.1', 'a multicast address'],
    ['239.1.1.1', 'a multicast address'],
    ['ff02::1', 'a multicast address'],
    ['255.255.255.255', 'a broadcast address'],
    ['240.0.0.1', 'a reserved address'],
    ['fe80::1%eth0', 'no address'],
    ['', 'no address'],
  ])('%s', (address, wanted) => expect(addressProblem(address, [])).toBe(wanted));

  it('is allowed by an administrator, in whichever form it comes, and no other', () => {
    expect(addressProblem('127.0.0.1', ['127.0.0.1/32'])).toBeUndefined();
    expect(addressProblem('::ffff:127.0.0.1', ['127.0.0.1/32'])).toBeUndefined();
    expect(addressProblem('127.0.0.2', ['127.0.0.1/32'])).toBe(LOOPBACK);
    expect(addressProblem('::1', ['127.0.0.0/8'])).toBe(LOOPBACK);
    expect(addressProblem('169.254.169.254', ['127.0.0.0/8', 'fe80::/10'])).toBe(LINK_LOCAL);
    expect(addressProblem('fe80::7', ['fe80::/10'])).toBeUndefined();
    // The server of a tunnel is no leave for its client.
    expect(addressProblem('2001:0:a00:1::80ff:fffe', ['10.0.0.0/8'])).toBe(LOOPBACK);
  });

  it('within 127/8 or 169.254/16 is refused however it is wrapped', () => {
    const inner = fc.tuple(
      fc.constantFrom([127], [169, 254]),
      fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 3, maxLength: 3 }),
    );
    const wraps: readonly ((hex: string) => string)[] = [
      (hex) => `::ffff:${hex}`,
      (hex) => `64:ff9b::${hex}`,
      (hex) => `64:ff9b:1::${hex}`,
      (hex) => `2002:${hex}::1`,
    ];
    fc.assert(
      fc.property(inner, fc.constantFrom(...wraps), ([head, tail], wrap) => {
        const bytes = [...head, ...tail].slice(0, 4);
        const hex = [0, 2].map((i) => (((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)).toString(16)).join(':');
        expect(addressProblem(wrap(hex), [])).toBeDefined();
        expect(addressProblem(bytes.join('.'), [])).toBeDefined();
      }),
      { numRuns: 200 },
    );
  });
});
