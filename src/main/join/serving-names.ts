/** The names in the certificate of a node's own port. */
import { isLoopback } from '../addresses.ts';
import type { Names } from './renew-certificates.ts';

/**
 * The names that the node's status shows: a server checks that a certificate has no other, and dials its nodes by their
 * addresses. Beside our server on one machine a node has no address to itself; that server refuses it, and its name is
 * enough. Any other server signs for addresses, and needs them.
 * @param known.server its URL
 * @param known.machineAddresses all of the machine, also those that the node does not show
 * @param known.isOurs asks whether the server is mendlet's, if it matters; may reject
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
