/** Scores: preferred node affinity, and PreferNoSchedule taints. */
import { nodeSelectorTermMatches, type Taint, type Toleration, tolerationCovers } from '../../api/index.ts';
import { normalize, type Score } from './score.ts';

/** The sum of the weights of preferred terms that match. */
export const preferredNodeAffinity: Score = ({ pod }, candidates) => {
  const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (terms.length === 0) return undefined;
  return normalize(
    candidates.map(({ node }) =>
      terms.reduce(
        (sum, { preference, weight }) =>
          sum + (node !== undefined && nodeSelectorTermMatches(preference, node) ? weight : 0),
        0,
      ),
    ),
  );
};

/** Fewer PreferNoSchedule taints that the pod does not tolerate are better. */
export const softTaints: Score = ({ pod }, candidates) => {
  const tolerations = pod.spec?.tolerations ?? [];
  return normalize(
    candidates.map(({ node }) => (node?.spec?.taints ?? []).filter((taint) => discourages(taint, tolerations)).length),
    true,
  );
};

function discourages(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return taint.effect === 'PreferNoSchedule' && !tolerations.some((toleration) => tolerationCovers(toleration, taint));
}
