/** Checks whether another program uses the pods' network, before anything is made. */
import type { Cidr } from '../cli/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import { NetworkInUseError, refuseTakenNetwork as refuse } from '../network/index.ts';
import { openNetworkMachine } from '../network/network-machine.node.ts';
import { UserError } from './user-error.ts';

/** @throws UserError when a route is in the way. Other reasons not to have the network are found when it is made. */
export async function refuseTakenNetwork({ text }: Cidr): Promise<void> {
  try {
    await refuse(openNetworkMachine(systemProcess), text);
  } catch (error) {
    if (error instanceof NetworkInUseError) throw new UserError(error.message, { cause: error });
  }
}
