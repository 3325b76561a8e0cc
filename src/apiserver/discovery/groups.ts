/** /api, /apis and /apis/G, plain and aggregated (KEP-3352). */
import { apiVersionOf, compareVersions, type ResourceRow, type SubresourceRow } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { acceptsJson, parseAccept } from '../http/negotiate.ts';
import { jsonResponse } from '../http/respond.ts';

const AGGREGATED = 'apidiscovery.k8s.io';

/** Groups in the order of their first row; "" is core. */
export function groupNames(rows: readonly ResourceRow[]): readonly string[] {
  return [...new Set(rows.map((row) => row.group))];
}

/** The versions of a group, the preferred one first. */
export function versionsOf(group: string, rows: readonly ResourceRow[]): readonly string[] {
  const versions = new Set(rows.filter((row) => row.group === group).map((row) => row.version));
  return [...versions].sort(compareVersions);
}

/** /api (`core`) or /apis. `rows`: all that is served, here and below. */
export function groupsResponse(rows: readonly ResourceRow[], core: boolean, accept: string | undefined): HttpResponse {
  const names = groupNames(rows).filter((name) => (name === '') === core);
  const version = aggregatedVersion(accept);
  if (version !== undefined) return aggregatedResponse(rows, names, version);
  if (!core)
    return jsonResponse(200, {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: names.map((name) => groupOf(rows, name)),
    });
  const anywhere = [{ clientCIDR: '0.0.0.0/0', serverAddress: '' }];
  return jsonResponse(200, {
    kind: 'APIVersions',
    versions: versionsOf('', rows),
    serverAddressByClientCIDRs: anywhere,
  });
}

/** /apis/G; undefined for a group that is not served. */
export function groupResponse(rows: readonly ResourceRow[], group: string): HttpResponse | undefined {
  if (group === '' || !groupNames(rows).includes(group)) return undefined;
  return jsonResponse(200, { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(rows, group) });
}

function groupOf(rows: readonly ResourceRow[], name: string): object {
  const versions = versionsOf(name, rows).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

/** /api/V or /apis/G/V; undefined when it is not served. */
export function resourcesResponse(
  all: readonly ResourceRow[],
  group: string,
  version: string,
): HttpResponse | undefined {
  const rows = all.filter((row) => row.group === group && row.version === version);
  const [first] = rows;
  if (first === undefined) return undefined;
  const groupVersion = apiVersionOf(first);
  const resources = rows.flatMap((row) => [
    resourceOf(row),
    ...row.subresources.map((entry) => subresourceOf(row, entry)),
  ]);
  return jsonResponse(200, {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: resources.sort(byName),
  });
}

interface ApiResource {
  readonly name: string;
}

function byName(a: ApiResource, b: ApiResource): number {
  return a.name < b.name ? -1 : 1;
}

function resourceOf(row: ResourceRow): ApiResource {
  return {
    name: row.resource,
    singularName: row.singular,
    namespaced: row.namespaced,
    kind: row.kind,
    verbs: row.verbs,
    ...optionalWords(row),
  } as ApiResource;
}

function optionalWords(row: ResourceRow): object {
  return {
    ...(row.shortNames.length === 0 ? {} : { shortNames: row.shortNames }),
    ...(row.categories.length === 0 ? {} : { categories: row.categories }),
  };
}

function subresourceOf(row: ResourceRow, entry: SubresourceRow): ApiResource {
  return {
    name: `${row.resource}/${entry.name}`,
    singularName: '',
    namespaced: row.namespaced,
    ...(entry.group === undefined ? {} : { group: entry.group, version: entry.version }),
    kind: entry.kind,
    verbs: entry.verbs,
  } as ApiResource;
}

type AggregatedVersion = 'v2' | 'v2beta1';

function aggregatedVersion(accept: string | undefined): AggregatedVersion | undefined {
  for (const clause of parseAccept(accept)) {
    if (!acceptsJson(clause)) continue;
    const { as, g, v } = clause.params;
    if (as === undefined) return undefined;
    if (as === 'APIGroupDiscoveryList' && g === AGGREGATED && (v === 'v2' || v === 'v2beta1')) return v;
  }
  return undefined;
}

function aggregatedResponse(
  rows: readonly ResourceRow[],
  names: readonly string[],
  version: AggregatedVersion,
): HttpResponse {
  const items = names.map((name) => ({
    metadata: { ...(name === '' ? {} : { name }), creationTimestamp: null },
    versions: versionsOf(name, rows).map((served) => ({
      version: served,
      resources: rows.filter((row) => row.group === name && row.version === served).map(discoveryOf),
      freshness: 'Current',
    })),
  }));
  const list = { kind: 'APIGroupDiscoveryList', apiVersion: `${AGGREGATED}/${version}`, metadata: {}, items };
  const type = `application/json;g=${AGGREGATED};v=${version};as=APIGroupDiscoveryList`;
  return jsonResponse(200, list, { 'content-type': type, vary: 'Accept' });
}

function discoveryOf(row: ResourceRow): object {
  return {
    resource: row.resource,
    responseKind: { group: row.group, version: row.version, kind: row.kind },
    scope: row.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: row.singular,
    verbs: row.verbs,
    ...optionalWords(row),
    ...(row.subresources.length === 0
      ? {}
      : {
          subresources: row.subresources.map((entry) => ({
            subresource: entry.name,
            responseKind: { group: entry.group ?? row.group, version: entry.version ?? row.version, kind: entry.kind },
            verbs: entry.verbs,
          })),
        }),
  };
}
