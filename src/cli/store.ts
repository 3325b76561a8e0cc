/** Defines the verbs `mendlet store`; `main` implements them. */
import { Command, type Option } from 'commander';
import { exitCodesHelp } from './exit-codes.ts';
import { dataDirFlag } from './flag-parser.ts';
import { UsageError } from './usage-error.ts';

export type StoreOptions = { readonly dataDir?: string } & (
  | { readonly verb: 'check' }
  | {
      readonly verb: 'repair';
      /** Keys whose damaged objects are removed. */
      readonly remove: readonly string[];
      /** Keys whose last intact version is restored from the store's own history. */
      readonly revert: readonly string[];
      readonly acceptLoss: boolean;
    }
  | { readonly verb: 'backup' | 'restore'; readonly file: string }
  | { readonly verb: 'begin-anew' }
);

const help = `
Examples:
  mendlet store check                           is every object as it was written?
  mendlet store repair                          mend what can be mended without losing anything
  mendlet store repair --revert /registry/secrets/default/web
                                                the last intact version of a damaged object
  mendlet store repair --remove /registry/pods/default/web
  mendlet store backup /var/backups/store.db    a copy, checked row by row
  mendlet store restore /var/backups/store.db   that copy instead of what is there, which is kept
  mendlet store begin-anew --discard-all-objects

All but "check" need the "mendlet up" or "mendlet server" of the data folder to be ended first; pods run on meanwhile. While it
runs, a damaged object is put back with "kubectl replace -f FILE", or removed with
"kubectl delete --raw 'PATH?ignoreStoreReadErrorWithClusterBreakingPotential=true'".
A copy of what was there is kept before anything is changed.

${exitCodesHelp}`;

type Given = { readonly dataDir?: string };

/** @param run implements the verbs */
export function storeCommand(run: (options: StoreOptions) => Promise<void>): Command {
  const command = new Command('store')
    .summary("check, mend, copy and restore the store of a cluster's objects")
    .description('Looks after the store of a data folder: all objects of a cluster, in DIR/store/store.db.');
  const dataDir = (): Option => dataDirFlag("the server's data folder");
  command
    .command('check')
    .description('Reads every row and names what is damaged; ends with 1 if anything is. Changes nothing.')
    .addOption(dataDir())
    .action((given: Given) => run({ verb: 'check', ...given }));
  command
    .command('repair')
    .description('Makes a damaged store whole as far as it can be, with a copy kept.')
    .option('--remove <KEY...>', 'damaged objects that are to go')
    .option('--revert <KEY...>', 'damaged objects whose last intact version is to come back')
    .option('--accept-loss', 'go on without what cannot be read or named, and without lost writes')
    .addOption(dataDir())
    .action(({ remove = [], revert = [], acceptLoss = false, ...given }: Given & Partial<RepairFlags>) =>
      run({ verb: 'repair', remove, revert, acceptLoss, ...given }),
    );
  command
    .command('backup')
    .description('Writes a copy of the store into a new file.')
    .argument('<FILE>', 'must not exist')
    .addOption(dataDir())
    .action((file: string, given: Given) => run({ verb: 'backup', file, ...given }));
  command
    .command('restore')
    .description('Puts a copy of the store (a backup, or a rescued file) in its place; what was there is kept.')
    .argument('<FILE>', 'a copy')
    .addOption(dataDir())
    .action((file: string, given: Given) => run({ verb: 'restore', file, ...given }));
  command
    .command('begin-anew')
    .description(
      'Where the store is gone or beyond repair: lets the next start begin an empty cluster. All pods of the old one then end, on every node. Refused while the store can be read.',
    )
    .option('--discard-all-objects', 'say that all objects of the cluster are given up (needed)')
    .addOption(dataDir())
    .action(({ discardAllObjects, ...given }: Given & { discardAllObjects?: boolean }) => {
      if (discardAllObjects !== true) {
        throw new UsageError(
          '"mendlet store begin-anew" gives up every object of the cluster: say so with --discard-all-objects.',
        );
      }
      return run({ verb: 'begin-anew', ...given });
    });
  return command.addHelpText('after', help);
}

interface RepairFlags {
  readonly remove: readonly string[];
  readonly revert: readonly string[];
  readonly acceptLoss: boolean;
}
