/** From a definition to the kinds that are served for it: one for each served version, all of the same stored objects. */
import {
  apiVersionOf,
  compareVersions,
  type CustomResourceDefinition,
  type DefinitionVersion,
  type KindRules,
  type ResourceRow,
  storageVersionOf,
  StructuralSchema,
  type SubresourceRow,
  type Verb,
} from '../../api/index.ts';
import type { ServedKind, StoredKind } from '../call.ts';
import type { ReadStored } from '../cache/cached-object.ts';
import { withFormerMetadata } from '../registry/object-meta.ts';
import { type ApiObject, omit } from '../registry/object.ts';
import type { ServedForm, Strategy } from '../registry/registration.ts';
import type { ResourceStorage } from '../registry/storage.ts';
import { objectRulesOf } from './check-rules.ts';
import { scalePart } from './custom-scale.ts';
import { customTable } from './custom-table.ts';
import type { OwnKind } from './own-kind.ts';
import { createForms, readBy, type VersionSchemas } from './version-forms.ts';
import type { WebhookConverter } from './webhook-converter.ts';

const VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const PART_VERBS: readonly Verb[] = ['get', 'patch', 'update'];

export function schemasOf({ spec }: CustomResourceDefinition): VersionSchemas {
  const namespaced = spec.scope === 'Namespaced';
  return new Map(
    spec.versions.map(({ name, schema }) => [name, new StructuralSchema(schema?.openAPIV3Schema, namespaced)]),
  );
}

/** The prefix of the keys of a definition's objects. */
export function customPrefix({ spec }: CustomResourceDefinition): string {
  return `/registry/${spec.group}/${spec.names.plural}/`;
}

/**
 * What lies in the store, as its own version reads it today: without fields that its schema has lost, with defaults that it has
 * gained. Nothing is written for it.
 */
export function readCustom(definition: CustomResourceDefinition, schemas: VersionSchemas): ReadStored {
  const { group } = definition.spec;
  const fallback = schemas.get(storageVersionOf(definition) ?? '');
  const read = (stored: ApiObject): ApiObject => {
    const { apiVersion = '' } = stored;
    const version = apiVersion.startsWith(`${group}/`) ? apiVersion.slice(group.length + 1) : '';
    return readBy(schemas.get(version) ?? fallback, stored);
  };
  // The same bytes mean something else after a change of the schema.
  return Object.assign(read, { always: true as const });
}

export interface CustomParts {
  readonly definition: CustomResourceDefinition;
  readonly schemas: VersionSchemas;
  /** Of all its objects. */
  readonly storage: ResourceStorage;
  /** Absent: the versions differ by name alone. */
  readonly converter?: WebhookConverter | undefined;
  /** What the server adds to the kinds, if the definition is its own. */
  readonly own?: OwnKind | undefined;
}

/** The kinds of a definition whose names are accepted, in the order of discovery. */
export function customKinds(parts: CustomParts): readonly ServedKind[] {
  const { definition, schemas, converter, own = {} } = parts;
  const forms = createForms({
    definition,
    schemas,
    converter,
    inVersion: (name, form) => {
      const version = definition.spec.versions.find((each) => each.name === name);
      return version && registrationOf(parts, version, form);
    },
  });
  const served = definition.spec.versions
    .filter((version) => version.served)
    .toSorted((a, b) => compareVersions(a.name, b.name));
  const stored = storageVersionOf(definition);
  const main = served.some(({ name }) => name === stored) ? stored : served[0]?.name;
  return served.map((version) => {
    const form = forms.formOf(version.name);
    const registration = withOwn(registrationOf(parts, version, form), own);
    const kind =
      form === undefined ? registration : { ...registration, form: { ...form, isMain: version.name === main } };
    return { row: kind.row, stored: kind, ...(schemas.has(version.name) ? {} : { isUndescribed: true }) };
  });
}

