/** The text that the router writes, interpreted by the oracle, against the words of Kubernetes' documentation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndpointSlice, Service } from '../../api/index.ts';
import { fullLoad, type RoutedService, serviceTable } from '../../network/index.ts';
import { planService } from '../../network/router/service-fronts.ts';
import { TableMirror } from '../../network/router/table-mirror.ts';
import { NO_STATE } from '../../network/router/table-state.ts';
import { followPacket, type Packet } from './follow-packet.ts';
import { askDocumentation, type NaiveEndpoint, type NaiveService } from './naive-services.ts';
import { PacketFilter } from './packet-filter.ts';

const MACHINE = { own: '192.168.0.1', pods: '10.244.0.0/24', services: '10.96.0.0/16' };
const SETTINGS = {
  instanceId: 'sim',
  podNetworks: [MACHINE.pods],
  serviceNetworks: [MACHINE.services],
  routesHost: true,
};
const MONO = 1000;
const TABLE = serviceTable('sim');

const endpoint = (at: number): fc.Arbitrary<NaiveEndpoint> =>
  fc
    .record({
      isHere: fc.boolean(),
      ready: fc.boolean(),
      serving: fc.boolean(),
      terminating: fc.boolean(),
      known: fc.constantFrom(
        undefined,
        undefined,
        'unready' as const,
        'leaving' as const,
        'dead' as const,
        'gone' as const,
      ),
      port: fc.constantFrom(8080, 8081),
    })
    .map((made) => ({
      ...made,
      // A node knows only of its own pods; one that ends is not called ready.
      ip: made.isHere ? `10.244.0.${at}` : `10.244.1.${at}`,
      known: made.isHere ? made.known : undefined,
      ready: made.ready && !made.terminating,
      serving: made.serving || (made.ready && !made.terminating),
    }));

const service = (at: number): fc.Arbitrary<NaiveService | undefined> =>
  fc.option(
    fc.record({
      clusterIP: fc.constant(`10.96.0.${at}`),
      port: fc.constantFrom(80, 81),
      nodePort: fc.constantFrom(undefined, 30_000 + at),
      externalIP: fc.constantFrom(undefined, `192.0.2.${at}`),
      isInternalLocal: fc.boolean(),
      isExternalLocal: fc.boolean(),
      publishesUnready: fc.boolean(),
      endpoints: fc.subarray([1, 2, 3, 4]).chain((found) => fc.tuple(...found.map((each) => endpoint(10 * at + each)))),
    }),
    { nil: undefined },
  );

const cluster = fc.tuple(service(1), service(2), service(3));

/** The same as objects of the API. */
function routed(found: NaiveService, at: number, affinity: boolean): RoutedService {
  const { clusterIP, port, nodePort, externalIP, isInternalLocal, isExternalLocal, publishesUnready, endpoints } =
    found;
  const object: Service = {
    metadata: { namespace: 'team', name: `s${at}` },
    spec: {
      type: nodePort === undefined ? 'ClusterIP' : 'NodePort',
      clusterIP,
      ports: [{ name: 'http', port, ...(nodePort !== undefined && { nodePort }) }],
      ...(externalIP !== undefined && { externalIPs: [externalIP] }),
      ...(isInternalLocal && { internalTrafficPolicy: 'Local' }),
      ...(isExternalLocal && { externalTrafficPolicy: 'Local' }),
      ...(publishesUnready && { publishNotReadyAddresses: true }),
      ...(affinity && { sessionAffinity: 'ClientIP' }),
    },
  };
  const ports = [...new Set(endpoints.map((each) => each.port))];
  const slices = ports.map(
    (number): EndpointSlice => ({
      addressType: 'IPv4',
      ports: [{ name: 'http', port: number, protocol: 'TCP' }],
      endpoints: endpoints
        .filter((each) => each.port === number)
        .map(({ ip, isHere, ready, serving, terminating }) => ({
          addresses: [ip],
          nodeName: isHere ? 'here' : 'there',
          conditions: { ready, serving, terminating },
          targetRef: { kind: 'Pod', uid: ip },
        })),
    }),
  );
  return { service: object, slices };
}

function nodeOf(services: readonly NaiveService[]) {
  const known = new Map(services.flatMap(({ endpoints }) => endpoints).map((each) => [each.ip, each.known]));
  return { nodeName: 'here', zone: undefined, nodeDns: undefined, verdictOf: (uid: string) => known.get(uid) };
}

const CLIENTS: readonly Pick<Packet, 'from' | 'through'>[] = [
  { from: '10.244.0.11', through: 'br0' },
  { from: '10.244.0.99', through: 'br0' },
  { from: '198.51.100.7', through: 'eth0' },
  { from: MACHINE.own, through: undefined },
];

const FRONTS: readonly Pick<Packet, 'to' | 'port' | 'protocol'>[] = [1, 2, 3, 4].flatMap((at) => [
  ...[80, 81].map((port) => ({ to: `10.96.0.${at}`, port, protocol: 'tcp' as const })),
  { to: `10.96.0.${at}`, port: 80, protocol: 'udp' as const },
  ...[80, 81].map((port) => ({ to: `192.0.2.${at}`, port, protocol: 'tcp' as const })),
  { to: MACHINE.own, port: 30_000 + at, protocol: 'tcp' as const },
]);

