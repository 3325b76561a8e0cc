/** Checks whether another program uses the pods' network, before anything is made. */
import type { Cidr } from '../cli/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import {
  NetworkInUseError,
  refuseTakenNetwork as refuse,
  refuseTakenServiceNetwork as refuseServices,
} from '../network/index.ts';
import { openNetworkMachine } from '../network/network-machine.node.ts';
import { UserError } from './user-error.ts';

/** @throws UserError when a route is in the way. Other reasons not to have the network are found when it is made. */
export async function refuseTakenNetwork({ text }: Cidr): Promise<void> {
  await refusing(() => refuse(openNetworkMachine(systemProcess), text));
}

/** The same for the network of services. @throws UserError */
export async function refuseTakenServiceNetwork(cidr: string): Promise<void> {
  await refusing(() => refuseServices(openNetworkMachine(systemProcess), cidr));
}

async function refusing(check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof NetworkInUseError) throw new UserError(error.message, { cause: error });
  }
}
