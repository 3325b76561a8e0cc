/** What of the cluster is not heard, and what the viewer may not see: it is said, and nothing is called well without it. Pure. */
import type { Failure } from '../../cli/index.ts';
import { maskSecrets } from '../../log-analysis/index.ts';
import type { PageVerdict, Staleness } from '../../page/index.ts';
import { MAX_TEXT } from '../limits.ts';

export interface Gaps {
  /** Kinds that the viewer may not list. */
  readonly forbidden: readonly string[];
  readonly stale?: Staleness;
}

/** @param aheadMs the cluster's clock minus ours: the page has the cluster's times */
export function gapsOf(failures: readonly Failure[], aheadMs: number): Gaps {
  const isForbidden = ({ problem }: Failure): boolean => /\bforbidden\b/i.test(problem);
  const forbidden = failures.filter(isForbidden).map(({ resource }) => resource);
  const [first, ...others] = failures.filter((each) => !isForbidden(each)).toSorted((a, b) => a.since - b.since);
  if (first === undefined) return { forbidden };
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const problem = maskSecrets(`no word of ${first.resource}${more}: ${first.problem}`).slice(0, MAX_TEXT);
  return { forbidden, stale: { since: first.since + aheadMs, problem } };
}

/** The verdict as far as it can be given. */
export function verdictWith(verdict: PageVerdict, { forbidden }: Gaps, namespace: string | undefined): PageVerdict {
  if (forbidden.length === 0) return verdict;
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  if (forbidden.includes('pods')) {
    const way = namespace === undefined ? '; "mendlet dashboard -n NAMESPACE" shows one' : '';
    return { mood: 'troubled', text: `You may not list pods ${where}${way}` };
  }
  return { ...verdict, text: `${verdict.text}; not shown, as you may not list them: ${forbidden.join(', ')}` };
}
