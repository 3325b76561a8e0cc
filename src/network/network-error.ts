/** Why the pods' network, or its packet filter, cannot be had, in words for the user. */

/** The network cannot be had or read; `message` is for the user. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** Something else on this machine has the network, or a part of it. */
export class NetworkInUseError extends NetworkError {}
