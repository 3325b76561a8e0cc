/** Invariant: no two services share an address, or a port of the nodes. */
import type { Service } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

export function sharesNoAddress(facts: Facts): void {
  /** What is held → the UID of the service that holds it. */
  const holders = new Map<string, string>();
  const release = (uid: string): void => {
    for (const [held, holder] of holders) if (holder === uid) holders.delete(held);
  };
  facts.on({
    'service-deleted': ({ service }) => release(service.metadata?.uid ?? ''),
    'service-written': ({ service }) => {
      const { uid = '', name } = service.metadata ?? {};
      release(uid);
      for (const held of heldBy(service)) {
        if (holders.has(held)) throw new InvariantViolation('distinct addresses', `${name} has ${held} of another`);
        holders.set(held, uid);
      }
    },
  });
}

function heldBy({ spec = {} }: Service): readonly string[] {
  const addresses = (spec.clusterIPs ?? [spec.clusterIP ?? '']).filter((ip) => ip !== '' && ip !== 'None');
  const ports = (spec.ports ?? []).flatMap(({ nodePort, protocol = 'TCP' }) =>
    nodePort ? [`port ${nodePort}/${protocol}`] : [],
  );
  return [...addresses.map((ip) => `address ${ip}`), ...ports];
}
