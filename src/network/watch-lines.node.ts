/** A program that prints what happens on this machine, as a child that ends with us. */
import { spawn } from 'node:child_process';

/** A line longer than that tells of nothing of ours. */
const MAX_LINE_CHARACTERS = 64 * 1024;

/** Runs until the signal is aborted, or the program ends. @param command program and arguments @returns why it ended */
export function watchLines(
  command: readonly [string, ...string[]],
  onLines: (lines: readonly string[]) => void,
  signal: AbortSignal,
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  if (signal.aborted) return Promise.resolve('told to end');
  // It ends with us, also when we are killed.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], { stdio: ['ignore', 'pipe', 'ignore'] });
  const end = (why: string): void => {
    signal.removeEventListener('abort', onAbort);
    child.kill('SIGKILL');
    resolve(why);
  };
  const onAbort = (): void => end('told to end');
  signal.addEventListener('abort', onAbort, { once: true });
  let rest = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS);
    onLines(lines);
  });
  child.on('error', (error) => end(error.message));
  child.on('exit', (code) => end(`${command.slice(0, 2).join(' ')} ended with code ${code}`));
  return promise;
}
