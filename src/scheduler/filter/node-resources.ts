/** Filter: the node has room for the pod's requests. Pure. */
import type { Filter } from './filter.ts';

/** The node's free cpu, memory, pods and other counted resources must suffice. All shortages are named. */
export const nodeResourcesFit: Filter = {
  name: 'NodeResourcesFit',
  prepare({ amounts }) {
    const wanted = Object.entries(amounts).filter(([, amount]) => amount > 0);
    return {
      check: ({ allocatable, requested, podCount }) => {
        let reasons: string[] | undefined;
        let helpful = true;
        if (podCount + 1 > (allocatable['pods'] ?? 0)) reasons = ['Too many pods'];
        for (const [name, amount] of wanted) {
          const all = allocatable[name] ?? 0;
          if (amount <= all - (requested[name] ?? 0)) continue;
          (reasons ??= []).push(`Insufficient ${name}`);
          // The request exceeds the whole node, so preemption cannot help.
          if (amount > all) helpful = false;
        }
        return reasons === undefined ? undefined : { filter: 'NodeResourcesFit', reasons, resolvable: helpful };
      },
    };
  },
};
