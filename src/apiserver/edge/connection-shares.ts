/** How many connections each kind of client may hold. Pure. */

/** Connections at once on one port, all its addresses together, where the process may open files enough. */
export const MAX_CONNECTIONS = 4096;
/** Fewest that a port gets however small the process's limit: the shares below still mean something. */
const MIN_CONNECTIONS = 64;
/** Open files that are left for everything else: store, runtime, volumes, logs, the clients of this process. */
const OTHER_FILES = 512;
/** Part of what is left that one port gets: `up` has two, and exec and proxies take a second socket for theirs. */
const PART_OF_FILES = 4;

export interface ConnectionShares {
  readonly all: number;
  /** Those that have shown no credentials and come from other machines, in all. */
  readonly strangers: number;
  /** The same of one address (an IPv6 network of 64 bits counts as one); those from this machine have so many of their own. */
  readonly strangersPerAddress: number;
  /** The connections of users who are neither agents nor masters, in all: the rest is kept for those. */
  readonly ordinary: number;
  /** The same of one such user. */
  readonly perUser: number;
  /** The connections of one agent or master: a stolen key does not lock out the others. */
  readonly perKeptUser: number;
}

/**
 * @param maxOpenFiles the process's RLIMIT_NOFILE; undefined: unknown, or none
 * @param most what is wanted where files are enough
 */
export function connectionShares(maxOpenFiles: number | undefined, most = MAX_CONNECTIONS): ConnectionShares {
  const affordable = maxOpenFiles === undefined ? most : Math.floor((maxOpenFiles - OTHER_FILES) / PART_OF_FILES);
  const all = Math.max(MIN_CONNECTIONS, Math.min(most, affordable));
  const part = (divisor: number): number => Math.max(1, Math.floor(all / divisor));
  const strangers = part(8);
  const strangersPerAddress = part(32);
  // Strangers, this machine's strangers, and the kept ones have their places whatever ordinary users do.
  const ordinary = all - strangers - strangersPerAddress - part(8);
  return { all, strangers, strangersPerAddress, ordinary, perUser: part(4), perKeptUser: part(2) };
}
