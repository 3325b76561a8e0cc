/** Filter: the pod's node selector and node affinity. Pure. */
import { type NodeSelectorTerm, nodeSelectorMatches, type Pod } from '../../api/index.ts';
import { type Filter, unresolvable } from './filter.ts';

/** nodeSelector and required node affinity must both match. */
export const nodeAffinity: Filter = {
  name: 'NodeAffinity',
  prepare({ pod }) {
    const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (required === undefined && Object.keys(pod.spec?.nodeSelector ?? {}).length === 0) return undefined;
    const nodeNames = namesOf(pod);
    if (nodeNames?.size === 0) return { rejection: 'pod affinity terms conflict' };
    const misfit = unresolvable('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
    return {
      check: ({ node }) => (node !== undefined && nodeSelectorMatches(pod, node) ? undefined : misfit),
      ...(nodeNames === undefined ? {} : { nodeNames }),
    };
  },
};

/** The only nodes that terms on `metadata.name` allow, as DaemonSets have them; no other node need be examined. */
function namesOf(pod: Pod): ReadonlySet<string> | undefined {
  const terms =
    pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const term of terms) {
    const ofTerm = namesOfTerm(term);
    // A term without names may match any node.
    if (ofTerm === undefined) return undefined;
    for (const name of ofTerm) names.add(name);
  }
  return names;
}

function namesOfTerm({ matchFields = [] }: NodeSelectorTerm): ReadonlySet<string> | undefined {
  let names: ReadonlySet<string> | undefined;
  for (const { key, operator, values = [] } of matchFields) {
    if (key !== 'metadata.name' || operator !== 'In') continue;
    names = names === undefined ? new Set(values) : new Set(values.filter((value) => names?.has(value)));
  }
  return names;
}
