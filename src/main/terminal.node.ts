/** The terminal of this process: its size, its keys, and what Ctrl-Z does to both. */
import type { Terminal } from '../lib/index.ts';

/** The size is asked for at every use: windows change. */
export function terminal(): Terminal {
  const { stdout } = process;
  const stops = new Set<Around>();
  return {
    columns: () => stdout.columns,
    rows: () => stdout.rows,
    write: (text) => void stdout.write(text),
    atExit: (restore) => void process.on('exit', restore),
    aroundStops: (leave, back) => {
      const around = { leave, back };
      stops.add(around);
      return () => void stops.delete(around);
    },
    ...(process.stdin.isTTY ? { keys: (listener) => readKeys(listener, stops) } : {}),
  };
}

interface Around {
  readonly leave: () => void;
  readonly back: () => void;
}

const INTERRUPT = '\u0003';
const SUSPEND = '\u001A';

/** Each key at once and unseen. Ctrl-C and Ctrl-Z come as keys then: they are the same signals to us. */
function readKeys(listener: (typed: string) => void, stops: ReadonlySet<Around>): () => void {
  const { stdin } = process;
  const onData = (typed: string): void => {
    if (typed.includes(INTERRUPT)) process.kill(process.pid, 'SIGINT');
    else if (typed.includes(SUSPEND)) suspend();
    else listener(typed);
  };
  const suspend = (): void => {
    for (const { leave } of stops) leave();
    stdin.setRawMode(false);
    // All of the job, as the terminal would: the shell waits for the first process of it.
    process.kill(0, 'SIGTSTP');
    goOn();
  };
  /** Also after a stop that came from elsewhere: the shell has set the terminal back meanwhile. */
  const goOn = (): void => {
    stdin.setRawMode(true);
    for (const { back } of stops) back();
  };
  process.on('SIGCONT', goOn);
  stdin.setEncoding('utf8').setRawMode(true).on('data', onData).resume();
  return () => {
    process.off('SIGCONT', goOn);
    stdin.off('data', onData).setRawMode(false).pause();
  };
}

/** Calls `listener` when nobody reads standard output any more, until the returned function is called. */
export function onReaderGone(listener: () => void): () => void {
  process.stdout.on('error', listener);
  return () => void process.stdout.off('error', listener);
}
