import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress, formatCidr, gatewayOf, overlaps, parseCidr } from './cidr.ts';
import { bridgeHardwareAddress, bridgeName, podNetwork } from './pod-network.ts';
import { conflictingRoute } from './conflicting-route.ts';
import { filterChains, filterRules, isInPlace, masqueradeChain, natRules } from './packet-filter.ts';
import { cniConflist } from './cni-conflist.ts';

const network = (cidr = '10.244.0.0/16', id = 'a1b2c3') => {
  const found = podNetwork(id, cidr);
  if (typeof found === 'string') throw new Error(found);
  return found;
};

describe('cidr', () => {
  it.each([
    ['10.244.0.0/16', '10.244.0.0/16'],
    ['10.244.7.9/16', '10.244.0.0/16'],
    ['192.168.1.1', '192.168.1.1/32'],
    ['255.255.255.255/32', '255.255.255.255/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
  ])('%s is %s', (text, canonical) => {
    const found = parseCidr(text);
    expect(found && formatCidr(found)).toBe(canonical);
  });

  it.each(['', '10.0.0', '10.0.0.256', '10.0.0.0/33', '10.0.0.0/', 'fd00::/64', '1.2.3.4/8x'])('%j is none', (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });

  it('overlap is holding an address in common', () => {
    const cidr = fc.record({ base: fc.nat(0xffff), prefix: fc.integer({ min: 16, max: 32 }) });
    const members = ({ base, prefix }: { base: number; prefix: number }) => {
      const { base: from } = parseCidr(`${formatAddress(base)}/${prefix}`) ?? { base: 0 };
      return { from, to: from + 2 ** (32 - prefix) - 1 };
    };
    fc.assert(
      fc.property(cidr, cidr, (a, b) => {
        const [x, y] = [members(a), members(b)];
        const expected = x.from <= y.to && y.from <= x.to;
        const [p, q] = [a, b].map(({ base, prefix }) => parseCidr(`${formatAddress(base)}/${prefix}`));
        expect(p && q && overlaps(p, q)).toBe(expected);
      }),
    );
  });

  it('the gateway is the first address', () => {
    expect(gatewayOf({ base: parseCidr('10.244.0.0/16')?.base ?? 0, prefix: 16 })).toBe('10.244.0.1');
  });
});

describe('the pod network', () => {
  it.each(['10.244.0.0', '10.244.0.0/30', '10.0.0.0/7', 'fd00::/64', 'x/16'])(
    'refuses --pod-cidr %s in one sentence',
    (cidr) => {
      expect(podNetwork('a', cidr)).toContain(`--pod-cidr ${cidr} `);
    },
  );

  it.each(['a1b2c3', 'a-very-long-instance-id', 'Ünïcode', ''])('names a bridge that Linux takes for %j', (id) => {
    expect(bridgeName(id)).toMatch(/^mndt-[a-z0-9-]{0,10}$/);
    const made = network('10.1.0.0/16', id);
    for (const { name } of [masqueradeChain(made), ...filterChains(made)]) expect(name.length).toBeLessThanOrEqual(28);
  });

  it('has two names for two instances', () => {
    expect(bridgeName('a-very-long-instance-id')).not.toBe(bridgeName('a-very-long-instance-ie'));
  });

  it.each([
    [{ dst: 'default', dev: 'eth0' }, false],
    [{ dst: '0.0.0.0/1', dev: 'tun0' }, false],
    [{ dst: '128.0.0.0/1', dev: 'tun0' }, false],
    [{ dst: '192.168.0.0/24', dev: 'eth0' }, false],
    [{ dst: '10.0.0.0/8', dev: 'vpn0' }, true],
    [{ dst: '10.244.3.0/24', dev: 'docker0' }, true],
    [{ dst: '10.244.3.4', dev: 'lo', type: 'local' }, true],
    [{ dst: '10.244.255.255', dev: 'br', type: 'broadcast' }, false],
    [{ dst: '10.244.0.0/16', dev: 'mndt-a1b2c3' }, false],
  ])('with a route %o: conflict %s', (route, conflict) => {
    expect(conflictingRoute(network(), [route]) !== undefined).toBe(conflict);
  });

  it('is a bridge with leases where they are asked for', () => {
    const conflist = JSON.parse(cniConflist(network(), '/run/x/cni')) as {
      plugins: { type: string; bridge?: string; ipam?: unknown }[];
    };
    expect(conflist.plugins.map(({ type }) => type)).toEqual(['bridge', 'portmap']);
    expect(conflist.plugins[0]).toMatchObject({
      bridge: 'mndt-a1b2c3',
      isGateway: true,
      hairpinMode: true,
      ipam: { dataDir: '/run/x/cni', ranges: [[{ subnet: '10.244.0.0/16', gateway: '10.244.0.1' }]] },
    });
  });

  it('masks what leaves, forwards what stays, and opens the API server and DNS alone', () => {
    expect(natRules(network(), ['10.245.0.0/16'])).toEqual([
      '*nat',
      ':MENDLET-SNAT-a1b2c3 - [0:0]',
      '-A MENDLET-SNAT-a1b2c3 -d 224.0.0.0/4 -j RETURN',
      '-A MENDLET-SNAT-a1b2c3 -s 10.244.0.0/16 -d 10.245.0.0/16 -j RETURN',
      '-A MENDLET-SNAT-a1b2c3 -s 10.244.0.0/16 ! -d 10.244.0.0/16 -j MASQUERADE',
      'COMMIT',
    ]);
    const rules = filterRules(network(), 6443);
    expect(rules).not.toContain('*nat');
    expect(rules).toContain('-A MENDLET-FWD-a1b2c3 -i mndt-a1b2c3 -j ACCEPT\n');
    expect(rules).toContain('-A MENDLET-IN-a1b2c3 -i mndt-a1b2c3 -d 10.244.0.1/32 -p tcp --dport 6443 -j ACCEPT\n');
    const ports = [...filterRules(network(), undefined).matchAll(/--dport (\d+)/g)].map(([, port]) => port);
    expect(new Set(ports)).toEqual(new Set(['53']));
    expect(rules).toContain(
      '-A MENDLET-OUT-a1b2c3 -p icmp -m conntrack --ctstate RELATED --ctreplsrc 10.244.0.1/32 -j DROP',
    );
    expect(rules).toContain(
      '-A MENDLET-OUT-a1b2c3 -s 10.244.0.1/32 -p tcp --sport 53 --tcp-flags RST RST -m conntrack ! --ctstatus ASSURED -j DROP',
    );
  });

  it.each([
    [
      'with its jump and a rule',
      ['-A FORWARD -j MENDLET-FWD-a1b2c3', '-A MENDLET-FWD-a1b2c3 -i mndt-a1b2c3 -j ACCEPT'],
      true,
    ],
    ['without the jump', ['-A MENDLET-FWD-a1b2c3 -i mndt-a1b2c3 -j ACCEPT'], false],
    ['without a rule', ['-N MENDLET-FWD-a1b2c3', '-A FORWARD -j MENDLET-FWD-a1b2c3'], false],
    ['of another instance', ['-A FORWARD -j MENDLET-FWD-a1b2c34', '-A MENDLET-FWD-a1b2c34 -j ACCEPT'], false],
  ])('a chain %s is in place or not', (_, lines, expected) => {
    const listing = ['-P FORWARD ACCEPT', ...lines, ''].join('\n');
    expect(filterChains(network()).filter((chain) => isInPlace(chain, listing))).toHaveLength(expected ? 1 : 0);
  });

  it('has a hardware address of its own', () => {
    expect(bridgeHardwareAddress(network())).toBe('0a:58:0a:f4:00:01');
  });
});
