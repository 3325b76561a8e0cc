/** Defines the verb `mendlet volumes`. */
import { Command, Option } from 'commander';
import { type ClusterChoice, choiceOf, type WithCluster, withClusterFlags } from './cluster-session.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { valueOf } from './flag-parser.ts';
import { parseTimeout } from './restart/flag-values.ts';
import { runGiveUp } from './volumes/run-give-up.ts';

const help = `
Examples:
  mendlet volumes give-up data-db-0 -n shop          say what it means, and do nothing
  mendlet volumes give-up data-db-0 -n shop --yes    do it

A volume that mendlet made is a folder on the disk of one node, and pods that use it wait for that node. When the node will not
come back, or the folder is lost, giving the volume up lets them go on without the data: pods of the claim on that node are deleted
at once, and the claim is made anew and gets a new, empty volume on another node. The old folder is not touched: it stays on the
node's disk. A volume is not given up while its node is heard and has the folder.

To wait for the node instead, nothing has to be done.

${exitCodesHelp}`;

interface GiveUpFlags extends ClusterChoice {
  readonly yes?: boolean;
  readonly timeout: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** @param finish receives the exit code */
export function volumesCommand(withCluster: WithCluster, finish: (code: ExitCode) => void): Command {
  const command = new Command('volumes')
    .summary('give up volumes of nodes that are lost')
    .description('Gives up volumes of nodes that will not come back.');
  withClusterFlags(command.command('give-up'))
    .description('Gives up the volume of a claim: the data stays on its node, and the claim gets a new, empty volume.')
    .argument('<CLAIM>', 'name of a PersistentVolumeClaim')
    .addOption(new Option('--yes', 'do it; without this flag the command only says what would happen'))
    .addOption(
      new Option('--timeout <TIME>', 'how long to wait until the claim is made anew')
        .argParser(valueOf(parseTimeout))
        .default(DEFAULT_TIMEOUT_MS, '1m'),
    )
    .addHelpText('after', help)
    .action(async (claim: string, flags: GiveUpFlags) => {
      const options = { claim: claim.replace(/^(pvc|persistentvolumeclaims?)\//, ''), yes: flags.yes === true };
      const { timeout: timeoutMs } = flags;
      finish(await withCluster(choiceOf(flags), (session) => runGiveUp(session, { ...options, timeoutMs })));
    });
  return command;
}
