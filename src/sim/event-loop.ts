/** The one real thing under the simulator: turns of the event loop, and a watch over everything that must not be real. */
export interface EventLoop {
  /** Resolves after one turn: every promise chain that waits for nothing outside has run. */
  turn(): Promise<void>;
  /** Poisons real time, timers, randomness and files for our own code, until `release`. */
  guard(): DeterminismGuard;
}

export interface DeterminismGuard {
  /** The first leak since the last call: recorded, because the code that leaked may have swallowed its exception. */
  violation(): DeterminismViolation | undefined;
  /** Kinds of handles and requests that are open now and were not when the guard began (files, sockets, timers). */
  pending(): readonly string[];
  release(): void;
}

/** Simulated code touched the real world. */
export class DeterminismViolation extends Error {
  override readonly name = 'DeterminismViolation';
}
