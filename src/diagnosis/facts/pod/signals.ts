/** Signals of Linux by number, as exit codes above 128 hold them. */
const SIGNALS: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  10: 'SIGUSR1',
  11: 'SIGSEGV',
  12: 'SIGUSR2',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
};

/** "SIGKILL" for 137; undefined for a code that means no signal. */
export function signalOf(exitCode: number): string | undefined {
  return exitCode > 128 ? SIGNALS[exitCode - 128] : undefined;
}

/** Signals that others send to end a program; what it logged before says nothing about that. */
const SENT = new Set(['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM']);

export function isSentSignal(signal: string | undefined): boolean {
  return signal !== undefined && SENT.has(signal);
}
