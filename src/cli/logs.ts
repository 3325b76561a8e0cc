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
  mendlet logs pod/web                  the log of its container, as kubectl shows it
  mendlet logs pod/web --previous       the log of the container before it
  mendlet logs pod/web --death 1        the end of the log before the first death
  mendlet logs pod/web -c main --death -3

The node keeps the last lines of the log of each death, and more of them for the first; "mendlet history pod/NAME" lists the
deaths. The logs of a pod that is gone are kept for a day.

On a terminal, escape sequences and other control characters are printed as numbers, for instance \\u001b. Elsewhere the log
is printed as it was written.

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
    .summary("show a container's log, or the end of the log of an earlier life")
    .description("Shows a container's log, or the end of its log before one of its deaths.")
    .argument('<POD...>', 'pod/NAME');
  return withPodFlags(command)
    .addOption(
      new Option('--death <N>', 'the end of the log before a death: 1 is the first, -1 the last').argParser(
        valueOf(parseDeath),
      ),
    )
    .addOption(new Option('-p, --previous', 'the log of the container before this one'))
    .addOption(new Option('-f, --follow', 'follow the log'))
    .addOption(new Option('--timestamps', 'print the time of each line'))
    .addOption(new Option('--tail <N>', 'only the last N lines; -1: all').argParser(valueOf(parseTail)))
    .addOption(
      new Option('--raw', 'print the log as written, even to a terminal, which then obeys its control characters'),
    )
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
    throw new UsageError(`--death shows a log that the node has kept: leave out ${alive.join(' and ')}.`);
  }
  if (death === undefined && uid !== undefined) throw new UsageError('--uid goes with --death.');
  return { live: { previous, follow, timestamps }, raw, ...(tail === undefined ? {} : { tail }) };
}

function parseTail(text: string): number {
  const count = Number(text);
  if (/^-?\d{1,9}$/.test(text) && count >= -1) return count;
  throw new UsageError('Give a number of lines; -1: all.');
}
