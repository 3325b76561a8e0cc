/** Custom resources as controllers that look at all kinds see them: which kinds there are now, by their definitions. Pure. */
import {
  compareVersions,
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
  isServed,
  type KubeObject,
  nameOf,
  type ResourceRow,
  setOwn,
} from '../api/index.ts';
import type { SourceForm } from '../client/index.ts';

/** A kind, by the version in which controllers read it, and all versions in which owner references may name it. */
export interface CustomKind {
  readonly row: ResourceRow;
  readonly versions: readonly string[];
}

/** What a definition says about identity: everything but its schemas, which are nearly all of it. */
export const DEFINITION_NAMES: SourceForm = {
  name: 'definition names',
  metadataOnly: false,
  keep: <T extends KubeObject>(object: T): T => {
    const { metadata, spec, status } = object as unknown as CustomResourceDefinition;
    const { name, uid, resourceVersion, generation, deletionTimestamp } = metadata ?? {};
    const kept: Record<string, unknown> = {};
    for (const [field, value] of Object.entries({ name, uid, resourceVersion, generation, deletionTimestamp }))
      if (value !== undefined) setOwn(kept, field, value);
    const versions = spec.versions.map((version) => ({
      name: version.name,
      served: version.served,
      storage: version.storage,
    }));
    const { group, scope, names } = spec;
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: CUSTOM_RESOURCE_DEFINITIONS.kind,
      metadata: kept,
      spec: { group, scope, names, versions },
      status: { conditions: status?.conditions ?? [], acceptedNames: status?.acceptedNames },
    } as unknown as T;
  },
};

/** The kind of a definition; undefined: it is not served (yet, or any more). */
export function customKindOf(definition: CustomResourceDefinition): CustomKind | undefined {
  const { spec, status } = definition;
  const versions = spec.versions
    .filter(({ served }) => served)
    .map(({ name }) => name)
    .toSorted(compareVersions);
  const names = status?.acceptedNames;
  const [version] = versions;
  if (names === undefined || version === undefined || !isServed(definition)) return undefined;
  const row: ResourceRow = {
    group: spec.group,
    version,
    resource: names.plural,
    kind: names.kind,
    namespaced: spec.scope === 'Namespaced',
    singular: names.singular ?? '',
    listKind: names.listKind ?? '',
    shortNames: [],
    categories: [],
    verbs: ['get', 'list', 'watch', 'delete', 'patch'],
    subresources: [],
  };
  return { row, versions };
}

/** Names a kind as it is looked at: another text means that it must be looked at anew. */
export function markOfKind(definition: CustomResourceDefinition): string {
  const kind = customKindOf(definition);
  return kind === undefined
    ? ''
    : JSON.stringify([nameOf(definition), definition.metadata?.uid, kind.row.version, kind.row.kind, kind.versions]);
}
