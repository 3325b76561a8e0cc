/** Defines the verb `mendlet try-now`. */
import { Command } from 'commander';
import { runActs } from './acts/run-acts.ts';
import { type ClusterChoice, choiceOf, type WithCluster, withClusterFlags } from './cluster-session.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';

const help = (program: string): string => `
Examples:
  ${program} pod/web
  ${program} deploy/web

Ends every wait of the pods at once: CrashLoopBackOff, a failed pull or start, volumes that could not be set up, a healing ladder
that has stopped. Back-offs begin anew. Containers that run are left alone: "restart" restarts those, too.
Needs the right to patch pods.

${exitCodesHelp}`;

/**
 * @param program the name for hints: "mendlet try-now" or "kubectl try-now"
 * @param finish receives the exit code
 */
export function tryNowCommand(withCluster: WithCluster, finish: (code: ExitCode) => void, program: string): Command {
  return withClusterFlags(new Command('try-now'))
    .summary('start at once what waits in a back-off, and leave alone what runs')
    .description('Starts at once what waits in a back-off, and leaves alone what runs.')
    .argument(
      '<TARGET...>',
      'pod/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME, rc/NAME, job/NAME, cronjob/NAME; or a kind and names',
    )
    .addHelpText('after', help(program))
    .action(async (args: readonly string[], flags: ClusterChoice) => {
      finish(await withCluster(choiceOf(flags), (session) => runActs(session, 'try-now', args)));
    });
}
