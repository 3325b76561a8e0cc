/** Defines the verb `mendlet notify`. */
import { Command, Option } from 'commander';
import { type ClusterChoice, choiceOf, type WithCluster, withClusterFlags } from './cluster-session.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { valueOf } from './flag-parser.ts';
import { runNotifyTest } from './notify/run-notify-test.ts';
import { parseTimeout } from './restart/flag-values.ts';

const help = `
Examples:
  mendlet notify test team -n shop         the target of Notification "team" in namespace shop
  mendlet notify test on-call --cluster    the target of ClusterNotification "on-call"

The controller sends the message, as it sends real ones: from the machine, or the pod, of "mendlet up", "mendlet server" or
"mendlet healer", not from this one. The command prints what the target answered. It needs the right to patch the object.

${exitCodesHelp}`;

interface TestFlags extends ClusterChoice {
  readonly cluster?: boolean;
  readonly timeout: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** @param finish receives the exit code */
export function notifyCommand(withCluster: WithCluster, finish: (code: ExitCode) => void): Command {
  const command = new Command('notify')
    .summary('try the targets of notifications')
    .description('Tries the targets of notifications.');
  withClusterFlags(command.command('test'))
    .description('Sends a test message to the target of a notification, and prints what it answered.')
    .argument('<NAME>', 'name of a Notification, or with --cluster of a ClusterNotification')
    .addOption(new Option('--cluster', 'a ClusterNotification'))
    .addOption(
      new Option('--timeout <TIME>', 'how long to wait for the answer')
        .argParser(valueOf(parseTimeout))
        .default(DEFAULT_TIMEOUT_MS, '30s'),
    )
    .addHelpText('after', help)
    .action(async (name: string, flags: TestFlags) => {
      const options = {
        name: name.replace(/^(?:cluster)?notifications?\//, ''),
        clusterWide: flags.cluster === true,
        timeoutMs: flags.timeout,
      };
      finish(await withCluster(choiceOf(flags), (session) => runNotifyTest(session, options)));
    });
  return command;
}
