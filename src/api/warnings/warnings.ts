/**
 * Texts of `Warning` headers about accepted fields that are likely mistakes, or deprecated (upstream: GetWarningsForPod and
 * its siblings, one file here for each), by the rules of a kind.
 */
import type { KubeObject, Resource } from '../resource.ts';

type Warned = Pick<Resource<unknown>, 'rules'>;

/** The warning for every request for a deprecated resource; undefined for the others. */
export function deprecationOf(row: Warned): string | undefined {
  return row.rules?.deprecation;
}

/** For an object that is valid. */
export function warningsOf(row: Warned, object: KubeObject): readonly string[] {
  return row.rules?.warnings?.(object) ?? [];
}
