import { nodeSelectorMatches } from '../../api/index.ts';
import { type Filter, unresolvable } from './filter.ts';

/** nodeSelector and required node affinity must both match. */
export const fitsAffinity: Filter = (pod, { node }) =>
  nodeSelectorMatches(pod, node) ? undefined : unresolvable("node(s) didn't match Pod's node affinity/selector");
