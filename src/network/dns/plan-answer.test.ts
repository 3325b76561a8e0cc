import { describe, expect, it } from 'vitest';
import type { ClusterView } from './cluster-records.ts';
import { decodeQuery } from './codec/decode-query.ts';
import { encodeAnswer } from './codec/encode-answer.ts';
import { formatName } from './codec/name.ts';
import { TYPE } from './codec/wire.ts';
import { type EndpointWish, queryPacket, readAnswer, service, slice, viewOf } from './dns.fixtures.ts';
import { planAnswer } from './plan-answer.ts';

const PORTS = [
  { name: 'http', protocol: 'TCP', port: 8080 },
  { name: 'metrics', protocol: 'TCP', port: 9090 },
  { name: 'dns', protocol: 'UDP', port: 5353 },
];
const PEERS: readonly EndpointWish[] = [
  { ip: '10.244.0.5', hostname: 'db-0', uid: 'u0' },
  { ip: '10.244.0.6', hostname: 'db-1', uid: 'u1' },
  { ip: '10.244.0.7', uid: 'u2' },
  { ip: '10.244.0.8', hostname: 'db-3', uid: 'u3', ready: false },
];
const headless = { clusterIP: 'None', ports: [{ name: 'http', port: 80 }, { port: 81 }] };
const SERVICES = [
  service('web', {
    clusterIP: '10.96.0.7',
    clusterIPs: ['10.96.0.7'],
    ports: [{ name: 'http', port: 80 }, { port: 81 }],
  }),
  service('db', headless),
  service('none-ready', headless),
  service('early', { ...headless, publishNotReadyAddresses: true }),
  service('bare', { clusterIP: 'None' }),
  service('out', { type: 'ExternalName', externalName: 'Foo.example.com.' }),
  service('in', { type: 'ExternalName', externalName: 'web.default.svc.cluster.local' }),
  service('nowhere', { type: 'ExternalName', externalName: 'gone.default.svc.cluster.local' }),
  service('number', { type: 'ExternalName', externalName: '1.2.3.4' }),
  service('round', { type: 'ExternalName', externalName: 'about.default.svc.cluster.local' }),
  service('about', { type: 'ExternalName', externalName: 'round.default.svc.cluster.local' }),
];
const SLICES = [
  slice('db', PEERS, PORTS.slice(0, 1)),
  slice('none-ready', [{ ip: '10.244.0.9', ready: false }], PORTS.slice(0, 1)),
  slice('early', [{ ip: '10.244.0.10', hostname: 'early-0', uid: 'e0' }], PORTS.slice(0, 1)),
  slice('bare', [{ ip: '10.244.0.11' }]),
];
const SOA = 'cluster.local. 1 SOA ns.dns.cluster.local. minimum 1';

type Verdicts = Readonly<Record<string, 'leaving' | 'dead' | 'gone'>>;

function ask(question: string, verdicts: Verdicts = {}, view?: ClusterView): string[] {
  const [name = '', type = 'A'] = question.split(' ');
  const number = (TYPE as Readonly<Record<string, number>>)[type] ?? Number(type);
  const decoded = decodeQuery(queryPacket(name, number));
  if (decoded.kind !== 'query') throw new Error(decoded.kind);
  const plan = planAnswer(decoded.query, {
    view: view ?? viewOf(SERVICES, SLICES, (uid) => verdicts[uid]),
    synced: true,
    yields: false,
    serial: 1,
  });
  if (plan.kind === 'chase') return ['chase', formatName(plan.target)];
  if (plan.kind !== 'answer') return [plan.kind];
  const { code, answers, authority, additional } = readAnswer(encodeAnswer(decoded.query, plan.answer, 65_535));
  const rest = [
    ...answers,
    ...authority.map((text) => (text === SOA ? 'SOA' : text)),
    ...additional.map((text) => `+ ${text}`),
  ];
  return [code, ...rest.map((text) => text.replaceAll('.svc.cluster.local.', '.'))];
}

