/** Bounds of services. */

/** The range of services' addresses (upstream's default is 10.0.0.0/24; ours is larger, and apart from pods). */
export const DEFAULT_SERVICE_CIDR = '10.96.0.0/16';
/** Upstream: --service-node-port-range. */
export const NODE_PORTS = { first: 30_000, last: 32_767 } as const;
/** The lower part, which is given out last, so that people can choose from it (KEP-3070 and KEP-3668). */
export const MIN_STATIC_ADDRESSES = 16;
export const MAX_STATIC_ADDRESSES = 256;
export const STATIC_NODE_PORTS = 86;
