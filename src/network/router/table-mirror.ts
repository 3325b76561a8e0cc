/**
 * Our memory of what the table holds. A change is written as the difference to it, so its cost does not depend on the number of
 * services.
 */
import {
  type ElementName,
  type Family,
  hidden,
  MAX_KEPT_PICK,
  NO_STATE,
  pickChain,
  type ServiceState,
  serviceState,
  SHARED_SETS,
  type StickyChain,
} from './table-state.ts';
import { statements } from './element-statements.ts';
import type { FoundTable } from './read-table.ts';
import type { ServicePlan } from './service-fronts.ts';
import {
  baseTable,
  hidingText,
  MAX_HELD_CLIENTS,
  parsePick,
  pickText,
  slotText,
  tableName,
  type TableSettings,
} from './table-base.ts';

/** What becomes of services: their new states; `NO_STATE`: the service is gone. */
export type Wishes = ReadonlyMap<string, ServiceState>;

/** A transaction, and what is to be remembered when nft has taken it. */
export interface Transaction {
  /** Input of `nft -f -`; '': there is nothing to do. */
  readonly text: string;
  /** Elements that it writes and removes. */
  readonly elements: number;
  readonly commit: () => void;
}

export class TableMirror {
  readonly #table: string;
  #settings: TableSettings;
  #states = new Map<string, ServiceState>();
  /** How many services have an element of a shared set. */
  #shared = new Map<ElementName, number>();
  /** Slots and picks that the table has. Slots stay: there are as many as the biggest service has endpoints. */
  #made = new Set<string>();
  /** How many elements lead to a pick. */
  #uses = new Map<string, number>();
  /** What was found when we began: it is nobody's until the first change says whose. */
  #found: FoundTable | undefined;
  /** Empty chains of no service: kernels before 6.2 refuse to remove one together with, or soon after, the element that led to it. */
  #leftChains = new Set<string>();
  /** Those that the last sweep found. */
  #sweptNext: ReadonlySet<string> = new Set();

  constructor(settings: TableSettings) {
    this.#settings = settings;
    this.#table = tableName(settings.instanceId);
  }

  /** The next load builds the table by them. They are of the same instance. */
  settingsChanged(settings: TableSettings): void {
    this.#settings = settings;
  }

  get table(): string {
    return this.#table;
  }

  state(serviceKey: string): ServiceState {
    return this.#states.get(serviceKey) ?? NO_STATE;
  }

