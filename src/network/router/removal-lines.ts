/** Which lines of `nft monitor destroy` tell of rules that may be ours. Pure. */

/** iptables' built-in chains, in which our jumps are (`packet-filter.ts`). */
const JUMPS = /^delete (?:rule|chain) ip (?:filter (?:FORWARD|INPUT|OUTPUT)|nat POSTROUTING)\b/;

/** @param tables ours: we remove elements, and chains of services with affinity, ourselves */
export function mayBeOurs(line: string, tables: readonly string[]): boolean {
  if (line.startsWith('delete table ')) return true;
  if (JUMPS.test(line) || line.includes(' MENDLET-')) return true;
  const found = /^delete (chain|rule|map|set) ip (\S+) (\S+)/.exec(line);
  return (
    found !== null &&
    tables.includes(found[2] ?? '') &&
    !/^(?:hide-)?(?:sticky|held)-/.test(found[3] ?? '') &&
    !isPick(found[3])
  );
}

/** A chain is emptied and filled when it is made. */
function isPick(chain: string | undefined): boolean {
  return chain !== undefined && /-(?:pick|slot)-\d+$/.test(chain);
}
