/** Makes the trials of healthy programs: what happens to them while they run. */
import type { Trial } from '../trial.ts';

export type Base = Pick<Trial, 'program' | 'run'> & Partial<Trial>;

/** Trials of one program; `waitSeconds` after its start each `during` acts on it. */
export const well = (
  base: Base,
  waitSeconds: number,
  all: readonly (readonly [name: string, during: string])[],
): readonly Trial[] =>
  all.map(([name, during]) => ({
    ...base,
    name: `well-${name}`,
    family: 'healthy',
    truth: { healthy: true },
    during: `sleep ${waitSeconds}; ${during}; sleep 0.3`,
    seconds: waitSeconds + 4,
  }));

export const curl = (url: string): string => `curl -sk -o /dev/null ${url}`;
/** A request that is none. */
export const garbage = (port: number): string => `printf 'GET / nonsense\\r\\n\\r\\n' | nc -w1 127.0.0.1 ${port}`;
