/** Filter: the node that the pod names. Pure. */
import { type Filter, unresolvable } from './filter.ts';

/** A pod that names a node fits no other. */
export const nodeName: Filter = {
  name: 'NodeName',
  prepare({ pod }) {
    const wanted = pod.spec?.nodeName ?? '';
    if (wanted === '') return undefined;
    const misfit = unresolvable('NodeName', "node(s) didn't match the requested node name");
    return { check: ({ name }) => (name === wanted ? undefined : misfit) };
  },
};
