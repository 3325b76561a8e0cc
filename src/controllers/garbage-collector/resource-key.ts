/** Keys of objects of any kind: `apps/replicasets|NAMESPACE/NAME`. */
import type { ResourceRow } from '../../api/index.ts';

export function resourceKey(row: Pick<ResourceRow, 'group' | 'resource'>, objectKey: string): string {
  return `${row.group}/${row.resource}|${objectKey}`;
}

/** The two parts of a key: which resource, and `namespace/name` (or `name`). Names may hold any character but "/". */
export function splitResourceKey(key: string): { readonly resource: string; readonly objectKey: string } {
  const bar = key.indexOf('|');
  return { resource: key.slice(0, bar), objectKey: key.slice(bar + 1) };
}
