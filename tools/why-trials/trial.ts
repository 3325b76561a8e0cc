/** What a trial is: a real program with a fault that is fixed before the run, and what a diagnosis must say of it. */

export interface Trial {
  /** "postgres"; recordings are kept and split by program. */
  readonly program: string;
  /** Unique within its program: "port-taken". */
  readonly name: string;
  /** "peer", "file", "config", "code", "limit" … */
  readonly family: string;
  /** Files of the trial, by path; a pair gives the mode, too. */
  readonly files?: Readonly<Record<string, string | readonly [text: string, mode: number]>>;
  /** A shell script that makes the fault as root, before the program starts and in the same namespaces. */
  readonly before?: string;
  /** The program, as words of a shell. */
  readonly run: string;
  /** The user that runs it; 0 without it. */
  readonly user?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A shell script that acts on the running program of a healthy trial. */
  readonly during?: string;
  /** A program that has not ended after this time is stopped; a healthy one always is. */
  readonly seconds?: number;
  /** Parts of the pod's spec that belong to the fault: volumes, and the container's mounts. */
  readonly pod?: { readonly container?: object; readonly spec?: object };
  readonly truth: Truth;
}

export type Truth =
  | { readonly healthy: true }
  | {
      /** Findings that name the cause. */
      readonly ids: readonly string[];
      /** Texts that the headline must have: "db:5432". */
      readonly must: readonly string[];
      /** Texts that nothing quoted may have. */
      readonly mustNot?: readonly string[];
    };

export interface Recording {
  readonly program: string;
  readonly name: string;
  readonly family: string;
  readonly truth: Truth;
  readonly pod?: Trial['pod'];
  readonly user: number;
  /** Absent: it ran until it was stopped. */
  readonly exitCode?: number;
  readonly seconds: number;
  readonly lines: readonly string[];
}

/** Lines of a log that are recorded, and characters of each. */
export const MAX_RECORDED_LINES = 160;
export const MAX_RECORDED_CHARACTERS = 2000;
export const MAX_RECORDED_BYTES = 16_384;
