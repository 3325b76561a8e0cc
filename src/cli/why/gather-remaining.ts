/** Gathers the objects that keep a namespace from going, of the resources that its conditions name. */
import type { Namespace } from '../../api/index.ts';
import { type RemainingObject, type RemainingResource, remainingResources } from '../../diagnosis/index.ts';
import { type Asker } from './ask.ts';
import { MAX_REMAINING_BYTES, MAX_REMAINING_LISTED, MAX_REMAINING_RESOURCES } from './limits.ts';

/** Undefined: the namespace does not go, or its conditions name nothing that is left. */
export async function gatherRemaining(
  asker: Asker,
  namespace: Namespace,
): Promise<readonly RemainingObject[] | undefined> {
  const resources = remainingResources(namespace);
  if (resources.length === 0) return undefined;
  const name = namespace.metadata?.name ?? '';
  if (resources.length > MAX_REMAINING_RESOURCES) {
    asker.note(`what is left of ${resources.length - MAX_REMAINING_RESOURCES} more resources in namespace ${name}`);
  }
  const lists = await Promise.all(
    resources.slice(0, MAX_REMAINING_RESOURCES).map((resource) => objectsOf(asker, name, resource)),
  );
  return lists.flat();
}

interface RawList {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string; readonly finalizers?: readonly string[] };
  }[];
}

/** Those with finalizers; only their names and finalizers are kept. */
async function objectsOf(
  asker: Asker,
  namespace: string,
  { resource, group }: RemainingResource,
): Promise<readonly RemainingObject[]> {
  const full = group === '' ? resource : `${resource}.${group}`;
  const what = `${full} in namespace ${namespace}`;
  const base = group === '' ? '/api/v1' : await baseOf(asker, group);
  if (base === undefined) return [];
  const path = `${base}/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(resource)}`;
  const list = await json<RawList>(asker, what, `${path}?limit=${MAX_REMAINING_LISTED}`);
  const kind = list?.kind?.replace(/List$/, '') ?? resource;
  return (list?.items ?? []).flatMap(({ metadata: { name = '', finalizers = [] } = {} }) =>
    finalizers.length === 0 ? [] : [{ kind, resource: full, name, finalizers }],
  );
}

/** The path of the group's preferred version. */
async function baseOf(asker: Asker, group: string): Promise<string | undefined> {
  const path = `/apis/${encodeURIComponent(group)}`;
  const found = await json<{ preferredVersion?: { groupVersion?: string } }>(asker, `API group ${group}`, path);
  const version = found?.preferredVersion?.groupVersion;
  return version === undefined ? undefined : `/apis/${version}`;
}

async function json<T>(asker: Asker, what: string, path: string): Promise<T | undefined> {
  const answer = await asker.text(what, path, MAX_REMAINING_BYTES);
  if (answer.kind !== 'found') return undefined;
  try {
    return JSON.parse(answer.value) as T;
  } catch {
    asker.note(`${what}: the answer is no JSON`);
    return undefined;
  }
}
