/** Whom the certificate of a node's own port is for. */
import { isLoopback } from '../addresses.ts';
import type { Names } from './renew-certificates.ts';

/**
 * What the node's status shows: a server checks that a certificate is for nothing else, and dials its nodes by their addresses.
 * Beside our server on one machine a node has no address to itself, which that server refuses, and its name is enough; any
 * other signs for addresses, and needs them.
 *
 * @param known.server its URL
 * @param known.machineAddresses all of the machine, also those that the node does not show
 * @param known.isOurs asks the server whose it is, if it matters; may reject
 */
export async function servingNames(known: {
  readonly nodeName: string;
  readonly addresses: readonly string[];
  readonly machineAddresses: readonly string[];
  readonly server: string;
  readonly isOurs: () => Promise<boolean>;
}): Promise<Names> {
  const host = new URL(known.server).hostname.replace(/^\[|\]$/g, '');
  const isBeside = isLoopback({ host }) || known.machineAddresses.includes(host);
  const ipAddresses = isBeside && (await known.isOurs()) ? [] : known.addresses;
  return { dnsNames: [known.nodeName], ipAddresses };
}
