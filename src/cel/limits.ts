/** Upstream's limits of what expressions may cost (apiserver/pkg/apis/cel/config, apiextensions validation). Pure. */

/** One evaluation. */
export const PER_CALL_LIMIT = 1_000_000;
/** All rules of one object together. */
export const PER_OBJECT_LIMIT = 10_000_000;
/** The estimate of one rule, times how often it may run. */
export const ESTIMATE_PER_RULE = 10_000_000;
/** The estimates of all rules of one CustomResourceDefinition together. */
export const ESTIMATE_PER_DEFINITION = 100_000_000;

/**
 * What upstream says of an estimate that is beyond its limit; undefined when it is within. `name` is what costs, such as
 * `estimated rule cost` or `contributed estimated rule & messageExpression cost`.
 */
export function estimateProblem(name: string, estimate: number, limit: number): string | undefined {
  if (estimate <= limit) return undefined;
  const factor = estimate / limit;
  const advice =
    '(try simplifying the rule(s), or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
  return `${name} exceeds budget by factor of ${formatFactor(factor)} ${advice}`;
}

function formatFactor(factor: number): string {
  if (factor > 100) return 'more than 100x';
  return factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
}
