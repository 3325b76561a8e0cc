/** Follows a packet through the hooks of the packet filter, along every branch that chance can take. Pure. */
import { type FilterTable, isWithin, lookUp } from './filter-table.ts';
import {
  type Expression,
  type Field,
  type Hook,
  type Right,
  type Rule,
  type Step,
  UnknownWord,
  type Verdict,
} from './nft-syntax.ts';

/** The first packet of a connection, unless `answeredBy` says otherwise. */
export interface Packet {
  readonly from: string;
  readonly to: string;
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  /** The interface that it comes in by; undefined: this machine sends it. */
  readonly through: string | undefined;
  readonly mark: number;
  /** It belongs to a connection that this address answers. */
  readonly answeredBy?: string;
}

export interface Outcome {
  readonly fate: 'sent' | 'refused' | 'dropped' | 'untouched';
  /** "10.244.0.2:8080": where it is sent, or where it would have gone. */
  readonly to: string;
  /** It gets this machine's address as its sender. */
  readonly isHidden: boolean;
  /** "set key" for each set that its sender was put into. */
  readonly held: readonly string[];
}

/** What is asked of. */
export interface Place {
  readonly tables: readonly FilterTable[];
  /** Addresses of this machine. */
  readonly own: ReadonlySet<string>;
  /** Mono ms. */
  readonly mono: number;
}

interface Branch {
  readonly packet: Packet;
  readonly isTranslated: boolean;
  readonly isHidden: boolean;
  readonly held: readonly string[];
  readonly end?: 'refused' | 'dropped';
}

/** How the walk through a chain ended: at its end or by "return", or by a decision about this hook. */
interface Walked {
  readonly branch: Branch;
  readonly isDecided: boolean;
}

interface Walk {
  readonly place: Place;
  readonly table: FilterTable;
  readonly hook: Hook;
}

const LOOPBACK = '127.0.0.0/8';
/** nft's own bound of jumps. */
const MAX_DEPTH = 16;

/** All that can become of it, each once. */
export function followPacket(packet: Packet, place: Place): readonly Outcome[] {
  const first = packet.through === undefined ? 'output' : 'prerouting';
  const start: Branch = { packet, isTranslated: false, isHidden: false, held: [] };
  const routed = throughHook([start], first, place);
  const out = routed.flatMap((branch) => {
    if (branch.end !== undefined) return [branch];
    if (packet.through === undefined) return throughHook([branch], 'postrouting', place);
    if (isOwn(branch.packet.to, place)) return [branch];
    return throughHook(throughHook([branch], 'forward', place), 'postrouting', place);
  });
  const outcomes = out.map(outcomeOf);
  return [...new Map(outcomes.map((outcome) => [JSON.stringify(outcome), outcome])).values()];
}

function outcomeOf({ packet, isTranslated, isHidden, held, end }: Branch): Outcome {
  return { fate: end ?? (isTranslated ? 'sent' : 'untouched'), to: `${packet.to}:${packet.port}`, isHidden, held };
}

function throughHook(branches: readonly Branch[], name: Hook['hook'], place: Place): readonly Branch[] {
  const chains = place.tables
    .flatMap((table) =>
      [...table.chains].flatMap(([chain, { hook }]) => (hook?.hook === name ? [{ table, chain, hook }] : [])),
    )
    .toSorted((a, b) => a.hook.priority - b.hook.priority);
  let present = branches;
  for (const { table, chain, hook } of chains) {
    present = present.flatMap((branch) => {
      if (branch.end !== undefined) return [branch];
      // Only the first packet of a connection comes to chains of this type.
      if (hook.type === 'nat' && branch.packet.answeredBy !== undefined) return [branch];
      // What one chain of this type has decided, the next ones are not asked again.
      const isDecided = name === 'postrouting' ? branch.isHidden : branch.isTranslated;
      if (hook.type === 'nat' && isDecided) return [branch];
      return throughChain(chain, branch, { place, table, hook }, 0).map((walked) => walked.branch);
    });
  }
  return present;
}

function throughChain(name: string, start: Branch, walk: Walk, depth: number): readonly Walked[] {
  if (depth > MAX_DEPTH) throw new UnknownWord(`a walk deeper than ${MAX_DEPTH} chains, at ${name}`);
  let walking: readonly Branch[] = [start];
  const out: Walked[] = [];
  for (const rule of walk.table.chains.get(name)?.rules ?? []) {
    const next: Branch[] = [];
    for (const branch of walking) {
      for (const result of applyRule(rule, branch, walk, depth)) {
        if (result.onward === 'next') next.push(result.branch);
        else out.push({ branch: result.branch, isDecided: result.onward === 'decided' });
      }
    }
    walking = next;
  }
  return [...out, ...walking.map((branch) => ({ branch, isDecided: false }))];
}

/** `next`: the next rule of the chain; `left`: the chain is left without a decision. */
interface RuleResult {
  readonly branch: Branch;
  readonly onward: 'next' | 'left' | 'decided';
}

function applyRule({ steps }: Rule, start: Branch, walk: Walk, depth: number): readonly RuleResult[] {
  let walking: readonly Branch[] = [start];
  const out: RuleResult[] = [];
  for (const step of steps) {
    const next: Branch[] = [];
    for (const branch of walking) {
      for (const result of applyStep(step, branch, walk, depth)) {
        if (result === undefined) out.push({ branch, onward: 'next' });
        else if ('onward' in result) out.push(result);
        else next.push(result);
      }
    }
    walking = next;
  }
  return [...out, ...walking.map((branch) => ({ branch, onward: 'next' as const }))];
}

