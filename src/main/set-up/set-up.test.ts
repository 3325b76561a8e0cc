import { describe, expect, it } from 'vitest';
import { objection, parseSimulation } from './apt-simulation.ts';
import { installCommand, listed, missingNeeds, type Present } from './needs.ts';

const all: Present = {
  containerd: true,
  runc: true,
  cniPlugins: true,
  iptables: true,
  nftables: true,
  conntrack: true,
  iproute: true,
  staticInit: true,
  staticBusybox: true,
};
const none: Present = {
  containerd: false,
  runc: false,
  cniPlugins: false,
  iptables: false,
  nftables: false,
  conntrack: false,
  iproute: true,
  staticInit: false,
  staticBusybox: false,
};

describe('missingNeeds', () => {
  it('asks for nothing when all is there', () => expect(missingNeeds(all, { demo: true })).toEqual([]));
  it('asks only for what is missing', () => {
    const needs = missingNeeds({ ...all, cniPlugins: false, staticBusybox: false }, { demo: false });
    expect(installCommand(needs, 'apt-get')).toBe(
      'apt-get install --no-install-recommends containernetworking-plugins',
    );
    expect(installCommand(needs, 'apk')).toBe('apk add cni-plugins');
    expect(installCommand(needs, undefined)).toBeUndefined();
  });
  it('names all that Debian packages for the demo', () => {
    expect(installCommand(missingNeeds(none, { demo: true }), 'apt-get')).toBe(
      'apt-get install --no-install-recommends containerd runc containernetworking-plugins iptables nftables conntrack catatonit busybox-static',
    );
  });
});

describe('listed', () => {
  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a and b'],
    [['a', 'b', 'c'], 'a, b and c'],
  ])('%j', (words, text) => expect(listed(words)).toBe(text));
});

const fresh = `Reading package lists...
Building dependency tree...
The following NEW packages will be installed:
  containerd runc
0 upgraded, 2 newly installed, 0 to remove and 136 not upgraded.
Inst runc (1.1.5+ds1-1+deb12u1 Debian:12.12/oldstable, Debian-Security:12/oldstable-security [amd64])
Inst containerd (1.6.20~ds1-1+deb12u3 Debian:12.12/oldstable [amd64])
Conf runc (1.1.5+ds1-1+deb12u1 Debian:12.12/oldstable [amd64])
Conf containerd (1.6.20~ds1-1+deb12u3 Debian:12.12/oldstable [amd64])
`;

describe('parseSimulation and objection', () => {
  it('accepts a plan that only adds', () => {
    const plan = parseSimulation(fresh);
    expect(plan).toEqual({
      installs: [
        { name: 'runc', version: '1.1.5+ds1-1+deb12u1' },
        { name: 'containerd', version: '1.6.20~ds1-1+deb12u3' },
      ],
      changes: [],
      removals: [],
    });
    expect(objection(plan)).toBeUndefined();
  });

  it('refuses to upgrade or downgrade', () => {
    const plan = parseSimulation('Inst libc6 [2.36-9] (2.36-9+deb12u13 Debian:12.12/oldstable [amd64]) []\n');
    expect(plan.changes).toEqual([{ name: 'libc6', from: '2.36-9', version: '2.36-9+deb12u13' }]);
    expect(objection(plan)).toBe(
      'apt-get would change libc6 from 2.36-9 to 2.36-9+deb12u13, and mendlet changes nothing that is installed',
    );
  });

  it("refuses to remove, and shows the way with Docker's containerd", () => {
    const text = objection(
      parseSimulation(
        'Remv docker-ce [5:27.1-1]\nRemv containerd.io [1.7.20-1]\nInst containerd (1.6.20 Debian [amd64])\n',
      ),
    );
    expect(text).toContain('apt-get would remove docker-ce 5:27.1-1, remove containerd.io 1.7.20-1');
    expect(text).toContain('--runtime unix:///run/containerd/containerd.sock');
    expect(objection(parseSimulation('Purg busybox [1:1.35]\n'))).not.toContain('--runtime');
  });
});
