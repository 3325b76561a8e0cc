/**
 * Lists of whole kinds, read once at the beginning, from which later questions are answered without a request. A namespace of
 * a hundred pods would otherwise cost a thousand requests. Only complete lists count.
 */
import {
  apiVersionOf,
  type KubeObject,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type Resource,
} from '../../api/index.ts';
import type { ListQuery } from '../../client/index.ts';

interface Kept {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly items: readonly KubeObject[];
  readonly byName: ReadonlyMap<string, KubeObject>;
}

export class Snapshot {
  readonly #kept = new Map<string, Kept>();

  /** Keeps a complete list. Objects in lists do not name their kind, so it is added. */
  keep(resource: Resource<KubeObject>, namespace: string | undefined, items: readonly KubeObject[]): void {
    const named = items.map((item) => ({ ...item, kind: resource.kind, apiVersion: apiVersionOf(resource) }));
    const byName = new Map(named.map((item) => [keyOf(item.metadata?.namespace, item.metadata?.name ?? ''), item]));
    this.#kept.set(nameOf(resource), { ...(namespace === undefined ? {} : { namespace }), items: named, byName });
  }

  /** The object, "missing", or undefined when the list of its kind is not kept. */
  get<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string | undefined,
    name: string,
  ): { readonly value: T } | 'missing' | undefined {
    const kept = this.#covering(resource, namespace);
    if (kept === undefined) return undefined;
    const value = kept.byName.get(keyOf(resource.namespaced ? namespace : undefined, name));
    return value === undefined ? 'missing' : { value: value as T };
  }

  /** The matching objects, or undefined when the list of their kind is not kept. */
  list<T extends KubeObject>(resource: Resource<T>, query: ListQuery): readonly T[] | undefined {
    const { namespace, labelSelector = '', fieldSelector = '' } = query;
    const kept = this.#covering(resource, namespace);
    if (kept === undefined) return undefined;
    const labels = parseLabelSelector(labelSelector);
    const fields = parseFieldSelector(fieldSelector);
    return kept.items.filter(
      (item) =>
        (namespace === undefined || item.metadata?.namespace === namespace) &&
        matchesLabels(labels, item.metadata?.labels) &&
        matchesFields(fields, resource, item),
    ) as readonly KubeObject[] as readonly T[];
  }

  #covering(resource: Resource<KubeObject>, namespace: string | undefined): Kept | undefined {
    const kept = this.#kept.get(nameOf(resource));
    if (kept === undefined || kept.namespace === undefined || !resource.namespaced) return kept;
    return kept.namespace === namespace ? kept : undefined;
  }
}

function nameOf({ group, resource }: Resource<KubeObject>): string {
  return `${group}/${resource}`;
}

function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}
