/** From aggregated discovery documents (KEP-3352) to rows. Pure. */
import type { ResourceRow, SubresourceRow, Verb } from '../api/index.ts';

/** Asks for the aggregated form. */
export const DISCOVERY_ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** One document as it was answered. */
export interface DiscoveryDocument {
  /** Absent: the server has none. */
  readonly etag?: string;
  readonly rows: readonly ResourceRow[];
}

/** The kinds that a server serves, as it says. */
export interface Discovery {
  /** /api, then /apis. */
  readonly documents: readonly DiscoveryDocument[];
  /** Every kind in every served version, in the order of preference. */
  readonly rows: readonly ResourceRow[];
}

interface Gvk {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

interface DiscoveredResource {
  readonly resource?: string;
  readonly responseKind?: Gvk | null;
  readonly scope?: string;
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource?: string;
    readonly responseKind?: Gvk | null;
    readonly verbs?: readonly string[];
  }[];
}

interface GroupList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version?: string;
      readonly resources?: readonly DiscoveredResource[];
    }[];
  }[];
}

/** The rows of an APIGroupDiscoveryList; what is incomplete in it is left out. */
export function rowsOfDiscovery(list: unknown): readonly ResourceRow[] {
  return ((list as GroupList | undefined)?.items ?? []).flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version = '', resources = [] }) =>
      resources.flatMap((each) => rowOf(metadata?.name ?? '', version, each)),
    ),
  );
}

function rowOf(group: string, version: string, found: DiscoveredResource): readonly ResourceRow[] {
  const { resource = '', responseKind, scope, shortNames = [], categories = [], verbs = [] } = found;
  const kind = responseKind?.kind ?? '';
  if (resource === '' || kind === '' || version === '') return [];
  const subresources = (found.subresources ?? []).map((each): SubresourceRow => {
    const { subresource = '', responseKind: of } = each;
    return {
      name: subresource,
      kind: of?.kind ?? '',
      ...(of?.group === undefined ? {} : { group: of.group }),
      ...(of?.version === undefined ? {} : { version: of.version }),
      verbs: (each.verbs ?? []) as readonly Verb[],
    };
  });
  return [
    {
      group,
      version,
      resource,
      kind,
      namespaced: scope === 'Namespaced',
      singular: found.singularResource ?? '',
      listKind: `${kind}List`,
      shortNames,
      categories,
      verbs: verbs as readonly Verb[],
      subresources,
    },
  ];
}
