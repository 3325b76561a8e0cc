/** The addresses under which others reach this machine. */
import { openMachine } from '../kubelet/machine.node.ts';
import { outwardAddresses } from '../network/network-machine.node.ts';

/** That of the default route first, then all others but loopback's and link-local ones. */
export async function machineAddresses(): Promise<readonly string[]> {
  const { addresses } = await openMachine({ rootDir: '/', imageDir: '/' }).facts();
  return [...new Set([...addresses, ...outwardAddresses()])];
}