describe('the records of the specification', () => {
  it.each<[string, readonly string[]]>([
    ['dns-version.cluster.local TXT', ['NOERROR', 'dns-version.cluster.local. 30 TXT 1.1.0']],
    ['dns-version.cluster.local A', ['NOERROR', 'SOA']],
    ['web.default.svc.cluster.local', ['NOERROR', 'web.default. 30 A 10.96.0.7']],
    ['WEB.Default.SVC.cluster.LOCAL', ['NOERROR', 'web.default. 30 A 10.96.0.7']],
    ['web.default.svc.cluster.local AAAA', ['NOERROR', 'SOA']],
    ['web.default.svc.cluster.local 65', ['NOERROR', 'SOA']],
    [
      '_http._tcp.web.default.svc.cluster.local SRV',
      ['NOERROR', '_http._tcp.web.default. 30 SRV 0 100 80 web.default.', '+ web.default. 30 A 10.96.0.7'],
    ],
    ['_http._tcp.web.default.svc.cluster.local A', ['NOERROR', 'SOA']],
    ['_tcp.web.default.svc.cluster.local SRV', ['NOERROR', 'SOA']],
    ['_udp.web.default.svc.cluster.local SRV', ['NXDOMAIN', 'SOA']],
    ['_._tcp.web.default.svc.cluster.local SRV', ['NXDOMAIN', 'SOA']],
    ['_http._udp.web.default.svc.cluster.local SRV', ['NXDOMAIN', 'SOA']],
    ['7.0.96.10.in-addr.arpa PTR', ['NOERROR', '7.0.96.10.in-addr.arpa. 30 PTR web.default.']],
    ['7.0.96.10.in-addr.arpa A', ['NOERROR']],
    [
      'db.default.svc.cluster.local',
      ['NOERROR', 'db.default. 5 A 10.244.0.5', 'db.default. 5 A 10.244.0.6', 'db.default. 5 A 10.244.0.7'],
    ],
    ['db.default.svc.cluster.local AAAA', ['NOERROR', 'SOA']],
    ['db-1.db.default.svc.cluster.local', ['NOERROR', 'db-1.db.default. 5 A 10.244.0.6']],
    ['db-1.db.default.svc.cluster.local AAAA', ['NOERROR', 'SOA']],
    ['10-244-0-7.db.default.svc.cluster.local', ['NOERROR', '10-244-0-7.db.default. 5 A 10.244.0.7']],
    ['10-244-0-6.db.default.svc.cluster.local', ['NXDOMAIN', 'SOA']],
    ['db-3.db.default.svc.cluster.local', ['NXDOMAIN', 'SOA']],
    [
      '_http._tcp.db.default.svc.cluster.local SRV',
      [
        'NOERROR',
        '_http._tcp.db.default. 5 SRV 0 33 8080 db-0.db.default.',
        '_http._tcp.db.default. 5 SRV 0 33 8080 db-1.db.default.',
        '_http._tcp.db.default. 5 SRV 0 33 8080 10-244-0-7.db.default.',
        '+ db-0.db.default. 5 A 10.244.0.5',
        '+ db-1.db.default. 5 A 10.244.0.6',
        '+ 10-244-0-7.db.default. 5 A 10.244.0.7',
      ],
    ],
    ['6.0.244.10.in-addr.arpa PTR', ['NOERROR', '6.0.244.10.in-addr.arpa. 5 PTR db-1.db.default.']],
    ['7.0.244.10.in-addr.arpa PTR', ['forward']],
    ['8.0.244.10.in-addr.arpa PTR', ['forward']],
    ['8.8.8.8.in-addr.arpa PTR', ['forward']],
    ['none-ready.default.svc.cluster.local', ['NXDOMAIN', 'SOA']],
    ['bare.default.svc.cluster.local', ['NOERROR', 'bare.default. 5 A 10.244.0.11']],
    ['10-1-2-3.default.pod.cluster.local', ['NOERROR', '10-1-2-3.default.pod.cluster.local. 5 A 10.1.2.3']],
    ['10-1-2-256.default.pod.cluster.local', ['NXDOMAIN', 'SOA']],
    ['10-1-2-03.default.pod.cluster.local', ['NXDOMAIN', 'SOA']],
    ['10-1-2-3.default.pod.cluster.local AAAA', ['NOERROR', 'SOA']],
    ['default.pod.cluster.local', ['NOERROR', 'SOA']],
    ['pod.cluster.local', ['NOERROR', 'SOA']],
    ['svc.cluster.local', ['NOERROR', 'SOA']],
    ['default.svc.cluster.local', ['NOERROR', 'SOA']],
    ['elsewhere.svc.cluster.local', ['NXDOMAIN', 'SOA']],
    ['gone.default.svc.cluster.local', ['NXDOMAIN', 'SOA']],
    ['gone.default.svc.cluster.local AAAA', ['NXDOMAIN', 'SOA']],
    ['x.y.z.web.default.svc.cluster.local', ['NXDOMAIN', 'SOA']],
    ['web.cluster.local', ['NXDOMAIN', 'SOA']],
    ['cluster.local SOA', ['NOERROR', SOA]],
    ['cluster.local NS', ['NOERROR', 'cluster.local. 5 NS ns.dns.cluster.local.']],
    ['cluster.local', ['NOERROR', 'SOA']],
    ['ns.dns.cluster.local', ['NOERROR', 'ns.dns.cluster.local. 30 A 10.244.0.1']],
    ['out.default.svc.cluster.local', ['chase', 'foo.example.com.']],
    ['out.default.svc.cluster.local CNAME', ['NOERROR', 'out.default. 5 CNAME foo.example.com.']],
    ['in.default.svc.cluster.local', ['NOERROR', 'in.default. 5 CNAME web.default.', 'web.default. 30 A 10.96.0.7']],
    ['in.default.svc.cluster.local AAAA', ['NOERROR', 'in.default. 5 CNAME web.default.', 'SOA']],
    ['nowhere.default.svc.cluster.local', ['NXDOMAIN', 'nowhere.default. 5 CNAME gone.default.', 'SOA']],
    ['number.default.svc.cluster.local', ['NOERROR', 'SOA']],
    ['round.default.svc.cluster.local', ['SERVFAIL']],
    ['web.default.svc.cluster.local ANY', ['NOERROR', 'web.default. 5 HINFO RFC8482']],
    ['web.default.svc.cluster.local AXFR', ['REFUSED']],
    ['example.com', ['forward']],
    ['example.com ANY', ['NOERROR', 'example.com. 5 HINFO RFC8482']],
    ['web', ['NXDOMAIN']],
    ['localhost', ['NOERROR', 'localhost. 5 A 127.0.0.1']],
    ['mycluster.local', ['forward']],
  ])('%s', (question, expected) => expect(ask(question)).toEqual(expected));
});

