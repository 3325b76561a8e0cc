/** Defines the verb `mendlet watch`. */
import { Command, Option } from 'commander';
import { type ClusterChoice, choiceOf, type WithCluster, withClusterFlags } from './cluster-session.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { runWatch } from './watch/run-watch.ts';

const help = (program: string): string => `
Examples:
  ${program}                 the whole cluster, until q
  ${program} -n shop         one namespace
  ${program} --once          the state now, as lines
  ${program} | tee log       a line for each change, where there is no terminal
  ${program} -o json         an overview in JSON for each change, for programs

The first line is the verdict. Below it is a line for each node, and a row for each workload: how many of its pods are ready,
restarts, the last death with its cause, how long healing took, and what happens next and when. The worst are above.
Keys: arrows choose a row, enter says why it is not well, l shows the log of its worst pod, r restarts it, t tries at once what
waits, p pauses its healing or resumes it (all three ask first), f leaves out what is well, q ends. When the server does not answer, the first line says so, and since when.

${exitCodesHelp}`;

interface WatchFlags extends ClusterChoice {
  readonly output: 'text' | 'json';
  readonly once?: boolean;
}

/**
 * @param program the name for hints: "mendlet watch" or "kubectl watch"
 * @param finish receives the exit code
 */
export function watchCommand(withCluster: WithCluster, finish: (code: ExitCode) => void, program: string): Command {
  return withClusterFlags(new Command('watch'))
    .summary('watch how all pods are: one verdict, a row for each workload, what happens next')
    .description(
      'Watches how all pods are: one verdict, a row for each workload with its last death and what happens next, live.',
    )
    .addOption(new Option('-o, --output <FORMAT>', 'format of the output').choices(['text', 'json']).default('text'))
    .addOption(new Option('--once', 'print the state once, and end'))
    .addHelpText('after', help(program))
    .action(async (flags: WatchFlags) => {
      const options = { namespace: flags.namespace, output: flags.output, once: flags.once === true };
      finish(await withCluster(choiceOf(flags), (session) => runWatch(session, options)));
    });
}
