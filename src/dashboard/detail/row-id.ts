/** Reads "kind/namespace/name" as the page sends it back. Pure. */
import { checkDns1123Subdomain } from '../../api/index.ts';
import { Refused } from '../refused.ts';

export const KINDS = ['deploy', 'sts', 'ds', 'job', 'cronjob', 'rs', 'rc', 'pod'] as const;

export interface RowId {
  readonly kind: (typeof KINDS)[number];
  readonly namespace: string;
  readonly name: string;
}

/** @param only the namespace that the page shows; undefined: all. @throws Refused */
export function rowId(parts: readonly string[], only: string | undefined): RowId {
  const [word, namespace = '', name = '', ...more] = parts;
  const kind = KINDS.find((each) => each === word);
  const [problem] = [namespace, name].flatMap((text) => checkDns1123Subdomain(text));
  if (kind === undefined || problem !== undefined || more.length > 0)
    throw new Refused(400, 'That names no workload: kind/namespace/name is wanted.');
  if (only !== undefined && namespace !== only) throw new Refused(403, `This page shows namespace ${only} alone.`);
  return { kind, namespace, name };
}
