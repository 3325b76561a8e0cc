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
  mendlet store check                           check that every object is as it was written
  mendlet store repair                          repair everything that can be repaired without loss
  mendlet store repair --revert /registry/secrets/default/web
                                                restore the last intact version of a damaged object
  mendlet store repair --remove /registry/pods/default/web
  mendlet store backup /var/backups/store.db    write a copy, checked row by row
  mendlet store restore /var/backups/store.db   replace the store with that copy; the old store is kept
  mendlet store begin-anew --discard-all-objects

Except for "check", the "mendlet up" or "mendlet server" of the data folder must be stopped first; pods keep running meanwhile.
While it runs, a damaged object can be restored with "kubectl replace -f FILE", or removed with
"kubectl delete --raw 'PATH?ignoreStoreReadErrorWithClusterBreakingPotential=true'".
A copy of the store is kept before anything is changed.

${exitCodesHelp}`;

type Given = { readonly dataDir?: string };

/** @param run implements the verbs */
export function storeCommand(run: (options: StoreOptions) => Promise<void>): Command {
  const command = new Command('store')
    .summary("check, repair, back up and restore the store of a cluster's objects")
    .description('Looks after the store of a data folder: all objects of a cluster, in DIR/store/store.db.');
  const dataDir = (): Option => dataDirFlag("the server's data folder");
  command
    .command('check')
    .description('Reads every row and names damaged ones; exits with 1 if there are any. Changes nothing.')
    .addOption(dataDir())
    .action((given: Given) => run({ verb: 'check', ...given }));
  command
    .command('repair')
    .description('Repairs a damaged store as far as possible, and keeps a copy of it.')
    .option('--remove <KEY...>', 'damaged objects to remove')
    .option('--revert <KEY...>', 'damaged objects whose last intact version is restored')
    .option('--accept-loss', 'give up rows that cannot be read or named, and lost writes')
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
    .description('Replaces the store with a copy (a backup, or a rescued file); the old store is kept.')
    .argument('<FILE>', 'a copy')
    .addOption(dataDir())
    .action((file: string, given: Given) => run({ verb: 'restore', file, ...given }));
  command
    .command('begin-anew')
    .description(
      'Lets the next start begin an empty cluster when the store is gone or beyond repair. All pods of the old cluster then end, on every node. Refused while the store can be read.',
    )
    .option('--discard-all-objects', 'confirm that all objects of the cluster are given up (required)')
    .addOption(dataDir())
    .action(({ discardAllObjects, ...given }: Given & { discardAllObjects?: boolean }) => {
      if (discardAllObjects !== true) {
        throw new UsageError(
          '"mendlet store begin-anew" gives up every object of the cluster: confirm that with --discard-all-objects.',
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
