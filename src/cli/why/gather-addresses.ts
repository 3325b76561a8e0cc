/** Gathers which pods have the addresses at which a failing pod was refused: programs keep those of pods that are long gone. */
import { isConditionTrue, type Node, type Pod, PODS } from '../../api/index.ts';
import type { AddressEvidence } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_ADDRESSES_ASKED } from './limits.ts';

/**
 * Addresses of the pods' network, as far as the node of this pod tells it. Where it tells none, pods share their network with machines, and
 * an address that no pod has may be anybody's.
 */
export async function gatherAddresses(
  asker: Asker,
  { spec, status }: Pod,
  node: Node | undefined,
  addresses: readonly string[],
): Promise<readonly AddressEvidence[]> {
  const own = status?.podIP ?? '';
  const network = /^\d{1,3}\.\d{1,3}\./.exec(node?.spec?.podCIDR ?? '')?.[0];
  if (network === undefined || spec?.hostNetwork === true || !own.startsWith(network)) return [];
  const wanted = addresses.filter((each) => each.startsWith(network) && each !== own).slice(0, MAX_ADDRESSES_ASKED);
  const found = await Promise.all(
    wanted.map(async (address): Promise<readonly AddressEvidence[]> => {
      // Pods that have ended keep the address that they had.
      const fieldSelector = `status.podIP=${address},status.phase!=Succeeded,status.phase!=Failed`;
      const query = { fieldSelector, limit: 1 };
      const pods = await asker.listAll(`pods with address ${address}`, PODS, query);
      if (pods === undefined) return [];
      const [holder] = pods;
      if (holder === undefined) return [{ address }];
      return [
        {
          address,
          pod: { name: holder.metadata?.name ?? '', ready: isConditionTrue(holder.status?.conditions, 'Ready') },
        },
      ];
    }),
  );
  return found.flat();
}