  /** The state for a plan, with endpoints in the slots that they have. */
  stateFor(serviceKey: string, plan: ServicePlan): ServiceState {
    const found = this.#found === undefined ? NO_STATE : { ...NO_STATE, elements: this.#found.elements };
    return serviceState(plan, this.#states.get(serviceKey) ?? found);
  }

  /** The table is there, and holds this: the next change, which must be that of all services, writes what differs. */
  adopt(found: FoundTable): void {
    this.#found = found;
    for (const chain of found.chains) {
      const pick = parsePick(chain);
      if (pick !== undefined) this.#made.add(nameOfPick(pick));
      const [, family, slot] = /^(.*)-slot-(\d+)$/.exec(chain) ?? [];
      if (family !== undefined) this.#made.add(`${family} slot ${slot}`);
    }
  }

  keys(): Iterable<string> {
    return this.#states.keys();
  }

  /** The whole table anew, in one transaction: packets see the old one or the new one. */
  load(wishes: Wishes): Transaction {
    const empty = new TableMirror(this.#settings);
    const change = empty.change(wishes);
    const { table } = this;
    return {
      text: `add table ip ${table}\ndelete table ip ${table}\n${baseTable(table, this.#settings)}${change.text}`,
      elements: change.elements,
      commit: () => {
        change.commit();
        this.#states = empty.#states;
        this.#shared = empty.#shared;
        this.#made = empty.#made;
        this.#uses = empty.#uses;
        this.#found = undefined;
        this.#leftChains = empty.#leftChains;
        this.#sweptNext = empty.#sweptNext;
      },
    };
  }

  /**
   * Only what differs.
   * @param sweeps whether the last sweep is so long ago that chains that it found without a use can go
   */
  change(wishes: Wishes, sweeps = false): Transaction {
    const difference = this.#difference(wishes);
    const { removed, added, counts, uses } = difference;
    const made = new Set<string>();
    const chains = this.#chainsText(wishes);
    const structures = this.#structures(added, made);
    const used = new Set([...chains.used, ...[...made].flatMap(chainsOfPick)]);
    const swept = sweeps ? [...this.#sweptNext].filter((name) => this.#leftChains.has(name) && !used.has(name)) : [];
    const unused = sweeps ? this.#unusedPicks(uses) : [];
    const left = [...chains.left, ...unused.flatMap(chainsOfPick)];
    const parts = [
      swept.map((name) => `delete chain ip ${this.#table} ${name}\n`).join(''),
      structures,
      chains.before,
      statements(
        'delete',
        this.#table,
        removed.map((name) => [name, ''] as const),
      ),
      chains.between,
      statements('add', this.#table, added),
      unused
        .flatMap(chainsOfPick)
        .map((name) => `flush chain ip ${this.#table} ${name}\n`)
        .join(''),
    ];
    return {
      text: parts.join(''),
      elements: removed.length + added.length,
      commit: () => {
        for (const [key, state] of wishes) {
          if (state.elements.size === 0) this.#states.delete(key);
          else this.#states.set(key, state);
        }
        this.#found = undefined;
        for (const [name, count] of counts) {
          if (count === 0) this.#shared.delete(name);
          else this.#shared.set(name, count);
        }
        for (const [name, by] of uses) this.#uses.set(name, (this.#uses.get(name) ?? 0) + by);
        for (const name of made) this.#made.add(name);
        for (const name of unused) this.#made.delete(name);
        if (sweeps) this.#sweptNext = new Set([...this.#leftChains, ...left]);
        for (const name of [...swept, ...used]) this.#leftChains.delete(name);
        for (const name of left) this.#leftChains.add(name);
      },
    };
  }

  /** A transaction without a service's change may sweep what the last one left. */
  get hasLeftovers(): boolean {
    return this.#leftChains.size > 0;
  }

  #difference(wishes: Wishes): {
    readonly removed: readonly ElementName[];
    readonly added: readonly (readonly [ElementName, string])[];
    readonly counts: ReadonlyMap<ElementName, number>;
    /** By how many the elements grow that lead to a pick. */
    readonly uses: ReadonlyMap<string, number>;
  } {
    const removed: ElementName[] = [];
    const added: (readonly [ElementName, string])[] = [];
    const counts = new Map<ElementName, number>();
    const count = (name: ElementName, by: number): void => {
      counts.set(name, (counts.get(name) ?? this.#shared.get(name) ?? 0) + by);
    };
    const uses = new Map<string, number>();
    const use = (value: string, by: number): void => {
      const pick = pickOf(value);
      if (pick !== undefined) uses.set(nameOfPick(pick), (uses.get(nameOfPick(pick)) ?? 0) + by);
    };
    for (const [key, { elements: wanted }] of wishes) {
      const { elements: present } = this.state(key);
      for (const [name, value] of present) {
        if (isShared(name)) count(name, -1);
        else if (wanted.get(name) !== value) {
          removed.push(name);
          use(value, -1);
        }
      }
      for (const [name, value] of wanted) {
        if (isShared(name)) count(name, 1);
        else if (present.get(name) !== value) {
          added.push([name, value]);
          use(value, 1);
        }
      }
    }
    for (const [name, after] of counts) {
      const before = this.#shared.get(name) ?? 0;
      if (before === 0 && after > 0) added.push([name, '']);
      if (before > 0 && after === 0) removed.push(name);
    }
    return this.#found === undefined
      ? { removed, added, counts, uses }
      : { ...differenceTo(this.#found.elements, added), counts, uses };
  }

  /** @param uses by how many the elements grow that lead to a pick */
  #unusedPicks(uses: ReadonlyMap<string, number>): readonly string[] {
    return [...this.#made].filter((name) => {
      const [, targets] = name.split(' pick ');
      return Number(targets) > MAX_KEPT_PICK && (this.#uses.get(name) ?? 0) + (uses.get(name) ?? 0) === 0;
    });
  }

  /** Slots and picks that new elements need. */
  #structures(added: readonly (readonly [ElementName, string])[], made: Set<string>): string {
    const out: string[] = [];
    const needSlot = (family: Family, slot: number): void => {
      const name = `${family} slot ${slot}`;
      if (this.#made.has(name) || made.has(name)) return;
      made.add(name);
      out.push(slotText(this.#table, family, slot));
    };
    for (const [, value] of added) {
      const pick = pickOf(value);
      if (pick === undefined) continue;
      const name = nameOfPick(pick);
      if (this.#made.has(name) || made.has(name)) continue;
      made.add(name);
      for (let slot = 0; slot < pick.targets; slot++) needSlot(pick.family, slot);
      out.push(pickText(this.#table, pick.family, pick.targets));
    }
    return out.join('');
  }

  /** Chains of services with affinity: `before` the elements that lead to them, and what the end of others leaves. */
  #chainsText(wishes: Wishes): {
    readonly before: string;
    readonly between: string;
    readonly used: ReadonlySet<string>;
    readonly left: readonly string[];
  } {
    const before: string[] = [];
    const between: string[] = [];
    const used = new Set<string>();
    const left: string[] = [];
    const table = this.#table;
    // Of all services together: a cluster IP may go from one to another, and the chain with it.
    const present = new Map([...wishes.keys()].flatMap((key) => [...this.state(key).chains]));
    const wanted = new Map([...wishes.values()].flatMap(({ chains }) => [...chains]));
    const [heldBefore, heldAfter] = [heldSets(present.values()), heldSets(wanted.values())];
    for (const [name, timeout] of heldAfter) {
      if (heldBefore.has(name)) continue;
      before.push(
        `add set ip ${table} ${name} { type ipv4_addr; flags dynamic,timeout; size ${MAX_HELD_CLIENTS}; timeout ${timeout}s; }\n`,
      );
    }
    for (const chain of wanted.values()) {
      if (isSame(chain, present.get(chain.name))) continue;
      used.add(chain.name).add(hidden(chain.name));
      before.push(stickyText(table, chain));
    }
    for (const name of present.keys()) {
      if (wanted.has(name)) continue;
      between.push(`flush chain ip ${table} ${hidden(name)}\nflush chain ip ${table} ${name}\n`);
      left.push(hidden(name), name);
    }
    for (const name of heldBefore.keys()) {
      if (!heldAfter.has(name)) between.push(`delete set ip ${table} ${name}\n`);
    }
    if (this.#found !== undefined) {
      const names = new Set([...wanted.keys()].flatMap((name) => [name, hidden(name)]));
      const unused = [...this.#found.chains].filter((name) => isSticky(name) && !names.has(name));
      for (const name of unused) between.push(`flush chain ip ${table} ${name}\n`);
      left.push(...unused);
      for (const name of this.#found.held) if (!heldAfter.has(name)) between.push(`delete set ip ${table} ${name}\n`);
    }
    return { before: before.join(''), between: between.join(''), used, left };
  }
}

/** Elements of services that were found count only where they are missing or others. */
function differenceTo(
  found: ReadonlyMap<ElementName, string>,
  wanted: readonly (readonly [ElementName, string])[],
): { readonly removed: readonly ElementName[]; readonly added: readonly (readonly [ElementName, string])[] } {
  const all = new Map(wanted);
  return {
    removed: [...found].filter(([name, value]) => all.get(name) !== value).map(([name]) => name),
    added: wanted.filter(([name, value]) => found.get(name) !== value),
  };
}

type Pick = NonNullable<ReturnType<typeof parsePick>>;

/** The pick that an element leads to; undefined: it leads elsewhere, or says something else. */
function pickOf(value: string): Pick | undefined {
  return value.startsWith('goto ') ? parsePick(value.slice('goto '.length)) : undefined;
}

function nameOfPick({ family, targets }: Pick): string {
  return `${family} pick ${targets}`;
}

/** Of a name in `#made`; that of a slot has none that could go. */
function chainsOfPick(name: string): readonly string[] {
  const [family, targets] = name.split(' pick ');
  if (targets === undefined) return [];
  const chain = pickChain(family as Family, Number(targets));
  return [hidden(chain), chain];
}

function isSticky(chain: string): boolean {
  return /^(?:hide-)?sticky-/.test(chain);
}

function isShared(name: ElementName): boolean {
  return SHARED_SETS.has(name.slice(0, name.indexOf(' ')));
}

function isSame(chain: StickyChain, other: StickyChain | undefined): boolean {
  return (
    other !== undefined &&
    chain.timeoutSeconds === other.timeoutSeconds &&
    chain.targets.length === other.targets.length &&
    chain.targets.every((target, at) => target === other.targets[at])
  );
}

/** The sets of clients that each target has, with their time-outs in seconds. All chains of a port share them. */
function heldSets(chains: Iterable<StickyChain>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const chain of chains) {
    for (const target of chain.targets) found.set(heldSet(chain, target), chain.timeoutSeconds);
  }
  return found;
}

/** Another time-out makes another set. */
function heldSet({ id, timeoutSeconds }: StickyChain, target: string): string {
  return `held-${timeoutSeconds}-${id}-${target.replace(' . ', '-')}`;
}

/** First the target that the client has, else one of all, each as likely as the others. */
function stickyText(table: string, chain: StickyChain): string {
  const { name, protocol, targets } = chain;
  const rules = (condition: (held: string, at: number) => string): readonly string[] =>
    targets.map((target, at) => {
      const held = heldSet(chain, target);
      const [ip, port] = target.split(' . ');
      return `add rule ip ${table} ${name} ${condition(held, at)} update @${held} { ip saddr } meta l4proto ${protocol} dnat ip to ${ip}:${port}\n`;
    });
  return [
    `add chain ip ${table} ${name}\nflush chain ip ${table} ${name}\n`,
    ...rules((held) => `ip saddr @${held}`),
    ...rules((_, at) => (at === targets.length - 1 ? '' : `numgen random mod ${targets.length - at} 0`)),
    hidingText(table, name),
  ].join('');
}
