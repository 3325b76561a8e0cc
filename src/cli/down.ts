/** Defines the verb `mendlet down`; `main` implements it. */
import { Command, Option } from 'commander';
import { exitCodesHelp } from './exit-codes.ts';
import { dataDirFlag, valueOf } from './flag-parser.ts';
import { parseCount } from './flag-values.ts';
import { UsageError } from './usage-error.ts';

export interface DownFlags {
  readonly dataDir?: string;
  readonly purge: boolean;
  /** The data of claims goes, too: all of it (true), or that of just so many claims. */
  readonly withClaims?: true | number;
}

const help = `
Examples:
  mendlet down                       stop and remove all pods of the default data folder
  mendlet down --purge               the same, and remove the data folder itself
  mendlet down --data-dir /srv/pods
  mendlet down --purge --with-claims  the data of claims as well: without the flag, --purge refuses while there is any

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
    .addOption(
      new Option(
        '--with-claims [NUMBER]',
        'with --purge: remove the data of claims as well; with a number, only if that many claims have data',
      ).argParser(valueOf(parseCount)),
    )
    .addHelpText('after', help)
    .action((given: Partial<DownFlags>) => {
      if (given.withClaims !== undefined && given.purge !== true)
        throw new UsageError('--with-claims goes with --purge: without it the data of claims stays in any case.');
      return run({ purge: false, ...given });
    });
}
