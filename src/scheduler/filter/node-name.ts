import { type Filter, unresolvable } from './filter.ts';

/** A pod that names a node fits no other. */
export const fitsNodeName: Filter = (pod, { node }) => {
  const wanted = pod.spec?.nodeName ?? '';
  const fits = wanted === '' || wanted === node.metadata?.name;
  return fits ? undefined : unresolvable("node(s) didn't match the requested node name");
};
