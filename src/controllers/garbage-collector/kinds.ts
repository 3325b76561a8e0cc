/** Every kind whose objects may own and be owned, with their listers: those of every server, and those of definitions as they come and go. */
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
  type KubeObject,
  nameOf,
  type ResourceRow,
} from '../../api/index.ts';
import { type Change, type Informers, type Lister, METADATA } from '../../client/index.ts';
import { customKindOf, DEFINITION_NAMES, markOfKind } from '../custom-kinds.ts';
import type { ControllerSource, LiveSources } from '../controller.ts';
import { COLLECTED, type KindFinder } from './owner-kinds.ts';

/** One kind, and the lister of its objects. */
export interface Kind {
  readonly row: ResourceRow;
  readonly lister: Lister<KubeObject>;
}

interface Followed extends Kind {
  readonly mark: string;
  readonly versions: readonly string[];
  readonly release: () => void;
}

export class OwnerKinds implements KindFinder {
  readonly #informers: Informers;
  /** By "group/resource". */
  readonly #builtIn: ReadonlyMap<string, Kind>;
  /** By the name of the definition, which is "resource.group". */
  readonly #custom = new Map<string, Followed>();
  readonly #keysOf: (row: ResourceRow, change: Change<KubeObject>) => readonly string[];

  constructor(informers: Informers, keysOf: (row: ResourceRow, change: Change<KubeObject>) => readonly string[]) {
    this.#informers = informers;
    this.#keysOf = keysOf;
    this.#builtIn = new Map(
      COLLECTED.map((row) => [
        `${row.group}/${row.resource}`,
        { row, lister: informers.lister(row, { form: METADATA }) },
      ]),
    );
  }

  /** By "group/resource". */
  get(resource: string): Kind | undefined {
    const known = this.#builtIn.get(resource);
    if (known !== undefined) return known;
    const slash = resource.indexOf('/');
    return this.#custom.get(`${resource.slice(slash + 1)}.${resource.slice(0, slash)}`);
  }

  /** Whether a kind came with a definition. */
  isCustom(row: ResourceRow): boolean {
    return !this.#builtIn.has(`${row.group}/${row.resource}`);
  }

  *all(): Generator<Kind, void, undefined> {
    yield* this.#builtIn.values();
    yield* this.#custom.values();
  }

  find(group: string, version: string, kind: string): ResourceRow | undefined {
    for (const { row } of this.#builtIn.values())
      if (row.group === group && row.version === version && row.kind === kind) return row;
    for (const { row, versions } of this.#custom.values())
      if (row.group === group && row.kind === kind && versions.includes(version)) return row;
    return undefined;
  }

  /** Follows the definitions for as long as `live` does. */
  follow(live: LiveSources): void {
    const definitions = this.#informers.lister<CustomResourceDefinition & KubeObject>(CUSTOM_RESOURCE_DEFINITIONS, {
      form: DEFINITION_NAMES,
    });
    definitions.onChange(({ type, object }) => this.#change(live, type === 'delete', object));
    for (const definition of definitions.list()) this.#change(live, false, definition);
  }

  #change(live: LiveSources, isGone: boolean, definition: CustomResourceDefinition & KubeObject): void {
    const name = nameOf(definition);
    const mark = isGone ? '' : markOfKind(definition);
    const before = this.#custom.get(name);
    if (mark === (before?.mark ?? '')) return;
    before?.release();
    this.#custom.delete(name);
    const kind = isGone ? undefined : customKindOf(definition);
    if (kind === undefined) return;
    const { row, versions } = kind;
    const source: ControllerSource = {
      resource: row,
      view: { form: METADATA },
      keysOf: (change) => this.#keysOf(row, change),
    };
    // Known before its objects are: the first of them may own others of its kind.
    const taken = live.take(source);
    this.#custom.set(name, { row, versions, mark, ...taken });
  }
}
