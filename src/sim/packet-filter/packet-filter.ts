/**
 * The packet filter of a simulated machine. It takes transactions as nft does: all of one, or nothing and the reason. Where
 * kernels differ, it is as strict as the oldest that we support (6.1): a chain counts as used until the transaction after the
 * one that ended its last use.
 */
import { parseNft } from './parse-nft.ts';
import {
  chainOf,
  copyTable,
  emptyTable,
  type FilterSet,
  type FilterTable,
  lookUp,
  namedBy,
  overlaps,
} from './filter-table.ts';
import type { Command, ElementList, SetWish } from './nft-syntax.ts';
import { tableJson } from './table-json.ts';
import { checkElement } from './element-type.ts';

/** The kernel's reason to refuse a transaction. */
class Refusal extends Error {}

const MISSING = 'No such file or directory';
const EXISTS = 'File exists';
const BUSY = 'Device or resource busy';

export class PacketFilter {
  #tables = new Map<string, FilterTable>();
  #version = 0;
  readonly #listeners = new Set<(line: string) => void>();

  /** Changes with each transaction. */
  get version(): number {
    return this.#version;
  }

  table(name: string): FilterTable | undefined {
    return this.#tables.get(name);
  }

  tables(): Iterable<FilterTable> {
    return this.#tables.values();
  }

