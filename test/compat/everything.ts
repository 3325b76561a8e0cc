/** All that a server holds, for comparisons of before and after. */
import type { CompatServer } from './server.ts';

interface ApiObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion: string };
}

/** Objects that come and go by themselves, or change without anybody's request. */
const ALIVE = new Set(['events', 'leases', 'componentstatuses']);

/** "group/version resource namespace/name" of every object → its resourceVersion. */
export async function everything({ api }: CompatServer): Promise<ReadonlyMap<string, string>> {
  const { groups } = await api.get<{ groups: { preferredVersion: { groupVersion: string } }[] }>('/apis');
  const versions = ['v1', ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
  const found = new Map<string, string>();
  for (const version of versions) {
    const root = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
    const { resources } = await api.get<{ resources: { name: string; verbs: string[] }[] }>(root);
    for (const { name, verbs } of resources) {
      if (!verbs.includes('list') || ALIVE.has(name) || version.startsWith('metrics.k8s.io')) continue;
      const { items } = await api.get<{ items: ApiObject[] }>(`${root}/${name}`);
      for (const { metadata } of items)
        found.set(`${version} ${name} ${metadata.namespace ?? ''}/${metadata.name}`, metadata.resourceVersion);
    }
  }
  return found;
}

/** What is in one but not in the other, or has another resourceVersion. */
export function changes(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const changed = [...after].filter(([key, version]) => before.get(key) !== version).map(([key]) => key);
  return [...changed, ...[...before.keys()].filter((key) => !after.has(key)).map((key) => `gone: ${key}`)];
}

/** The same, once the controllers have done all that they have to do: two answers in a row are equal. */
export async function everythingAtRest(server: CompatServer): Promise<ReadonlyMap<string, string>> {
  let last = await everything(server);
  for (;;) {
    await new Promise((done) => setTimeout(done, 300));
    const now = await everything(server);
    if (changes(last, now).length === 0) return now;
    last = now;
  }
}
