/** One table of the simulated packet filter: its chains, sets and maps, and what its elements are. */
import type { Hook, Rule, SetWish, Verdict } from './nft-syntax.ts';

export interface FilterChain {
  readonly hook: Hook | undefined;
  readonly rules: Rule[];
}

export interface FilterElement {
  /** '' in a set. */
  readonly value: string;
  /** Mono ms; undefined: it stays. */
  readonly endsAt: number | undefined;
}

export interface FilterSet {
  readonly wish: SetWish;
  readonly elements: Map<string, FilterElement>;
}

export interface FilterTable {
  readonly chains: Map<string, FilterChain>;
  readonly sets: Map<string, FilterSet>;
}

export function emptyTable(): FilterTable {
  return { chains: new Map(), sets: new Map() };
}

export function copyTable({ chains, sets }: FilterTable): FilterTable {
  return {
    chains: new Map([...chains].map(([name, { hook, rules }]) => [name, { hook, rules: [...rules] }])),
    sets: new Map([...sets].map(([name, { wish, elements }]) => [name, { wish, elements: new Map(elements) }])),
  };
}

/** The value of a packet's key; undefined: no element has it. */
export function lookUp(set: FilterSet, key: string, mono: number): string | undefined {
  const found = set.wish.isInterval
    ? [...set.elements].find(([range]) => isWithin(key, range))?.[1]
    : set.elements.get(key);
  return found === undefined || (found.endsAt !== undefined && found.endsAt <= mono) ? undefined : found.value;
}

/** "10.1.2.3 . tcp" is within "10.0.0.0/8 . tcp". */
export function isWithin(key: string, range: string): boolean {
  const keys = key.split(' . ');
  const ranges = range.split(' . ');
  return keys.length === ranges.length && keys.every((part, at) => isPartWithin(part, ranges[at] ?? ''));
}

function isPartWithin(part: string, range: string): boolean {
  const [base = '', prefix] = range.split('/');
  if (prefix === undefined) return part === range;
  const size = 2 ** (32 - Number(prefix));
  const first = Math.floor(addressNumber(base) / size) * size;
  const address = addressNumber(part);
  return address >= first && address < first + size;
}

export function addressNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The range of addresses that an element of one field covers; undefined: it has several fields. */
export function overlaps(one: string, other: string): boolean {
  const ones = one.split(' . ');
  const others = other.split(' . ');
  return ones.every((part, at) => {
    const against = others[at] ?? '';
    return isPartWithin(part.split('/')[0] ?? '', against) || isPartWithin(against.split('/')[0] ?? '', part);
  });
}

/** The chains and sets that a rule names. */
export function namedBy({ steps }: Rule): { readonly chains: readonly string[]; readonly sets: readonly string[] } {
  const chains: string[] = [];
  const sets: string[] = [];
  const verdict = (each: Verdict): void => {
    if (each.does === 'goto' || each.does === 'jump') chains.push(each.chain);
  };
  for (const step of steps) {
    if (step.does === 'goto' || step.does === 'jump') verdict(step);
    else if (step.does === 'match' && step.right.is === 'set') sets.push(step.right.set);
    else if (step.does === 'update') sets.push(step.set);
    else if (step.does === 'dnat' && typeof step.to !== 'string') sets.push(step.to.map);
    else if (step.does === 'vmap' && typeof step.map === 'string') sets.push(step.map);
    else if (step.does === 'vmap' && typeof step.map !== 'string') for (const each of step.map.values()) verdict(each);
  }
  return { chains, sets };
}

/** The chain that the value of an element leads to. */
export function chainOf(value: string): string | undefined {
  return /^(?:goto|jump) (\S+)$/.exec(value)?.[1];
}
