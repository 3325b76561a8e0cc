/** All filters in upstream's order; the first that refuses a node speaks for it. Pure. */
import type { Pod } from '../../api/index.ts';
import type { NodeInfo } from '../node-info.ts';
import type { Filter, Misfit } from './filter.ts';
import { fitsAffinity } from './node-affinity.ts';
import { fitsNodeName } from './node-name.ts';
import { fitsPorts } from './node-ports.ts';
import { fitsResources } from './node-resources.ts';
import { fitsSchedulable, fitsTaints } from './taints.ts';

const FILTERS: readonly Filter[] = [fitsSchedulable, fitsNodeName, fitsTaints, fitsAffinity, fitsPorts, fitsResources];

export function filterNode(pod: Pod, info: NodeInfo): Misfit | undefined {
  for (const filter of FILTERS) {
    const misfit = filter(pod, info);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}
