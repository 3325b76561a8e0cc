/** A table as `nft -j list table` prints it (libnftables-json(5)), without its rules. Pure. */
import { type FilterSet, type FilterTable, chainOf } from './filter-table.ts';

const NO_LENGTH = 32;

export function tableJson(name: string, { chains, sets }: FilterTable, mono: number): string {
  const common = { family: 'ip', table: name };
  const nftables = [
    { metainfo: { json_schema_version: 1 } },
    { table: { family: 'ip', name } },
    ...[...chains.keys()].map((chain) => ({ chain: { ...common, name: chain } })),
    ...[...sets].map(([set, found]) => {
      const elem = elementsOf(found, mono);
      const body = { ...common, name: set, ...(elem.length > 0 && { elem }) };
      return found.wish.value === undefined ? { set: body } : { map: body };
    }),
  ];
  return JSON.stringify({ nftables });
}

function elementsOf({ wish, elements }: FilterSet, mono: number): readonly unknown[] {
  const living = [...elements].filter(([, { endsAt }]) => endsAt === undefined || endsAt > mono);
  return living.map(([key, { value, endsAt }]) => {
    const term = termOf(key);
    if (wish.value !== undefined) return [term, wish.value === 'verdict' ? verdictOf(value) : termOf(value)];
    return endsAt === undefined ? term : { elem: { val: term, expires: Math.ceil((endsAt - mono) / 1000) } };
  });
}

function verdictOf(value: string): unknown {
  const target = chainOf(value);
  return target === undefined ? { drop: null } : { goto: { target } };
}

function termOf(text: string): unknown {
  const parts = text.split(' . ').map(partOf);
  return parts.length === 1 ? parts[0] : { concat: parts };
}

/** nft prints a network of one address as the address. */
function partOf(text: string): unknown {
  if (/^\d+$/.test(text)) return Number(text);
  const [addr, length] = text.split('/');
  return length === undefined || Number(length) === NO_LENGTH ? addr : { prefix: { addr, len: Number(length) } };
}
