/** Bounds of services. */

/** The range of services' addresses (upstream's default is 10.0.0.0/24; ours is larger, and apart from pods). */
export const DEFAULT_SERVICE_CIDR = '10.96.0.0/16';
/** Upstream: --service-node-port-range. */
export const NODE_PORTS = { first: 30_000, last: 32_767 } as const;
/** The lower part, which is given out last, so that people can choose from it (KEP-3070 and KEP-3668). */
export const MIN_STATIC_ADDRESSES = 16;
export const MAX_STATIC_ADDRESSES = 256;
export const STATIC_NODE_PORTS = 86;
/** An address whose service is not there (yet) is left alone for so long: another server may be about to write the service. */
export const ORPHAN_ADDRESS_GRACE_MS = 60_000;
/** The service of the cluster's DNS has the tenth address of the range. */
export const DNS_ADDRESS_OFFSET = 10;
