/** mendlet's exit codes (DESIGN: what users touch). */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  inUse: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The section of --help about exit codes. */
export const exitCodesHelp = `Exit codes:
  0  done
  1  failed
  2  wrong usage; nothing was done
  3  in use: another mendlet holds the data folder, or the address or the node's name is taken`;
