/** The addresses under which others reach this machine. */
import { networkInterfaces } from 'node:os';
import { openMachine } from '../kubelet/machine.node.ts';

/** More would only make certificates long. */
const MAX_ADDRESSES = 16;

/** That of the default route first, then all others but loopback's and link-local ones. */
export async function machineAddresses(): Promise<readonly string[]> {
  const { addresses } = await openMachine({ rootDir: '/', imageDir: '/' }).facts();
  return [...new Set([...addresses, ...outwardAddresses()])];
}

export function outwardAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0)
    .map(({ address }) => address)
    .slice(0, MAX_ADDRESSES);
}
