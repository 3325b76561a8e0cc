/** Decides how a question is answered: from the cluster, by other servers, or not at all. Pure. */
import { type ClusterView, findInCluster, findReverse } from './cluster-records.ts';
import { below, type DnsName, nameKey, reverseIpv4 } from './codec/name.ts';
import type { Query } from './codec/decode-query.ts';
import type { Answer, DnsRecord } from './codec/records.ts';
import { CLASS_IN, RCODE, TYPE } from './codec/wire.ts';
import { CLUSTER_TTL_SECONDS, MAX_ALIASES, NEGATIVE_TTL_SECONDS } from './limits.ts';

export type AnswerPlan =
  /** `own`: from the zone of the cluster. */
  | { readonly kind: 'answer'; readonly answer: Answer; readonly own: boolean }
  | { readonly kind: 'forward' }
  /** These aliases lead out of the cluster: others know what `target` has. */
  | { readonly kind: 'chase'; readonly aliases: readonly DnsRecord[]; readonly target: DnsName }
  /** Nothing is known of the cluster yet. */
  | { readonly kind: 'wait' }
  /** Somebody else's server answers for the cluster. */
  | { readonly kind: 'yield' };

export interface Circumstances {
  readonly view: ClusterView;
  /** The directory of services has been read once. */
  readonly synced: boolean;
  /** Another server has the zone. */
  readonly yields: boolean;
  /** Of the zone: seconds since 1970, as long as nobody counts changes. */
  readonly serial: number;
}

type Asked = Pick<Query, 'name' | 'type' | 'class'>;

export function planAnswer(asked: Asked, circumstances: Circumstances): AnswerPlan {
  const { view, synced, yields } = circumstances;
  if (asked.class !== CLASS_IN || asked.type === TYPE.AXFR || asked.type === TYPE.IXFR) return plain(RCODE.REFUSED);
  const own = below(asked.name, view.zone);
  if (own === undefined) return planOutside(asked, circumstances);
  if (yields) return { kind: 'yield' };
  if (!synced) return { kind: 'wait' };
  if (asked.type === TYPE.ANY) return refuseAny(asked.name);
  return own.length === 0 ? planZone(asked, circumstances) : planInside(asked, own, circumstances);
}

function planOutside(asked: Asked, { view, synced, yields }: Circumstances): AnswerPlan {
  if (asked.type === TYPE.ANY) return refuseAny(asked.name);
  if (asked.name.length === 1) return planSingleLabel(asked);
  const address = reverseIpv4(asked.name);
  if (address === undefined || yields || !synced) return { kind: 'forward' };
  const names = findReverse(view, asked.name, address);
  if (names.length === 0) return { kind: 'forward' };
  return { kind: 'answer', answer: positive(asked.type === TYPE.PTR ? names : []), own: true };
}

/** Nobody outside knows what a single label means here; "localhost" is this machine everywhere (RFC 6761 §6.3). */
function planSingleLabel({ name, type }: Asked): AnswerPlan {
  if (name[0] !== 'localhost') return plain(RCODE.NXDOMAIN);
  const loopback: DnsRecord = { name, ttl: CLUSTER_TTL_SECONDS, type: TYPE.A, address: '127.0.0.1' };
  return { kind: 'answer', answer: positive(type === TYPE.A ? [loopback] : []), own: false };
}

/** The zone itself. */
function planZone({ name, type }: Asked, { view, serial }: Circumstances): AnswerPlan {
  const server: DnsRecord = { name, ttl: CLUSTER_TTL_SECONDS, type: TYPE.NS, target: nameOfServer(view) };
  const soa = soaOf(view, serial);
  if (type === TYPE.SOA) return { kind: 'answer', answer: positive([soa]), own: true };
  if (type === TYPE.NS) return { kind: 'answer', answer: positive([server]), own: true };
  return { kind: 'answer', answer: { ...positive([]), authority: [soa] }, own: true };
}

function planInside({ name, type }: Asked, own: DnsName, { view, serial }: Circumstances): AnswerPlan {
  const aliases: DnsRecord[] = [];
  const seen = new Set([nameKey(name)]);
  for (let labels = own; aliases.length <= MAX_ALIASES; ) {
    const found = findInCluster(view, labels, type);
    if (found.kind === 'missing') {
      // RFC 6604: the code tells of the last name of the chain.
      return { kind: 'answer', answer: denial(RCODE.NXDOMAIN, aliases, soaOf(view, serial)), own: true };
    }
    if (found.kind === 'records') {
      if (found.records.length === 0)
        return { kind: 'answer', answer: denial(RCODE.NOERROR, aliases, soaOf(view, serial)), own: true };
      const answer = { ...positive([...aliases, ...found.records]), additional: found.additional ?? [] };
      return { kind: 'answer', answer, own: true };
    }
    aliases.push(found.record);
    if (type === TYPE.CNAME) return { kind: 'answer', answer: positive(aliases), own: true };
    const next = below(found.target, view.zone);
    if (next === undefined) return { kind: 'chase', aliases, target: found.target };
    if (seen.has(nameKey(found.target))) break;
    seen.add(nameKey(found.target));
    labels = next;
  }
  // A circle of external names.
  return { ...plain(RCODE.SERVFAIL), own: true };
}

/** RFC 8482: one record says that nobody lists all. */
function refuseAny(name: DnsName): AnswerPlan {
  const hint: DnsRecord = { name, ttl: CLUSTER_TTL_SECONDS, type: TYPE.HINFO, texts: ['RFC8482', ''] };
  return { kind: 'answer', answer: { ...positive([hint]), authoritative: false }, own: false };
}

function plain(code: number): Extract<AnswerPlan, { kind: 'answer' }> {
  const answer = { code, authoritative: false, answers: [], authority: [], additional: [] };
  return { kind: 'answer', answer, own: false };
}

function positive(answers: readonly DnsRecord[]): Answer {
  return { code: RCODE.NOERROR, authoritative: true, answers, authority: [], additional: [] };
}

function denial(code: number, aliases: readonly DnsRecord[], soa: DnsRecord): Answer {
  return { code, authoritative: true, answers: aliases, authority: [soa], additional: [] };
}

function nameOfServer({ zone }: ClusterView): DnsName {
  return ['ns', 'dns', ...zone];
}

function soaOf(view: ClusterView, serial: number): DnsRecord {
  return {
    name: view.zone,
    ttl: NEGATIVE_TTL_SECONDS,
    type: TYPE.SOA,
    server: nameOfServer(view),
    contact: ['hostmaster', ...view.zone],
    serial,
    minimum: NEGATIVE_TTL_SECONDS,
  };
}
