/** Queries as clients write them, and answers as people read them, for tests of the DNS server. */
import type { EndpointSlice, Service } from '../../api/index.ts';
import type { ClusterView } from './cluster-records.ts';
import { decodeAnswer, type RawRecord } from './codec/decode-answer.ts';
import { formatName, readName } from './codec/name.ts';
import { nameOf, RCODE, TYPE, uint16At, uint32At } from './codec/wire.ts';

export interface QueryWish {
  readonly id?: number;
  /** The second 16 bits of the header; default: recursion desired. */
  readonly flags?: number;
  readonly class?: number;
  readonly edns?: { readonly udpBytes?: number; readonly version?: number; readonly dnssec?: boolean };
}

export function nameBytes(name: string): number[] {
  const labels = name.split('.').filter((label) => label !== '');
  return [...labels.flatMap((label) => [label.length, ...Buffer.from(label, 'latin1')]), 0];
}

const two = (value: number): number[] => [value >> 8, value & 0xff];

export function queryPacket(name: string, type: number, wish: QueryWish = {}): Uint8Array {
  const { edns } = wish;
  const opt =
    edns === undefined
      ? []
      : [
          0,
          ...two(TYPE.OPT),
          ...two(edns.udpBytes ?? 4096),
          0,
          edns.version ?? 0,
          ...two(edns.dnssec ? 0x8000 : 0),
          0,
          0,
        ];
  return Uint8Array.from([
    ...two(wish.id ?? 4711),
    ...two(wish.flags ?? 0x0100),
    ...two(1),
    ...two(0),
    ...two(0),
    ...two(edns === undefined ? 0 : 1),
    ...nameBytes(name),
    ...two(type),
    ...two(wish.class ?? 1),
    ...opt,
  ]);
}

export interface ReadAnswer {
  readonly id: number;
  readonly code: string;
  readonly truncated: boolean;
  readonly authoritative: boolean;
  readonly answers: readonly string[];
  readonly authority: readonly string[];
  readonly additional: readonly string[];
}

/** "name ttl TYPE data" for each record. */
export function readAnswer(packet: Uint8Array): ReadAnswer {
  const decoded = decodeAnswer(packet);
  if (decoded === undefined) throw new Error(`no answer: ${Buffer.from(packet).toString('hex')}`);
  const { answers, authority } = decoded.sections;
  const flags = uint16At(packet, 2);
  return {
    id: decoded.id,
    code: nameOf(RCODE, decoded.code) ?? String(decoded.code),
    truncated: decoded.truncated,
    authoritative: (flags & 0x0400) !== 0,
    answers: answers.map((record) => recordText(packet, record)),
    authority: authority.map((record) => recordText(packet, record)),
    additional: additionalText(packet, decoded.questionEnd),
  };
}

/** The additional records, which the program itself never needs. */
function additionalText(packet: Uint8Array, from: number): readonly string[] {
  let at = from;
  const skipped = uint16At(packet, 6) + uint16At(packet, 8);
  const texts: string[] = [];
  for (let index = 0; index < skipped + uint16At(packet, 10); index++) {
    const owner = nameAt(packet, at);
    const start = owner.end + 10;
    const to = start + uint16At(packet, owner.end + 8);
    const record = {
      name: owner.name,
      type: uint16At(packet, owner.end),
      class: uint16At(packet, owner.end + 2),
      ttl: uint32At(packet, owner.end + 4),
      from: start,
      to,
    };
    if (index >= skipped) texts.push(recordText(packet, record));
    at = to;
  }
  return texts;
}

function nameAt(packet: Uint8Array, at: number): NonNullable<ReturnType<typeof readName>> {
  const found = readName(packet, at);
  if (found === undefined) throw new Error(`no name at ${at}`);
  return found;
}

function recordText(packet: Uint8Array, { name, type, class: of, ttl, from, to }: RawRecord): string {
  const label = nameOf(TYPE, type) ?? String(type);
  if (type === TYPE.OPT) return `OPT ${of} ${ttl.toString(16)}`;
  return `${formatName(name)} ${ttl} ${label} ${dataText(packet, type, from, to)}`;
}

function dataText(packet: Uint8Array, type: number, from: number, to: number): string {
  const text = (place: number): string => formatName(nameAt(packet, place).name);
  switch (type) {
    case TYPE.A:
      return packet.subarray(from, to).join('.');
    case TYPE.CNAME:
    case TYPE.PTR:
    case TYPE.NS:
      return text(from);
    case TYPE.SRV:
      return `${[0, 2, 4].map((at) => uint16At(packet, from + at)).join(' ')} ${text(from + 6)}`;
    case TYPE.SOA:
      return `${text(from)} minimum ${uint32At(packet, to - 4)}`;
    case TYPE.TXT:
    case TYPE.HINFO:
      return Buffer.from(packet.subarray(from + 1, from + 1 + (packet[from] ?? 0))).toString('latin1');
    default:
      return Buffer.from(packet.subarray(from, to)).toString('hex');
  }
}

export function service(name: string, spec: Service['spec'], namespace = 'default'): Service {
  return { metadata: { name, namespace }, spec };
}

export interface EndpointWish {
  readonly ip: string;
  readonly hostname?: string;
  readonly uid?: string;
  readonly ready?: boolean;
  readonly terminating?: boolean;
}

export function slice(
  of: string,
  endpoints: readonly EndpointWish[],
  ports: EndpointSlice['ports'] = [],
  namespace = 'default',
): EndpointSlice {
  return {
    metadata: { name: `${of}-slice`, namespace, labels: { 'kubernetes.io/service-name': of } },
    addressType: 'IPv4',
    ports,
    endpoints: endpoints.map(({ ip, hostname, uid, ready = true, terminating = false }) => ({
      addresses: [ip],
      ...(hostname !== undefined && { hostname }),
      ...(uid !== undefined && { targetRef: { kind: 'Pod', uid } }),
      conditions: { ready, serving: ready || terminating, terminating },
    })),
  };
}

/** A view of these objects; nobody shuffles. */
export function viewOf(
  services: readonly Service[],
  slices: readonly EndpointSlice[] = [],
  verdictOf: ClusterView['verdictOf'] = () => undefined,
): ClusterView {
  const isOf = (each: EndpointSlice, namespace: string, name: string): boolean =>
    each.metadata?.namespace === namespace && each.metadata.labels?.['kubernetes.io/service-name'] === name;
  return {
    zone: ['cluster', 'local'],
    verdictOf,
    ownAddress: '10.244.0.1',
    // The last of the rest stays where it is.
    next: () => 0.999_999,
    directory: {
      service: (namespace, name) =>
        services.find(({ metadata }) => metadata?.namespace === namespace && metadata.name === name),
      servicesIn: (namespace) => services.filter(({ metadata }) => metadata?.namespace === namespace),
      slices: (namespace, name) => slices.filter((each) => isOf(each, namespace, name)),
      slicesAt: (address) =>
        slices.filter(({ endpoints }) => endpoints?.some(({ addresses }) => addresses.includes(address))),
      servicesAt: (address) => services.filter(({ spec }) => spec?.clusterIP === address),
    },
  };
}