  /** Calls the listener with lines of `nft monitor destroy`: of tables alone. @returns a function that ends that */
  onDestroy(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Somebody removes everything. */
  flush(): void {
    this.#change(new Map());
  }

  /**
   * One transaction.
   * @param mono ms
   * @returns why it was refused; undefined: it was done
   * @throws UnknownWord
   */
  apply(text: string, mono: number): string | undefined {
    const commands = parseNft(text);
    const next = new Map([...this.#tables].map(([name, table]) => [name, copyTable(table)]));
    const usedBefore = new Map([...next].map(([name, table]) => [name, usedChains(table)]));
    for (const command of commands) {
      try {
        carryOut(next, command, { mono, usedBefore });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const what = 'name' in command ? `${command.what} ${command.name}` : `table ${command.table}`;
        return `Error: Could not process rule: ${error.message}: ${command.verb} ${what}`;
      }
    }
    this.#change(next);
    return undefined;
  }

  /** A packet put its sender into a set. */
  hold(table: string, setName: string, key: string, mono: number): void {
    const set = this.#tables.get(table)?.sets.get(setName);
    set?.elements.set(key, { value: '', endsAt: endOf(set.wish, mono) });
  }

  /** The table without the elements of its maps, as `nft -t list table` shows it; undefined: there is none. */
  outline(name: string): string | undefined {
    const table = this.#tables.get(name);
    if (table === undefined) return undefined;
    const sets = [...table.sets].map(([set, { wish }]) => {
      const kind = wish.value === undefined ? 'set' : 'map';
      return `\t${kind} ${set} {\n\t\ttype ${wish.key.join(' . ')}${wish.value === undefined ? '' : ` : ${wish.value}`}\n\t}`;
    });
    const chains = [...table.chains].map(([chain, { hook, rules }]) => {
      const head = hook === undefined ? [] : [`type ${hook.type} hook ${hook.hook} priority ${hook.priority};`];
      return [
        `\tchain ${chain} {`,
        ...[...head, ...rules.map(({ text }) => text)].map((line) => `\t\t${line}`),
        '\t}',
      ].join('\n');
    });
    return [`table ip ${name} {`, ...sets, ...chains, '}'].join('\n');
  }

  /** The whole table, as `nft -j list table` prints it; undefined: there is none. */
  contents(name: string, mono: number): string | undefined {
    const table = this.#tables.get(name);
    return table === undefined ? undefined : tableJson(name, table, mono);
  }

  #change(next: Map<string, FilterTable>): void {
    const gone = [...this.#tables.keys()].filter((name) => next.get(name) === undefined);
    this.#tables = next;
    this.#version += 1;
    for (const name of gone) for (const listener of this.#listeners) listener(`delete table ip ${name}`);
  }
}

interface Circumstances {
  readonly mono: number;
  readonly usedBefore: ReadonlyMap<string, ReadonlySet<string>>;
}

function carryOut(tables: Map<string, FilterTable>, command: Command, at: Circumstances): void {
  if (command.what === 'table') {
    if (command.verb === 'add') tables.set(command.table, tables.get(command.table) ?? emptyTable());
    else if (!tables.delete(command.table)) throw new Refusal(MISSING);
    return;
  }
  const table = tables.get(command.table);
  if (table === undefined) throw new Refusal(MISSING);
  switch (command.what) {
    case 'set':
      if (command.verb === 'add') addSet(table, command.name, command.wish);
      else deleteSet(table, command.name);
      return;
    case 'chain':
      changeChain(table, command, at.usedBefore.get(command.table));
      return;
    case 'rule':
      addRule(table, command);
      return;
    case 'element':
      if (command.verb === 'add') addElements(table, needSet(table, command.name), command.elements, at.mono);
      else deleteElements(needSet(table, command.name), command.elements, at.mono);
      return;
  }
}

function addSet({ sets }: FilterTable, name: string, wish: SetWish): void {
  const present = sets.get(name);
  if (present === undefined) sets.set(name, { wish, elements: new Map() });
  else if (JSON.stringify(present.wish) !== JSON.stringify(wish)) throw new Refusal(EXISTS);
}

function deleteSet({ sets, chains }: FilterTable, name: string): void {
  for (const { rules } of chains.values()) {
    if (rules.some((rule) => namedBy(rule).sets.includes(name))) throw new Refusal(BUSY);
  }
  if (!sets.delete(name)) throw new Refusal(MISSING);
}

function changeChain(
  table: FilterTable,
  { verb, name, ...command }: Extract<Command, { what: 'chain' }>,
  usedBefore: ReadonlySet<string> | undefined,
): void {
  const { chains } = table;
  const present = chains.get(name);
  if (verb === 'add') {
    const hook = 'hook' in command ? command.hook : undefined;
    if (present === undefined) chains.set(name, { hook, rules: [] });
    else if (hook !== undefined && JSON.stringify(hook) !== JSON.stringify(present.hook)) throw new Refusal(EXISTS);
    return;
  }
  if (present === undefined) throw new Refusal(MISSING);
  present.rules.length = 0;
  if (verb === 'flush') return;
  if (usedBefore?.has(name) === true || usedChains(table).has(name)) throw new Refusal(BUSY);
  chains.delete(name);
}

function addRule({ chains, sets }: FilterTable, { name, rule }: Extract<Command, { what: 'rule' }>): void {
  const chain = chains.get(name);
  const named = namedBy(rule);
  const isWhole = named.chains.every((each) => chains.has(each)) && named.sets.every((each) => sets.has(each));
  if (chain === undefined || !isWhole) throw new Refusal(MISSING);
  chain.rules.push(rule);
}

function needSet({ sets }: FilterTable, name: string): FilterSet {
  const set = sets.get(name);
  if (set === undefined) throw new Refusal(MISSING);
  return set;
}

function addElements({ chains }: FilterTable, set: FilterSet, elements: ElementList, mono: number): void {
  for (const [key, value] of elements) {
    checkElement(set.wish, key, value);
    const target = chainOf(value);
    if (target !== undefined && !chains.has(target)) throw new Refusal(MISSING);
    const present = lookUp(set, key, mono);
    const isTaken = set.wish.isInterval
      ? [...set.elements.keys()].some((other) => other !== key && overlaps(other, key))
      : present !== undefined && present !== value;
    if (isTaken) throw new Refusal(EXISTS);
    // One that is there keeps its end.
    if (present === undefined || !set.elements.has(key)) {
      set.elements.set(key, { value, endsAt: endOf(set.wish, mono) });
    }
  }
}

function deleteElements(set: FilterSet, elements: ElementList, mono: number): void {
  for (const [key] of elements) {
    const element = set.elements.get(key);
    if (element === undefined || (element.endsAt !== undefined && element.endsAt <= mono)) throw new Refusal(MISSING);
    set.elements.delete(key);
  }
}

function endOf({ timeoutSeconds }: SetWish, mono: number): number | undefined {
  return timeoutSeconds === undefined ? undefined : mono + timeoutSeconds * 1000;
}

/** Chains that a rule or an element leads to. */
function usedChains({ chains, sets }: FilterTable): ReadonlySet<string> {
  const used = new Set<string>();
  for (const { rules } of chains.values())
    for (const rule of rules) for (const name of namedBy(rule).chains) used.add(name);
  for (const { wish, elements } of sets.values()) {
    if (wish.value !== 'verdict') continue;
    for (const { value } of elements.values()) {
      const name = chainOf(value);
      if (name !== undefined) used.add(name);
    }
  }
  return used;
}
