/** How a resource is named: by its path parts. Rows of the table (resources.ts) are such, so a constant is a row. */
import type { KindRules } from './kind-rules.ts';
import type { KubeObject } from './kube-object.ts';
import type { ObjectSchema } from './object-schema.ts';

export type { KubeObject } from './kube-object.ts';

/** Names a resource; `T` is the type of its objects. */
export interface Resource<T> {
  /** '' for core. */
  readonly group: string;
  readonly version: string;
  /** Plural, as in the path. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Absent: the metadata of its objects is checked, and nothing else. */
  readonly rules?: KindRules;
  /** Only carries the type. */
  readonly _type?: T;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface SubresourceRow {
  /** "status", "log" … */
  readonly name: string;
  /** Kind of the body; its group and version when they are not the parent's. */
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly Verb[];
}

/** One served resource: everything that discovery says of it. */
export interface ResourceRow<T = KubeObject> extends Resource<T> {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  readonly subresources: readonly SubresourceRow[];
  /** Absent: the derived schema. `schemaOf` answers for both. */
  readonly schema?: ObjectSchema;
}

/** "v1" or "apps/v1". */
export function apiVersionOf(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** The parts of an apiVersion. */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return slash === -1
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
