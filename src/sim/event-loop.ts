/** The real event loop under the simulator, and a guard against real time, randomness and files. */
export interface EventLoop {
  /** Resolves after one turn, when every promise chain without outside waits has run. */
  turn(): Promise<void>;
  /** Makes real time, timers, randomness and files throw for our own code, until `release`. */
  guard(): DeterminismGuard;
}

export interface DeterminismGuard {
  /** The first leak since the last call. It is recorded, because the code may have swallowed the exception. */
  violation(): DeterminismViolation | undefined;
  /** Kinds of handles and requests that are open now and were not when the guard began (files, sockets, timers). */
  pending(): readonly string[];
  release(): void;
}

/** Simulated code touched the real world. */
export class DeterminismViolation extends Error {
  override readonly name = 'DeterminismViolation';
}
