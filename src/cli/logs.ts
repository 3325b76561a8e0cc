/** Defines the verb `mendlet logs`. */
import { Command, Option } from 'commander';
import { choiceOf, type WithCluster, withClusterFlags } from './cluster-session.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { valueOf } from './flag-parser.ts';
import { type PodFlags, podFlags, withPodFlags } from './history.ts';
import { parseDeath, podTarget } from './history/pod-target.ts';
import { runLogs } from './history/run-logs.ts';
import { UsageError } from './usage-error.ts';

const help = `
Examples:
  mendlet logs pod/web                  what its container says, as kubectl shows it
  mendlet logs pod/web --previous       what the one before said
  mendlet logs pod/web --death 1        the last words of the first one that died
  mendlet logs pod/web -c main --death -3

Of each death the node keeps the last lines, of the first one more; "mendlet history pod/NAME" lists them. Pods that are gone
have theirs for a day.

On a terminal, what would drive it (escape sequences, other control characters) is shown by its number, as \\u001b; elsewhere
the log is given as it was written.

${exitCodesHelp}`;

interface LogsFlags extends PodFlags {
  readonly previous?: boolean;
  readonly follow?: boolean;
  readonly timestamps?: boolean;
  readonly tail?: number;
  readonly raw?: boolean;
}

/** @param finish receives the exit code */
export function logsCommand(withCluster: WithCluster, finish: (code: ExitCode) => void): Command {
  const command = withClusterFlags(new Command('logs'))
    .summary("show a container's log, also of those that died long ago")
    .description("Shows a container's log, or the last words of one of its deaths.")
    .argument('<POD...>', 'pod/NAME');
  return withPodFlags(command)
    .addOption(new Option('--death <N>', 'of that death: 1 is the first, -1 the last').argParser(valueOf(parseDeath)))
    .addOption(new Option('-p, --previous', 'of the container before this one'))
    .addOption(new Option('-f, --follow', 'go on with what comes'))
    .addOption(new Option('--timestamps', 'with the time of each line'))
    .addOption(new Option('--tail <N>', 'the last lines only; -1: all').argParser(valueOf(parseTail)))
    .addOption(new Option('--raw', 'as the program wrote it, also to a terminal, which then does what it is told'))
    .addHelpText('after', help)
    .action(async (args: readonly string[], flags: LogsFlags) => {
      const options = { ...podFlags(flags), ...logFlags(flags), pod: podTarget(args) };
      finish(await withCluster(choiceOf(flags), (session) => runLogs(session, options)));
    });
}

function logFlags(flags: LogsFlags) {
  const { death, uid, previous = false, follow = false, timestamps = false, tail, raw = false } = flags;
  const alive = [previous && '--previous', follow && '--follow', timestamps && '--timestamps'].filter(Boolean);
  if (death !== undefined && alive.length > 0) {
    throw new UsageError(`--death shows what the node has kept: leave out ${alive.join(' and ')}.`);
  }
  if (death === undefined && uid !== undefined) throw new UsageError('--uid goes with --death.');
  return { live: { previous, follow, timestamps }, raw, ...(tail === undefined ? {} : { tail }) };
}

function parseTail(text: string): number {
  const count = Number(text);
  if (/^-?\d{1,9}$/.test(text) && count >= -1) return count;
  throw new UsageError('Give a number of lines; -1: all.');
}
