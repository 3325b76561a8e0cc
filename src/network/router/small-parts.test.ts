import { describe, expect, it } from 'vitest';
import { FrontClaims } from './front-claims.ts';
import { foreignServiceRoute } from './foreign-route.ts';
import { parseConnections } from './parse-connections.ts';
import { readTable } from './read-table.ts';
import { mayBeOurs } from './removal-lines.ts';
import { missingRules, ruleNames } from './rule-names.ts';
import { addressText, withoutNested } from './safe-values.ts';
import type { Front, ServicePlan } from './service-fronts.ts';
import { staleFlows } from './stale-flows.ts';

describe('lines of nft monitor', () => {
  it.each([
    ['delete table ip mendlet-x', true],
    ['delete table inet firewalld', true],
    ['delete rule ip mendlet-x nat-output handle 7', true],
    ['delete chain ip mendlet-x route', true],
    ['delete rule ip mendlet-x-pods to-pod handle 7', true],
    ['delete rule ip mendlet-y-pods to-pod handle 7', false],
    ['delete element ip mendlet-x-pods open-ports { tcp . 80 }', false],
    ['delete rule ip filter FORWARD handle 3', true],
    ['delete chain ip nat MENDLET-SNAT-x', true],
    ['delete element ip mendlet-x services { 10.96.0.1 . tcp . 80 : drop }', false],
    ['delete rule ip mendlet-x sticky-all-10.96.0.1-tcp-80 handle 9', false],
    ['delete set ip mendlet-x held-60-10.96.0.1-tcp-80-10.0.0.1-80', false],
    ['delete rule ip mendlet-x hide-address-pick-2 handle 9', false],
    ['delete rule ip other input handle 1', false],
    ['# new generation 5 by process 7 (nft)', false],
  ])('%s: %s', (line, ours) => expect(mayBeOurs(line, ['mendlet-x', 'mendlet-x-pods'])).toBe(ours));
});

describe('rules that are missing', () => {
  const outline = (extra = 'jump route', sticky = ''): string =>
    `table ip t {\n\tset dead {\n\t\ttype ipv4_addr\n\t}\n\n\tchain nat-output {\n\t\ttype nat hook output priority -100; policy accept;\n\t\t${extra}\n\t}\n${sticky}}\n`;
  it('are named', () => {
    const whole = ruleNames(outline());
    expect(missingRules(whole, ruleNames(outline()), 't')).toEqual([]);
    expect(missingRules(whole, ruleNames(outline('')), 't')).toEqual(['nat-output: jump route']);
    expect(missingRules(whole, undefined, 't')).toEqual(['table t']);
  });
  it('are none of big picks, which come and go with the size of services', () => {
    const picks = (...sizes: readonly number[]): string =>
      sizes
        .map((size) => `\tchain port-pick-${size} {\n\t\tnumgen random mod ${size} vmap { 0 : goto x }\n\t}\n`)
        .join('');
    const whole = ruleNames(outline(undefined, picks(2, 40)));
    expect(missingRules(whole, ruleNames(outline(undefined, picks(2))), 't')).toEqual([]);
    expect(missingRules(whole, ruleNames(outline()), 't')).toHaveLength(2);
  });
  it('are none of services with affinity', () => {
    const sticky = '\tchain sticky-all-1 {\n\t\tip saddr @held-1 dnat\n\t}\n\tset held-1 {\n\t\tsize 65535\n\t}\n';
    expect(missingRules(ruleNames(outline(undefined, sticky)), ruleNames(outline()), 't')).toEqual([]);
  });
});

const front = (key: string, endpoint: string): Front => ({
  at: key.startsWith('udp') ? 'port' : 'address',
  key,
  external: false,
  near: { does: 'send', targets: [endpoint] },
  far: undefined,
  sources: undefined,
  serving: [endpoint],
  affinity: undefined,
});
const plan = (...fronts: readonly Front[]): ServicePlan => ({
  fronts,
  clusterIPs: [],
  selves: [],
  leftOut: [],
  since: '',
});

it('UDP flows are stale whose endpoint does not serve', () => {
  const line = (to: string, port: number, by: string): string =>
    `udp      17 29 src=10.0.0.9 dst=${to} sport=4000 dport=${port} [UNREPLIED] src=${by} dst=10.0.0.9 sport=53 dport=4000 mark=0 use=1`;
  const flows = parseConnections(
    [
      line('10.96.0.1', 53, '10.0.0.1'),
      line('10.96.0.1', 53, '10.0.0.2'),
      line('192.0.2.7', 30_053, '10.0.0.2'),
      line('192.0.2.8', 30_053, '10.0.0.2'),
      line('10.96.0.2', 53, '10.0.0.2'),
      'tcp 6 1 src=1.1.1.1',
      'udp      17 119 src=10.0.0.9 dst=10.96.0.1 sport=4001 dport=53 packets=1 bytes=30 src=10.0.0.3 dst=10.0.0.9 sport=53 dport=4001 [ASSURED] mark=0 use=1',
    ].join('\n'),
  );
  expect(flows).toHaveLength(6);
  const plans = [plan(front('10.96.0.1 . udp . 53', '10.0.0.1 . 53'), front('udp . 30053', '10.0.0.1 . 53'))];
  expect(staleFlows(flows, plans, new Set(['192.0.2.7'])).map(({ to, answeredBy }) => `${to} ${answeredBy}`)).toEqual([
    '10.96.0.1 10.0.0.2',
    '192.0.2.7 10.0.0.2',
    '10.96.0.1 10.0.0.3',
  ]);
});