/** Undefined: the rule is not for this packet. */
function applyStep(
  step: Step,
  branch: Branch,
  walk: Walk,
  depth: number,
): readonly (Branch | RuleResult | undefined)[] {
  const { packet } = branch;
  switch (step.does) {
    case 'match': {
      const found = new Set(values(step.left, branch, walk).map((value) => isFound(step.right, value, walk)));
      return [...found].map((isEqual) => (isEqual === step.isEqual ? branch : undefined));
    }
    case 'vmap':
      return values(step.left, branch, walk).flatMap((value): readonly (RuleResult | undefined)[] => {
        const verdict = verdictFor(step.map, value, walk);
        return verdict === undefined ? [undefined] : decide(verdict, branch, walk, depth);
      });
    case 'mark': {
      const mark = step.operator === 'and' ? packet.mark & step.bits : packet.mark | step.bits;
      return [{ ...branch, packet: { ...packet, mark: mark >>> 0 } }];
    }
    case 'update':
      return [{ ...branch, held: [...branch.held, `${step.set} ${fieldOf(step.field, branch, walk)}`] }];
    case 'dnat':
      return [translate(step, branch, walk)];
    case 'masquerade':
      return [{ branch: { ...branch, isHidden: true }, onward: 'decided' }];
    case 'reject':
      return [{ branch: { ...branch, end: 'refused' }, onward: 'decided' }];
    case 'goto':
    case 'jump':
    case 'drop':
    case 'accept':
    case 'return':
      return decide(step, branch, walk, depth);
  }
}

function isFound(right: Right, value: string, { table, place }: Walk): boolean {
  if (right.is === 'list') return right.values.some((wanted) => isLike(value, wanted));
  const set = table.sets.get(right.set);
  return set !== undefined && lookUp(set, value, place.mono) !== undefined;
}

function decide(verdict: Verdict, branch: Branch, walk: Walk, depth: number): readonly RuleResult[] {
  switch (verdict.does) {
    case 'drop':
      return [{ branch: { ...branch, end: 'dropped' }, onward: 'decided' }];
    case 'accept':
      return [{ branch, onward: 'decided' }];
    case 'return':
      return [{ branch, onward: 'left' }];
    case 'goto':
    case 'jump': {
      const back = verdict.does === 'jump' ? 'next' : 'left';
      return throughChain(verdict.chain, branch, walk, depth + 1).map((walked) => ({
        branch: walked.branch,
        onward: walked.isDecided ? 'decided' : back,
      }));
    }
  }
}

function verdictFor(
  map: string | ReadonlyMap<string, Verdict>,
  value: string,
  { table, place }: Walk,
): Verdict | undefined {
  if (typeof map !== 'string') return map.get(value);
  const set = table.sets.get(map);
  const text = set === undefined ? undefined : lookUp(set, value, place.mono);
  if (text === undefined) return undefined;
  return text.startsWith('goto ') ? { does: 'goto', chain: text.slice('goto '.length) } : { does: 'drop' };
}

/** A key without an element is no translation: the packet goes on. */
function translate(step: Extract<Step, { does: 'dnat' }>, branch: Branch, walk: Walk): RuleResult | undefined {
  const { packet } = branch;
  let target: string | undefined;
  if (typeof step.to === 'string') target = step.to;
  else {
    const [key = ''] = values(step.to.left, branch, walk);
    const set = walk.table.sets.get(step.to.map);
    target = set === undefined ? undefined : lookUp(set, key, walk.place.mono)?.replace(' . ', ':');
  }
  if (target === undefined) return undefined;
  const [to = '', port] = target.split(':');
  return {
    branch: { ...branch, packet: { ...packet, to, port: Number(port) }, isTranslated: true },
    onward: 'decided',
  };
}

/** Several only by chance. */
function values(expression: Expression, branch: Branch, walk: Walk): readonly string[] {
  switch (expression.is) {
    case 'random':
      return Array.from({ length: expression.modulo }, (_, at) => String(at));
    case 'mark': {
      const { mark } = branch.packet;
      return [String((expression.operator === 'and' ? mark & expression.bits : mark | expression.bits) >>> 0)];
    }
    case 'fields':
      return [expression.fields.map((field) => fieldOf(field, branch, walk)).join(' . ')];
  }
}

function fieldOf(field: Field, { packet, isTranslated }: Branch, { place }: Walk): string {
  switch (field) {
    case 'ip saddr':
      return packet.from;
    case 'ip daddr':
      return packet.to;
    case 'meta l4proto':
      return packet.protocol;
    case 'meta mark':
      return String(packet.mark);
    case 'th dport':
      return String(packet.port);
    case 'fib saddr type':
      return isOwn(packet.from, place) ? 'local' : 'unicast';
    case 'fib daddr type':
      return isOwn(packet.to, place) ? 'local' : 'unicast';
    case 'ct state':
      return packet.answeredBy === undefined ? 'new' : 'established';
    case 'ct status':
      return isTranslated ? 'dnat' : '';
    case 'ct direction':
      return 'original';
    case 'ct reply ip saddr':
      return packet.answeredBy ?? packet.to;
    case 'iifname':
      return packet.through ?? '';
  }
}

function isOwn(address: string, { own }: Place): boolean {
  return own.has(address) || isWithin(address, LOOPBACK);
}

function isLike(value: string, wanted: string): boolean {
  if (wanted.endsWith('*')) return value.startsWith(wanted.slice(0, -1));
  return isWithin(value, wanted);
}
