/**
 * A table of nft in memory, as strict as nft with what the router writes: no key twice, nothing removed that is not there, no
 * way to a missing chain.
 */
type Elements = Map<string, string>;

export class TestTable {
  /** Maps and sets by name. */
  readonly sets = new Map<string, Elements>();
  readonly chains = new Map<string, string[]>();

  /** @throws for what nft would refuse; the table is then of no use */
  apply(text: string): void {
    for (const line of unfolded(text)) this.#statement(line);
    for (const elements of this.sets.values()) {
      for (const value of elements.values()) this.#mustExist(value);
    }
    for (const rules of this.chains.values()) for (const rule of rules) this.#mustExist(rule);
  }

  /** Where each front leads, whatever the slots are; and all other elements. */
  meaning(): unknown {
    const found: [string, unknown][] = [];
    let slots = 0;
    let reached = 0;
    for (const [set, elements] of this.sets) {
      if (/-slot-\d+$/.test(set)) {
        slots += elements.size;
        continue;
      }
      for (const [key, value] of elements) {
        const targets = this.#targets(value, key);
        reached += targets.length;
        const pick = /-pick-\d+$/.test(value) ? value.replace(/\d+$/, '') : value;
        found.push([`${set} ${key} ${pick}`, targets.toSorted()]);
      }
      if (set.startsWith('held-')) found.push([set, 'a set of clients']);
    }
    return { found: found.toSorted(([a], [b]) => (a < b ? -1 : 1)), unreached: slots - reached };
  }

  #targets(verdict: string, key: string): readonly string[] {
    const pick = /^goto (?:hide-)?(.*)-pick-(\d+)$/.exec(verdict);
    if (pick !== null) {
      const slots = Array.from({ length: Number(pick[2]) }, (_, at) =>
        this.sets.get(`${pick[1]}-slot-${at}`)?.get(key),
      );
      if (slots.includes(undefined)) throw new Error(`${key} has no slot ${slots.indexOf(undefined)}`);
      return slots.flatMap((target) => target ?? []);
    }
    return [];
  }

  /** The rules of a chain with affinity. */
  rules(chain: string): readonly string[] {
    return this.chains.get(chain) ?? [];
  }

  #statement(line: string): void {
    const [, verb, kind, name = '', rest = ''] = /^(add|delete|flush) (\S+) ip \S+ ?(\S*) ?(.*)$/.exec(line) ?? [];
    switch (`${verb} ${kind}`) {
      case 'add table':
        return;
      case 'delete table':
        this.sets.clear();
        this.chains.clear();
        return;
      case 'add map':
      case 'add set':
        if (!this.sets.has(name)) this.sets.set(name, new Map());
        return;
      case 'delete set':
        for (const rules of this.chains.values()) {
          if (rules.some((rule) => rule.includes(`@${name} `))) throw new Error(`busy: ${line}`);
        }
        if (!this.sets.delete(name)) throw new Error(`missing: ${line}`);
        return;
      case 'add chain':
        if (!this.chains.has(name)) this.chains.set(name, []);
        return;
      case 'flush chain':
        if (!this.chains.has(name)) throw new Error(`missing: ${line}`);
        this.chains.set(name, []);
        return;
      case 'delete chain':
        if (!this.chains.delete(name)) throw new Error(`missing: ${line}`);
        return;
      case 'add rule':
        if (!this.chains.has(name)) throw new Error(`missing: ${line}`);
        for (const [, set = ''] of rest.matchAll(/@(\S+)/g))
          if (!this.sets.has(set)) throw new Error(`no set: ${line}`);
        this.chains.get(name)?.push(rest);
        return;
      case 'add element':
      case 'delete element':
        this.#element(verb === 'add', name, rest);
        return;
      default:
        throw new Error(`not understood: ${line}`);
    }
  }

  #element(isNew: boolean, name: string, list: string): void {
    const elements = this.sets.get(name);
    if (elements === undefined) throw new Error(`no set ${name}`);
    for (const item of list.replace(/^\{ | \}$/g, '').split(', ')) {
      const [key = '', value = ''] = item.split(' : ');
      if (isNew) {
        const present = elements.get(key);
        if (present !== undefined && present !== value) throw new Error(`${name} ${key} is there: ${present}`);
        elements.set(key, value);
      } else if (!elements.delete(key)) {
        throw new Error(`${name} ${key} is not there`);
      }
    }
  }

  #mustExist(text: string): void {
    for (const [, chain = ''] of text.matchAll(/goto (\S+?)(?=[,\s]|$)/g)) {
      if (!this.chains.has(chain)) throw new Error(`no chain ${chain}: ${text}`);
    }
  }
}

/** The statements; the block of the table gives its maps, sets and chains, of which hooks do not matter here. */
function unfolded(text: string): readonly string[] {
  const out: string[] = [];
  let depth = 0;
  for (const line of text.split('\n')) {
    const found = depth === 1 ? /^(map|set|chain) (\S+)/.exec(line) : null;
    if (found !== null) out.push(`add ${found[1]} ip t ${found[2]}`);
    if (depth === 0 && /^(add|delete|flush) /.test(line)) out.push(line);
    else depth += line.split('{').length - line.split('}').length;
  }
  return out;
}
