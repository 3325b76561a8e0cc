/** Invariant: no two nodes have the same pods' network, and no node routes packets for its own pods to another. */
import { parseIpv4Range } from '../../../api/index.ts';
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';

export function oneNetwork({ stored, nodes, sim }: Fleet): void {
  stored.nodes.onChange((name, node) => {
    for (const [other, { spec }] of stored.nodes.objects) {
      if (other === name || !overlap(spec?.podCIDR, node?.spec?.podCIDR)) continue;
      throw new InvariantViolation('one network', `${name} and ${other} both have ${node?.spec?.podCIDR}`);
    }
  });
  for (const { name, network } of nodes) {
    network.onRoute(({ dst, gateway }) => {
      const own = stored.nodes.objects.get(name)?.spec?.podCIDR;
      if (!overlap(dst, own)) return;
      sim.fail(new InvariantViolation('one network', `${name} sends its own ${dst} to ${gateway}`));
    });
  }
}

function overlap(one: string | undefined, other: string | undefined): boolean {
  const [a, b] = [parseIpv4Range(one ?? ''), parseIpv4Range(other ?? '')];
  return a !== undefined && b !== undefined && a.base < b.base + b.size && b.base < a.base + a.size;
}
