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
  ${program} pod/web                            restart all of the pod: new sandbox and address, init containers run again; same name, same node
  ${program} pod/web -c main --force            restart one container now, even during its back-off
  ${program} pod/web --scope containers --reason "new certificate"
  ${program} pod/web --empty-dirs all           restart the pod, and empty its emptyDirs
  ${program} pods -l app=web --parallel 3
  ${program} deploy/web                         restart its pods in place, one after another, each ready before the next
  ${program} sts/db --max-unavailable 1 --not-before 2026-01-31T15:04:05Z

Pods of a workload keep their names, nodes and volumes; --max-unavailable and PodDisruptionBudgets are respected. --not-before
skips containers that started later, so that an interrupted command can be repeated.

${exitCodesHelp}`;

/**
 * @param program the name for hints: "mendlet restart" or "kubectl restart"
 * @param finish receives the exit code
 */
export function restartCommand(withCluster: WithCluster, finish: (code: ExitCode) => void, program: string): Command {
  const command = withClusterFlags(new Command('restart'))
    .summary('restart pods, or all pods of a workload, in place')
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
      new Option('--scope <SCOPE>', 'the scope of the restart (default: pod; with -c: container)').choices([
        'container',
        'containers',
        'pod',
      ]),
    )
    .addOption(new Option('-c, --container <NAME>', 'one container'))
    .addOption(new Option('--reason <TEXT>', 'the reason, recorded with the restart'))
    .addOption(new Option('--force', 'skip a back-off, and restart even after healing has stopped'))
    .addOption(
      new Option('--grace-period <SECONDS>', "seconds for containers to end (default: the pod's)").argParser(
        valueOf(parseGracePeriod),
      ),
    )
    .addOption(
      new Option(
        '--not-before <TIME>',
        'skip containers that started then or later; wait for a time in the future',
      ).argParser(valueOf(parseNotBefore)),
    )
    .addOption(
      new Option('--empty-dirs <NAMES>', 'emptyDirs to empty: NAME,NAME or all').argParser(valueOf(parseEmptyDirs)),
    )
    .addOption(new Option('-l, --selector <SELECTOR>', 'all objects with these labels'))
    .addOption(new Option('--all', 'all objects of the kind in the namespace'))
    .addOption(new Option('--parallel <N>', 'number of pods at a time (default: 1)').argParser(valueOf(parseParallel)))
    .addOption(
      new Option(
        '--max-unavailable <N|P%>',
        "number or share of a workload's pods that may be away at once (default: that of its strategy)",
      ).argParser(valueOf(parseMaxUnavailable)),
    )
    .addOption(new Option('--keep-going', 'continue with the others when one fails'))
    .addOption(new Option('--wait', 'wait for the end of the restart (default)'))
    .addOption(new Option('--no-wait', 'request the restart, and do not wait for its end'))
    .addOption(
      new Option(
        '--timeout <TIME>',
        'time for one pod to be restarted, and in a workload to be ready (default: 5m)',
      ).argParser(valueOf(parseTimeout)),
    );
}
