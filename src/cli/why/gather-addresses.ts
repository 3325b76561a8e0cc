/** Gathers which pods have the addresses at which a failing pod was refused: programs keep those of pods that are long gone. */
import { isConditionTrue, type Pod, PODS } from '../../api/index.ts';
import type { AddressEvidence } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_ADDRESSES_ASKED } from './limits.ts';

/** Addresses that look like those of pods: of the network of this pod's own. */
export async function gatherAddresses(
  asker: Asker,
  pod: Pod,
  addresses: readonly string[],
): Promise<readonly AddressEvidence[]> {
  const own = pod.status?.podIP ?? '';
  const network = /^\d{1,3}\.\d{1,3}\./.exec(own)?.[0];
  if (network === undefined) return [];
  const wanted = addresses.filter((each) => each.startsWith(network) && each !== own).slice(0, MAX_ADDRESSES_ASKED);
  const found = await Promise.all(
    wanted.map(async (address): Promise<readonly AddressEvidence[]> => {
      const query = { fieldSelector: `status.podIP=${address}`, limit: 2 };
      const pods = await asker.listAll(`pods with address ${address}`, PODS, query);
      if (pods === undefined) return [];
      const [holder] = pods.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
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
