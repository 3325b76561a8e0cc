/** Linux' signals by their numbers, for exit codes above 128. Pure. */

const SIGNALS: readonly string[] = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGKILL',
  'SIGUSR1',
  'SIGSEGV',
  'SIGUSR2',
  'SIGPIPE',
  'SIGALRM',
  'SIGTERM',
  'SIGSTKFLT',
  'SIGCHLD',
  'SIGCONT',
  'SIGSTOP',
  'SIGTSTP',
  'SIGTTIN',
  'SIGTTOU',
  'SIGURG',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGVTALRM',
  'SIGPROF',
  'SIGWINCH',
  'SIGIO',
  'SIGPWR',
  'SIGSYS',
];

/** 137 → "SIGKILL"; `undefined`: no signal that has a name. */
export function signalOf(exitCode: number): string | undefined {
  return exitCode > 128 ? SIGNALS[exitCode - 129] : undefined;
}

/** Signals that others send to end a program; what it logged before says nothing about that. */
const SENT = new Set(['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM']);

/** Whether the exit code says that somebody ended the program. */
export function wasSent(exitCode: number): boolean {
  return SENT.has(signalOf(exitCode) ?? '');
}
