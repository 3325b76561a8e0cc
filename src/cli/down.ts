/** Defines the verb `mendlet down`; `main` implements it. */
import { Command } from 'commander';
import { exitCodesHelp } from './exit-codes.ts';
import { dataDirFlag } from './flag-parser.ts';

export interface DownFlags {
  readonly dataDir?: string;
  readonly purge: boolean;
}

const help = `
Examples:
  mendlet down                       stop and remove all pods of the default data folder
  mendlet down --purge               the same, and remove the data folder itself
  mendlet down --data-dir /srv/pods

Stops and removes pods, their mounts, cgroups and networks, and the private containerd of that data folder, including
remains of a crash. The data folder stays, with the pods' objects, so the next "mendlet up" starts them again. On the data
folder of "mendlet agent" the command also takes the node out of its cluster, if it has the right. It is safe to repeat.

${exitCodesHelp}`;

/** @param run implements the verb */
export function downCommand(run: (options: DownFlags) => Promise<void>): Command {
  return new Command('down')
    .summary('stop and remove all pods of a data folder')
    .description('Stops and removes what "mendlet up" or "mendlet agent" left running.')
    .addOption(dataDirFlag('the data folder (default: as for "mendlet up")'))
    .option('--purge', 'remove the data folder as well: objects, certificates, images, logs')
    .addHelpText('after', help)
    .action((given: Partial<DownFlags>) => run({ purge: false, ...given }));
}
