/**
 * Decides whether this process may trust its own view of the nodes. It judges them by their silence, but a process that was
 * asleep, cut off, overloaded or has only just begun hears no node. Then all nodes get their whole grace period again, counted
 * from when the process is well. Pure; decision 0028 has the reasons.
 *
 *   well ──(late, clock jumped, own heartbeat not written or not seen back)──► ill ──(own heartbeat came back)──► well, since now
 */

export type Suspicion =
  | { readonly cause: 'started' }
  /** Our own timer fired this much too late. */
  | { readonly cause: 'asleep'; readonly lateMs: number }
  /** The wall clock and the monotonic one disagree: the machine was suspended, or somebody set the clock. */
  | { readonly cause: 'clock'; readonly jumpMs: number }
  /** Our own heartbeat was not taken by the API server in time. */
  | { readonly cause: 'api'; readonly error: string }
  /** Data of the API server did not reach us in time. */
  | { readonly cause: 'watch'; readonly behind: string }
  /** No node at all was heard of for so long; then one was. */
  | { readonly cause: 'silence'; readonly silentMs: number };

export interface Trust {
  /** Mono ms since when we are well; undefined: we are not. */
  readonly wellSince: number | undefined;
  /** Why we were, or are, not. */
  readonly suspicion: Suspicion;
  /** Both clocks when we last looked at ourselves. */
  readonly looked: { readonly wall: number; readonly mono: number };
  /** Mono ms when we look next. */
  readonly dueAt: number;
  /** Mono ms when any lease of a node but our own was last renewed; undefined: none was yet. */
  readonly heardAt: number | undefined;
  /** Nodes, other than our own, that have a lease. */
  readonly others: number;
  /**
   * The nodes that were heard of shortly before `heardAt`, including that one: nodes that have been silent since then fell
   * silent together.
   */
  readonly together: number;
}

export interface TrustSettings {
  readonly graceMs: number;
  /** Between two own heartbeats. */
  readonly periodMs: number;
  /** More than this is no hiccup. */
  readonly toleranceMs: number;
  /** This long without any node's heartbeat is suspicious. */
  readonly silenceMs: number;
}

interface Now {
  readonly wall: number;
  readonly mono: number;
}

/** A process that begins knows of no heartbeat: it is not well before its own first one came back. */
export function beginTrust(now: Now): Trust {
  return {
    wellSince: undefined,
    suspicion: { cause: 'started' },
    looked: now,
    dueAt: now.mono,
    heardAt: undefined,
    others: 0,
    together: 0,
  };
}

/** Looks at our own clocks; to be called before each verdict. */
export function look(trust: Trust, now: Now, { toleranceMs }: TrustSettings): Trust {
  const looked = { ...trust, looked: now };
  const lateMs = now.mono - trust.dueAt;
  if (lateMs > toleranceMs) return doubt({ ...looked, dueAt: now.mono }, { cause: 'asleep', lateMs });
  const jumpMs = now.wall - trust.looked.wall - (now.mono - trust.looked.mono);
  if (Math.abs(jumpMs) > toleranceMs) return doubt(looked, { cause: 'clock', jumpMs });
  return looked;
}

export function doubt(trust: Trust, suspicion: Suspicion): Trust {
  return { ...trust, wellSince: undefined, suspicion: trust.wellSince === undefined ? trust.suspicion : suspicion };
}

/** Our own heartbeat was written and came back. */
export function recover(trust: Trust, mono: number): Trust {
  return trust.wellSince === undefined ? { ...trust, wellSince: mono } : trust;
}

/**
 * The lease of another node than our own was renewed. The first one after a silence of all nodes restarts everybody's grace
 * period.
 */
export function hear(trust: Trust, mono: number, { silenceMs }: TrustSettings): Trust {
  const silentMs = trust.heardAt === undefined ? 0 : mono - trust.heardAt;
  const heard = { ...trust, heardAt: mono };
  return silentMs <= silenceMs || trust.others < 2 ? heard : restart(heard, mono, silentMs);
}

/** A silence of all nodes is over: it was no problem of each single node. */
export function restart(trust: Trust, mono: number, silentMs: number): Trust {
  if (trust.wellSince === undefined) return trust;
  return { ...trust, wellSince: mono, suspicion: { cause: 'silence', silentMs } };
}

/**
 * Mono ms from which a lost node's pods may be sent away; Infinity while we are not well, and while all nodes that were there
 * fell silent together, because then the problem is ours, or one that no eviction would help. A node counts as lost after a
 * grace period at least; the last one of all after two.
 */
export function mayEvictAt(trust: Trust, mono: number, { graceMs, silenceMs }: TrustSettings): number {
  if (trust.wellSince === undefined) return Number.POSITIVE_INFINITY;
  const well = trust.wellSince + graceMs;
  const isSilent = trust.heardAt !== undefined && mono - trust.heardAt > silenceMs;
  if (!isSilent) return well;
  return trust.together >= 2 ? Number.POSITIVE_INFINITY : Math.max(well, trust.heardAt + 2 * graceMs);
}

/** One line for logs and events. */
export function describe(suspicion: Suspicion): string {
  switch (suspicion.cause) {
    case 'started':
      return 'the controller has just begun';
    case 'asleep':
      return `the controller did not run for ${seconds(suspicion.lateMs)}`;
    case 'clock':
      return `the clock jumped by ${seconds(suspicion.jumpMs)}`;
    case 'api':
      return `the API server did not take the controller's own heartbeat: ${suspicion.error}`;
    case 'watch':
      return `the controller sees the cluster's past: ${suspicion.behind}`;
    case 'silence':
      return `no node was heard of for ${seconds(suspicion.silentMs)}`;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