/** Asks both of every client and front. */
function compare(filter: PacketFilter, services: readonly NaiveService[]): void {
  const place = { tables: [...filter.tables()], own: new Set([MACHINE.own]), mono: MONO };
  const differences: string[] = [];
  for (const client of CLIENTS) {
    for (const front of FRONTS) {
      const packet: Packet = { ...client, ...front, mark: 0x1 };
      const { expected, isHidden } = askDocumentation(packet, services, MACHINE);
      const wanted =
        typeof expected === 'string'
          ? [expected]
          : expected.map((to) => `sent ${to}${isHidden(to.split(':')[0] ?? '') ? ' hidden' : ''}`);
      const found = followPacket(packet, place).map(({ fate, to, isHidden: hides }) =>
        fate === 'sent' ? `sent ${to}${hides ? ' hidden' : ''}` : fate,
      );
      const [one, other] = [wanted, found].map((each) => [...new Set(each)].toSorted().join(', '));
      if (one !== other) {
        differences.push(`${client.from} → ${front.to}:${front.port}/${front.protocol}: ${other}, not ${one}`);
      }
    }
  }
  expect(differences).toEqual([]);
}

function applied(...texts: readonly string[]): PacketFilter {
  const filter = new PacketFilter();
  for (const text of texts) expect(filter.apply(text, MONO)).toBeUndefined();
  return filter;
}

const present = (found: readonly (NaiveService | undefined)[]): readonly NaiveService[] =>
  found.flatMap((each) => each ?? []);

describe('packets go where the documentation says', () => {
  it.each([false, true])('after a load from nothing, affinity %s', (affinity) => {
    fc.assert(
      fc.property(cluster, (found) => {
        const services = found.flatMap((each, at) => (each === undefined ? [] : [routed(each, at, affinity)]));
        compare(applied(fullLoad(services, nodeOf(present(found)), SETTINGS)), present(found));
      }),
      { numRuns: 80 },
    );
  });

  it('after any changes', () => {
    const step = fc.tuple(cluster, fc.constantFrom(false, true), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), (steps) => {
        const mirror = new TableMirror(SETTINGS);
        const load = mirror.load(new Map());
        load.commit();
        const filter = applied(load.text);
        for (const [found, affinity, sweeps] of steps) {
          const node = nodeOf(present(found));
          const wishes = new Map(
            found.map((each, at) => {
              if (each === undefined) return [`team/s${at}`, NO_STATE] as const;
              const { service: object, slices } = routed(each, at, affinity);
              return [`team/s${at}`, mirror.stateFor(`team/s${at}`, planService(object, slices, node))] as const;
            }),
          );
          const change = mirror.change(wishes, sweeps);
          expect(filter.apply(change.text, MONO)).toBeUndefined();
          change.commit();
          compare(filter, present(found));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('a client with affinity comes back to its endpoint, and to another when that is gone', () => {
    const at = (ip: string, port = 8080): NaiveEndpoint => ({
      ip,
      port,
      isHere: true,
      ready: true,
      serving: true,
      terminating: false,
      known: undefined,
    });
    const whole: NaiveService = {
      clusterIP: '10.96.0.1',
      port: 80,
      nodePort: 30_001,
      externalIP: undefined,
      isInternalLocal: false,
      isExternalLocal: false,
      publishesUnready: false,
      endpoints: [at('10.244.0.11'), at('10.244.0.12'), at('10.244.0.13')],
    };
    const key = 'team/s1';
    const mirror = new TableMirror(SETTINGS);
    const filter = new PacketFilter();
    const write = (found: NaiveService, isLoad: boolean): void => {
      const { service: object, slices } = routed(found, 1, true);
      const wishes = new Map([[key, mirror.stateFor(key, planService(object, slices, nodeOf([found])))]]);
      const transaction = isLoad ? mirror.load(wishes) : mirror.change(wishes);
      expect(filter.apply(transaction.text, MONO)).toBeUndefined();
      transaction.commit();
    };
    const ask = (to: string, port: number) =>
      followPacket(
        { from: '10.244.0.99', to, port, protocol: 'tcp', through: 'br0', mark: 0 },
        { tables: [...filter.tables()], own: new Set([MACHINE.own]), mono: MONO },
      );
    write(whole, true);
    const first = ask('10.96.0.1', 80).find(({ to }) => to.startsWith('10.244.0.12'));
    for (const held of first?.held ?? []) filter.hold(TABLE, ...(held.split(' ') as [string, string]), MONO);
    // All fronts of the port know it.
    expect(ask('10.96.0.1', 80).map(({ to }) => to)).toEqual(['10.244.0.12:8080']);
    expect(ask(MACHINE.own, 30_001).map(({ to }) => to)).toEqual(['10.244.0.12:8080']);
    write({ ...whole, endpoints: [at('10.244.0.11'), at('10.244.0.13')] }, false);
    expect(ask('10.96.0.1', 80).map(({ to }) => to)).toEqual(['10.244.0.11:8080', '10.244.0.13:8080']);
    // It comes back without its clients.
    write(whole, false);
    expect(ask('10.96.0.1', 80)).toHaveLength(3);
  });
});
