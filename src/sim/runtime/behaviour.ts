/** The behaviour of a simulated container. It is part of the container's command, so that a manifest is the whole script. */
export interface Behaviour {
  /** It ends by itself after a random time within these bounds, ms; absent: never. */
  readonly exitAfterMs?: readonly [number, number];
  /** It does not end by itself from this attempt of its container, or of its sandbox, on. */
  readonly wellFromAttempt?: number;
  readonly wellFromSandbox?: number;
  readonly exitCode?: number;
  /** Its end is a kill for memory. */
  readonly oom?: boolean;
  /** It ignores SIGTERM. */
  readonly ignoreTerm?: boolean;
  /** From SIGTERM to its end, ms. */
  readonly stopMs?: number;
  /** Probes succeed only from this time after the start on, ms. */
  readonly readyAfterMs?: number;
  /** Probes fail between these times after the start, ms. */
  readonly failsMs?: readonly [number, number];
  /** Probes hang from this time after the start on, like those of a frozen server, ms. */
  readonly frozenAfterMs?: number;
  /** False: it listens on no port, and answers no probe over the network. */
  readonly serves?: boolean;
}

const PROGRAM = 'sim';

/** The command of a container that behaves like this. */
export function commandOf(behaviour: Behaviour): string[] {
  return [PROGRAM, JSON.stringify(behaviour)];
}

/** The behaviour in a command; a container with any other command runs until it is stopped. */
export function behaviourOf(command: readonly string[]): Behaviour {
  const [program, script] = command;
  return program === PROGRAM && script !== undefined ? (JSON.parse(script) as Behaviour) : {};
}

export type Health = 'healthy' | 'failing' | 'frozen';

/** The result of probes `ranMs` after the start. */
export function healthOf({ readyAfterMs = 0, failsMs, frozenAfterMs }: Behaviour, ranMs: number): Health {
  if (frozenAfterMs !== undefined && ranMs >= frozenAfterMs) return 'frozen';
  if (failsMs !== undefined && ranMs >= failsMs[0] && ranMs < failsMs[1]) return 'failing';
  return ranMs < readyAfterMs ? 'failing' : 'healthy';
}

/** Whether the container ends by itself in this attempt of its container and sandbox. */
export function isSick({ exitAfterMs, wellFromAttempt, wellFromSandbox }: Behaviour, attempts: Attempts): boolean {
  if (exitAfterMs === undefined) return false;
  if (wellFromAttempt !== undefined && attempts.container >= wellFromAttempt) return false;
  return wellFromSandbox === undefined || attempts.sandbox < wellFromSandbox;
}

export interface Attempts {
  readonly container: number;
  readonly sandbox: number;
}
