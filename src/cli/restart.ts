/** Defines the verb `mendlet restart`, which is also `kubectl restart`. */
import { Command, Option } from 'commander';
import { choiceOf, type WithCluster, withClusterFlags } from './cluster-session.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { valueOf } from './flag-parser.ts';
import {
  parseEmptyDirs,
  parseGracePeriod,
  parseMaxUnavailable,
  parseNotBefore,
  parseParallel,
  parseTimeout,
} from './restart/flag-values.ts';
import { type RestartFlags, restartOptions } from './restart/options.ts';
import { runRestart } from './restart/run-restart.ts';

const help = (program: string): string => `
Examples:
  ${program} pod/web                            all of the pod anew: sandbox, address, init containers; same name, same node
  ${program} pod/web -c main --force            one container, now, whatever its back-off
  ${program} pod/web --scope containers --reason "new certificate"
  ${program} pod/web --empty-dirs all           and its emptyDirs begin empty
  ${program} pods -l app=web --parallel 3
  ${program} deploy/web                         its pods in place, one after another, each ready before the next
  ${program} sts/db --max-unavailable 1 --not-before 2026-01-31T15:04:05Z

Pods of a workload keep their names, nodes and volumes; its budget and PodDisruptionBudgets hold. --not-before leaves alone
what started later, so that a call which was broken off can be repeated.

${exitCodesHelp}`;

/**
 * @param program the name for hints: "mendlet restart" or "kubectl restart"
 * @param finish receives the exit code
 */
export function restartCommand(withCluster: WithCluster, finish: (code: ExitCode) => void, program: string): Command {
  const command = withClusterFlags(new Command('restart'))
    .summary('restart pods in place, or those of a workload')
    .description('Restarts pods in place, or the pods of a deployment, statefulset, daemonset or replicaset in order.')
    .argument('[TARGET...]', 'pod/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME; or a kind and names');
  return addFlags(command)
    .addHelpText('after', help(program))
    .action(async (args: readonly string[], flags: RestartFlags) => {
      const options = restartOptions(args, flags);
      finish(await withCluster(choiceOf(flags), (session) => runRestart(session, options, program)));
    });
}

function addFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--scope <SCOPE>', 'what is restarted (default: pod; with -c: container)').choices([
        'container',
        'containers',
        'pod',
      ]),
    )
    .addOption(new Option('-c, --container <NAME>', 'one container'))
    .addOption(new Option('--reason <TEXT>', 'why; recorded with the restart'))
    .addOption(new Option('--force', 'past a back-off, and past a healing that has stopped'))
    .addOption(
      new Option('--grace-period <SECONDS>', "time for containers to end (default: the pod's)").argParser(
        valueOf(parseGracePeriod),
      ),
    )
    .addOption(
      new Option('--not-before <TIME>', 'leave alone what started then or later; in the future: wait for it').argParser(
        valueOf(parseNotBefore),
      ),
    )
    .addOption(
      new Option('--empty-dirs <NAMES>', 'emptyDirs that begin empty: NAME,NAME or all').argParser(
        valueOf(parseEmptyDirs),
      ),
    )
    .addOption(new Option('-l, --selector <SELECTOR>', 'those with such labels'))
    .addOption(new Option('--all', 'all of the namespace'))
    .addOption(new Option('--parallel <N>', 'so many pods at a time (default: 1)').argParser(valueOf(parseParallel)))
    .addOption(
      new Option(
        '--max-unavailable <N|P%>',
        "so many pods of a workload away at once (default: its strategy's)",
      ).argParser(valueOf(parseMaxUnavailable)),
    )
    .addOption(new Option('--keep-going', 'go on with others when one fails'))
    .addOption(new Option('--wait', 'wait for the end (default)'))
    .addOption(new Option('--no-wait', 'ask, and do not wait for the end'))
    .addOption(
      new Option('--timeout <TIME>', 'for one pod to be restarted, and ready in a workload (default: 5m)').argParser(
        valueOf(parseTimeout),
      ),
    );
}
