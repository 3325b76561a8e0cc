/** What a simulated container does with its life. It travels in the pod's own command, so a manifest is the whole script. */
export interface Behaviour {
  /** It ends by itself this long after its start, ms, drawn in between; absent: never. */
  readonly exitAfterMs?: readonly [number, number];
  /** Sick only so long: it stays from this attempt of its container, or of its sandbox, on. */
  readonly wellFromAttempt?: number;
  readonly wellFromSandbox?: number;
  readonly exitCode?: number;
  /** It ends because it wants too much memory. */
  readonly oom?: boolean;
  /** It does not heed SIGTERM. */
  readonly ignoreTerm?: boolean;
  /** From SIGTERM to its end, ms. */
  readonly stopMs?: number;
  /** Probes succeed only so long after the start, ms. */
  readonly readyAfterMs?: number;
  /** Probes hang from so long after the start on, ms: a frozen server. */
  readonly frozenAfterMs?: number;
  /** False: it listens on no port, and answers no probe that comes over the network. */
  readonly serves?: boolean;
}

const PROGRAM = 'sim';

/** The command of a container that behaves like this. */
export function commandOf(behaviour: Behaviour): string[] {
  return [PROGRAM, JSON.stringify(behaviour)];
}

/** Of a command that is no script of ours: runs until it is told to stop. */
export function behaviourOf(command: readonly string[]): Behaviour {
  const [program, script] = command;
  return program === PROGRAM && script !== undefined ? (JSON.parse(script) as Behaviour) : {};
}

export type Health = 'healthy' | 'failing' | 'frozen';

/** How it answers probes `ranMs` after its start. */
export function healthOf({ readyAfterMs = 0, frozenAfterMs }: Behaviour, ranMs: number): Health {
  if (frozenAfterMs !== undefined && ranMs >= frozenAfterMs) return 'frozen';
  return ranMs < readyAfterMs ? 'failing' : 'healthy';
}

/** It ends by itself, in this attempt of its container and sandbox. */
export function isSick({ exitAfterMs, wellFromAttempt, wellFromSandbox }: Behaviour, attempts: Attempts): boolean {
  if (exitAfterMs === undefined) return false;
  if (wellFromAttempt !== undefined && attempts.container >= wellFromAttempt) return false;
  return wellFromSandbox === undefined || attempts.sandbox < wellFromSandbox;
}

export interface Attempts {
  readonly container: number;
  readonly sandbox: number;
}