describe('what the node knows first', () => {
  it.each<[string, Verdicts, readonly string[]]>([
    ['a dead pod leaves at once', { u1: 'dead' }, ['10.244.0.5', '10.244.0.7']],
    ['a leaving one, too', { u0: 'leaving' }, ['10.244.0.6', '10.244.0.7']],
    ['the last ones serve on while they end', { u0: 'dead', u1: 'leaving', u2: 'dead' }, ['10.244.0.6']],
    ['nobody is sent to where no network is', { u0: 'gone', u1: 'dead', u2: 'gone' }, ['10.244.0.6']],
  ])('%s', (_what, verdicts, addresses) =>
    expect(ask('db.default.svc.cluster.local', verdicts)).toEqual([
      'NOERROR',
      ...addresses.map((address) => `db.default. 5 A ${address}`),
    ]),
  );
  it('is no reason to hide who is published before it is ready, but for a lost network', () => {
    expect(ask('early.default.svc.cluster.local', { e0: 'dead' })).toContain('early.default. 5 A 10.244.0.10');
    expect(ask('early.default.svc.cluster.local', { e0: 'gone' })).toEqual(['NXDOMAIN', 'SOA']);
  });
});

describe('circumstances', () => {
  const asked = (name: string, type: number = TYPE.A) => ({ name: name.split('.'), type, class: 1 });
  const view = viewOf(SERVICES, SLICES);
  it.each<[string, boolean, boolean, string]>([
    ['web.default.svc.cluster.local', false, false, 'wait'],
    ['web.default.svc.cluster.local', true, true, 'yield'],
    ['web.default.svc.cluster.local', false, true, 'yield'],
    ['7.0.96.10.in-addr.arpa', false, false, 'forward'],
    ['example.com', false, false, 'forward'],
  ])('%s (synced %s, another has the zone %s)', (name, synced, yields, kind) =>
    expect(planAnswer(asked(name), { view, synced, yields, serial: 1 }).kind).toBe(kind),
  );
  it('refuses other classes', () => {
    const plan = planAnswer({ ...asked('version.bind'), class: 3 }, { view, synced: true, yields: false, serial: 1 });
    expect(plan).toMatchObject({ kind: 'answer', answer: { code: 5 } });
  });
  it('shuffles addresses', () => {
    const orders = new Set<string>();
    for (const value of [0, 0.4, 0.9])
      orders.add(ask('db.default.svc.cluster.local', {}, { ...view, next: () => value }).join());
    expect(orders.size).toBeGreaterThan(1);
  });
});
