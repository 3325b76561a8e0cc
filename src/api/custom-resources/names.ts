/**
 * Which definitions get the names that they ask for. One name leads to one kind of its group: a definition that asks for a taken one is not
 * served (upstream: apiextensions-apiserver/pkg/controller/status/naming_controller.go). Pure.
 */
import { findCondition } from '../conditions.ts';
import { hasBadAuthorities } from './ca-bundle.ts';
import type { CustomResourceDefinition, DefinitionCondition, DefinitionNames } from './definition.ts';

/** Names of one group that others have. */
export interface TakenNames {
  /** Plural, singular and short names. */
  readonly resources: ReadonlySet<string>;
  /** Kinds and kinds of lists. */
  readonly kinds: ReadonlySet<string>;
}

export interface NameVerdict {
  readonly accepted: DefinitionNames;
  readonly condition: DefinitionCondition;
}

/** The names that others hold in the definition's group: accepted ones of definitions, and those of the kinds that every server has. */
export function takenNames(
  group: string,
  definitions: Iterable<CustomResourceDefinition>,
  builtIn: readonly {
    readonly resource: string;
    readonly singular: string;
    readonly shortNames: readonly string[];
    readonly kind: string;
    readonly listKind: string;
    readonly group: string;
  }[],
  except: string,
): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  const add = (names: DefinitionNames): void => {
    for (const name of [names.plural, names.singular ?? '', ...(names.shortNames ?? [])])
      if (name !== '') resources.add(name);
    for (const kind of [names.kind, names.listKind ?? '']) if (kind !== '') kinds.add(kind);
  };
  for (const { metadata, spec, status } of definitions) {
    if (spec.group !== group || metadata?.name === except || status?.acceptedNames === undefined) continue;
    add(status.acceptedNames);
  }
  for (const row of builtIn) {
    if (row.group === group) add({ ...row, plural: row.resource });
  }
  return { resources, kinds };
}

/**
 * The names that a definition gets, and the condition that says so. A part that is taken keeps what was accepted before. The last conflict
 * in the order of names is the one that is told.
 */
export function judgeNames(definition: CustomResourceDefinition, taken: TakenNames): NameVerdict {
  const wanted = definition.spec.names;
  const before: DefinitionNames = definition.status?.acceptedNames ?? { plural: '', kind: '' };
  let accepted: DefinitionNames = before;
  let conflict: { readonly reason: string; readonly message: string } | undefined;
  const decide = (
    reason: string,
    names: readonly string[],
    used: ReadonlySet<string>,
    gain: Partial<DefinitionNames>,
  ): void => {
    const lost = names.filter((name) => name !== '' && used.has(name));
    if (lost.length > 0)
      conflict = { reason, message: lost.map((name) => `${JSON.stringify(name)} is already in use`).join(', ') };
    else accepted = { ...accepted, ...gain };
  };
  decide('PluralConflict', [wanted.plural], taken.resources, { plural: wanted.plural });
  decide('SingularConflict', [wanted.singular ?? ''], taken.resources, pick('singular', wanted.singular));
  decide('ShortNamesConflict', wanted.shortNames ?? [], taken.resources, pick('shortNames', wanted.shortNames));
  decide('KindConflict', [wanted.kind], taken.kinds, { kind: wanted.kind });
  decide('ListKindConflict', [wanted.listKind ?? ''], taken.kinds, pick('listKind', wanted.listKind));
  accepted = withCategories(accepted, wanted.categories);
  const condition: DefinitionCondition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict };
  return { accepted, condition };
}

function pick<K extends keyof DefinitionNames>(
  name: K,
  value: DefinitionNames[K] | undefined,
): Partial<DefinitionNames> {
  return { [name]: value };
}

function withCategories(names: DefinitionNames, categories: readonly string[] | undefined): DefinitionNames {
  const { categories: _, ...others } = names;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return { ...(given as unknown as DefinitionNames), ...(categories === undefined ? {} : { categories }) };
}

/** Whether the kind may be served: once it was, it goes on being so, whatever becomes of its names. */
export function establishedCondition(
  definition: CustomResourceDefinition,
  names: DefinitionCondition,
): DefinitionCondition {
  const before = findCondition(definition.status?.conditions, 'Established');
  if (before?.status !== 'True' && hasBadAuthorities(definition))
    return {
      type: 'Established',
      status: 'False',
      reason: 'InvalidCABundle',
      message: 'The conversion webhook CABundle is invalid',
    };
  if (names.status === 'True' || before?.status === 'True')
    return {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    };
  return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}
