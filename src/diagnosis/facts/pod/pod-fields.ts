/** Tells of a variable that is of a field of its pod, and that the field is not there. Pure. */
import { nearNames } from '../../../lib/index.ts';
import type { Container, Pod } from '../../evidence/kinds.ts';
import { listed } from '../words/text.ts';

/**
 * ", which is empty, as its pod has no label shard (it has acme.io/shard)": of a variable that is of a label or annotation. The API server
 * takes a pod without it, and the node sets the variable to nothing.
 */
export function absentField({ metadata }: Pod, { env }: Container, variable: string): string {
  const path = env?.find(({ name }) => name === variable)?.valueFrom?.fieldRef?.fieldPath ?? '';
  const [, kind, key] = /^metadata\.(label|annotation)s\['([^']{1,300})'\]$/.exec(path) ?? [];
  if (kind === undefined || key === undefined) return '';
  const all = Object.keys((kind === 'label' ? metadata?.labels : metadata?.annotations) ?? {});
  if (all.includes(key)) return '';
  const bare = bareName(key);
  const same = all.filter((each) => bareName(each) === bare);
  const near = same.length > 0 ? same : nearNames(key, all);
  return `, which is empty, as its pod has no ${kind} ${key}${near.length === 0 ? '' : ` (it has ${listed(near)})`}`;
}

/** "version" of "app.kubernetes.io/version" */
function bareName(key: string): string {
  return key.split('/').at(-1) ?? key;
}