it('an address that two services want is one’s, and the other’s when that is gone', () => {
  const claims = new FrontClaims();
  const [a, b] = [plan(front('192.0.2.1 . tcp . 80', 'a')), plan(front('192.0.2.1 . tcp . 80', 'b'))];
  expect(claims.set('team/b', b)).toEqual([]);
  expect(claims.won('team/b', b).plan).toBe(b);
  expect(claims.set('team/a', a)).toEqual(['team/b']);
  expect(claims.won('team/b', b)).toMatchObject({ plan: { fronts: [] }, lost: ['address 192.0.2.1 . tcp . 80'] });
  expect(claims.set('team/a', undefined)).toEqual(['team/b']);
  expect(claims.won('team/b', b).plan).toBe(b);
});

it('the oldest service has an address that several want, and before all the one whose cluster IP it is', () => {
  const claims = new FrontClaims();
  const name = 'address 10.96.0.1 . tcp . 443';
  const wish = (external: boolean, since: string): ServicePlan => ({
    ...plan({ ...front('10.96.0.1 . tcp . 443', 'x'), external }),
    since,
  });
  claims.set('a/thief', wish(true, '2024-01-01T00:00:00Z'));
  claims.set('default/kubernetes', wish(false, '2025-01-01T00:00:00Z'));
  expect(claims.holder(name)).toBe('default/kubernetes');
  claims.set('default/kubernetes', undefined);
  claims.set('shop/web', wish(true, '2023-01-01T00:00:00Z'));
  expect(claims.holder(name)).toBe('shop/web');
  // Made anew under its name, it is the younger one.
  expect(claims.set('shop/web', wish(true, '2025-01-01T00:00:00Z'))).toEqual(['a/thief']);
  expect(claims.holder(name)).toBe('a/thief');
});

it('a table is read as it was written, or not at all', () => {
  const table = {
    nftables: [
      { chain: { name: 'layout-1-a' } },
      {
        map: {
          name: 'services',
          elem: [
            [{ concat: ['10.96.0.1', 'tcp', 80] }, { goto: { target: 'address-pick-1' } }],
            [{ concat: ['10.96.0.2', 'tcp', 80] }, { drop: null }],
          ],
        },
      },
      {
        map: { name: 'address-slot-0', elem: [[{ concat: ['10.96.0.1', 'tcp', 80] }, { concat: ['10.0.0.1', 8080] }]] },
      },
      { set: { name: 'cluster-ips', elem: ['10.96.0.1'] } },
      {
        set: {
          name: 'allowed',
          elem: [
            { concat: [{ prefix: { addr: '10.0.0.0', len: 8 } }, '1.2.3.4', 'tcp', 80] },
            { concat: ['192.0.2.1', '1.2.3.4', 'tcp', 80] },
          ],
        },
      },
      { set: { name: 'dead', elem: [{ elem: { val: '10.0.0.9', timeout: 900, expires: 5 } }] } },
      { set: { name: 'held-60-x', elem: ['10.0.0.3'] } },
      { set: { name: 'pod-networks', elem: [{ prefix: { addr: '10.244.0.0', len: 16 } }] } },
    ],
  };
  const found = readTable(JSON.stringify(table), 'layout-1-a');
  expect(Object.fromEntries(found?.elements ?? [])).toEqual({
    'services 10.96.0.1 . tcp . 80': 'goto address-pick-1',
    'services 10.96.0.2 . tcp . 80': 'drop',
    'address-slot-0 10.96.0.1 . tcp . 80': '10.0.0.1 . 8080',
    'cluster-ips 10.96.0.1': '',
    'allowed 10.0.0.0/8 . 1.2.3.4 . tcp . 80': '',
    'allowed 192.0.2.1/32 . 1.2.3.4 . tcp . 80': '',
  });
  expect([found?.dead, [...(found?.held ?? [])]]).toEqual([['10.0.0.9'], ['held-60-x']]);
  expect(readTable(JSON.stringify(table), 'layout-1-b')).toBeUndefined();
  expect(readTable('{', 'layout-1-a')).toBeUndefined();
});

it('routes of others to the network of services are found', () => {
  const ours = { protocol: '119', metric: 7 };
  const find = (...routes: Parameters<typeof foreignServiceRoute>[1]) =>
    foreignServiceRoute('10.96.0.0/16', routes, ours)?.dst;
  expect(find({ dst: 'default' }, { dst: '0.0.0.0/1' }, { dst: '10.97.0.0/16' })).toBeUndefined();
  expect(find({ dst: '10.96.0.0/16', protocol: '119', metric: 7 })).toBeUndefined();
  expect(find({ dst: '10.96.0.0/16', protocol: '119', metric: 8 })).toBe('10.96.0.0/16');
  expect(find({ dst: '10.0.0.0/8', dev: 'eth0' })).toBe('10.0.0.0/8');
});

it('only addresses reach nft', () => {
  expect(
    ['10.0.0.1', '10.0.0.1/8', '010.0.0.1', 'x', '1.2.3.4; flush ruleset', '::1', undefined].map(addressText),
  ).toEqual(['10.0.0.1', undefined, undefined, undefined, undefined, undefined, undefined]);
  expect(withoutNested(['10.1.0.0/16', '10.0.0.0/8', '192.0.2.1/32', '10.0.0.0/8'])).toEqual([
    '10.0.0.0/8',
    '192.0.2.1/32',
  ]);
});
