/** Reads our table as `nft -j list table` prints it, so that an agent that starts knows what its predecessor left. Pure. */
import { DEAD_SET, LOST_SET } from './table-base.ts';
import { type ElementName } from './table-state.ts';

/** What a table holds that this version would build likewise. */
export interface FoundTable {
  /** Of all services: whose is not told. The value is '' in a set. */
  readonly elements: ReadonlyMap<ElementName, string>;
  /** All chains but hooks and the like. */
  readonly chains: ReadonlySet<string>;
  /** Sets of clients with affinity. */
  readonly held: ReadonlySet<string>;
  readonly dead: readonly string[];
  /** Networks of lost nodes. */
  readonly lost: readonly string[];
}

interface Listed {
  readonly chain?: { readonly name: string };
  readonly map?: { readonly name: string; readonly elem?: readonly unknown[] };
  readonly set?: { readonly name: string; readonly elem?: readonly unknown[] };
}

/** Sets that the base of the table fills. */
const FIXED_SETS: ReadonlySet<string> = new Set(['service-networks', 'pod-networks']);

/**
 * @param layout the name of the chain that says how the table was built
 * @returns undefined: the table was built otherwise, or is not understood
 */
export function readTable(text: string, layout: string): FoundTable | undefined {
  let listed: readonly Listed[];
  try {
    listed = (JSON.parse(text) as { readonly nftables?: readonly Listed[] }).nftables ?? [];
  } catch {
    return undefined;
  }
  const chains = new Set(listed.flatMap(({ chain }) => chain?.name ?? []));
  if (!chains.has(layout)) return undefined;
  const elements = new Map<ElementName, string>();
  const held = new Set<string>();
  const dead: string[] = [];
  const lost: string[] = [];
  for (const { map, set } of listed) {
    for (const item of map?.elem ?? []) {
      const [key, value] = Array.isArray(item) ? (item as readonly unknown[]) : [];
      const [keyText, valueText] = [termText(key), termText(value)];
      if (keyText === undefined || valueText === undefined) return undefined;
      elements.set(`${map?.name} ${keyText}`, valueText);
    }
    if (set === undefined || FIXED_SETS.has(set.name)) continue;
    if (set.name.startsWith('held-')) {
      held.add(set.name);
      continue;
    }
    for (const item of set.elem ?? []) {
      const key = termText(item);
      if (key === undefined) return undefined;
      if (set.name === DEAD_SET) dead.push(key);
      else if (set.name === LOST_SET) lost.push(key);
      else elements.set(`${set.name} ${set.name === 'allowed' ? withPrefix(key) : key}`, '');
    }
  }
  return { elements, chains, held, dead, lost };
}

/** nft prints a network of one address as the address. */
function withPrefix(key: string): string {
  const [source = '', ...rest] = key.split(' . ');
  return [source.includes('/') ? source : `${source}/32`, ...rest].join(' . ');
}

function termText(term: unknown): string | undefined {
  if (typeof term === 'string' || typeof term === 'number') return String(term);
  if (typeof term !== 'object' || term === null) return undefined;
  const known = term as {
    readonly concat?: readonly unknown[];
    readonly prefix?: { readonly addr: string; readonly len: number };
    readonly elem?: { readonly val: unknown };
    readonly goto?: { readonly target: string };
  };
  if ('drop' in term) return 'drop';
  if (known.goto !== undefined) return `goto ${known.goto.target}`;
  if (known.elem !== undefined) return termText(known.elem.val);
  if (known.prefix !== undefined) return `${known.prefix.addr}/${known.prefix.len}`;
  const parts = (known.concat ?? []).map(termText);
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(' . ');
}