/** The admission of our own kinds comes after what holds for all custom resources, their checks come before the rules in CEL. */
function withOwn(kind: StoredKind, own: OwnKind): StoredKind {
  const { table, check } = own;
  const { checkMore } = kind;
  return {
    ...kind,
    ...(table === undefined ? {} : { table }),
    strategy: withAdmission(kind.strategy, own),
    ...(check === undefined
      ? {}
      : {
          checkMore: async (object, old, engine) => [
            ...check(object),
            ...((await checkMore?.(object, old, engine)) ?? []),
          ],
        }),
  };
}

function withAdmission(strategy: Strategy, { admitNew, admitChanged }: OwnKind): Strategy {
  return {
    ...strategy,
    ...(admitNew === undefined
      ? {}
      : { prepareForCreate: (object, user) => admitNew(strategy.prepareForCreate?.(object, user) ?? object, user) }),
    ...(admitChanged === undefined
      ? {}
      : { prepareForUpdate: (object, old) => admitChanged(strategy.prepareForUpdate?.(object, old) ?? object, old) }),
  };
}

function registrationOf(
  { definition, schemas, storage }: CustomParts,
  version: DefinitionVersion,
  form: ServedForm | undefined,
): StoredKind {
  const row = rowOf(definition, version, schemas);
  const root = schemas.get(version.name)?.root;
  const checkMore = objectRulesOf(root);
  const { scale } = version.subresources ?? {};
  const table = customTable(version);
  const served = (object: ApiObject): ApiObject => form?.fromStored(object) ?? object;
  return {
    row,
    keyPrefix: customPrefix(definition),
    table: form === undefined ? table : { ...table, cells: (object, now) => table.cells(served(object), now) },
    strategy: strategyOf(version),
    storage,
    ...(form === undefined ? {} : { form }),
    ...(checkMore === undefined ? {} : { checkMore }),
    ...(scale === undefined ? {} : { parts: { scale: scalePart(scale, served) } }),
  };
}

function rowOf(
  { metadata, spec, status }: CustomResourceDefinition,
  version: DefinitionVersion,
  schemas: VersionSchemas,
): ResourceRow {
  const names = status?.acceptedNames ?? spec.names;
  const schema = schemas.get(version.name);
  const isEnding = metadata?.deletionTimestamp !== undefined;
  const row = {
    group: spec.group,
    version: version.name,
    resource: names.plural,
    kind: names.kind,
    namespaced: spec.scope === 'Namespaced',
    singular: names.singular ?? '',
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    // Who deletes a definition must see the end of its objects.
    verbs: isEnding ? VERBS.filter((verb) => verb !== 'create') : VERBS,
    subresources: subresourcesOf(version, names.kind),
    schema: schema ?? new StructuralSchema(undefined, spec.scope === 'Namespaced'),
  };
  return { ...row, rules: rulesOf(version, `${apiVersionOf(row)} ${names.kind}`) };
}

function subresourcesOf({ subresources = {} }: DefinitionVersion, kind: string): readonly SubresourceRow[] {
  const rows: SubresourceRow[] = [];
  if (subresources.status !== undefined) rows.push({ name: 'status', kind, verbs: PART_VERBS });
  if (subresources.scale !== undefined)
    rows.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: PART_VERBS });
  return rows;
}

function rulesOf(version: DefinitionVersion, what: string): KindRules {
  const { deprecated = false, deprecationWarning = `${what} is deprecated`, selectableFields = [] } = version;
  const fields = selectableFields.map(({ jsonPath }) => jsonPath.slice(1));
  return {
    ...(deprecated ? { deprecation: deprecationWarning } : {}),
    ...(fields.length === 0 ? {} : { selectable: ['metadata.name', 'metadata.namespace', ...fields] }),
  };
}

function strategyOf({ subresources }: DefinitionVersion): Strategy {
  if (subresources?.status === undefined) return { hasGeneration: true, countsStatus: true };
  return {
    hasGeneration: true,
    prepareForCreate: (object) => ({ ...omit(object, 'status'), metadata: object.metadata }),
    prepareForStatusUpdate: withFormerMetadata,
  };
}
