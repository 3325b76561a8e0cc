/** Defines the verb `mendlet token`; `main` implements it. */
import { Command, Option } from 'commander';
import { exitCodesHelp } from './exit-codes.ts';
import { dataDirFlag, valueOf } from './flag-parser.ts';
import { parseLifetime } from './node-values.ts';
import { UsageError } from './usage-error.ts';

export type TokenOptions = { readonly dataDir?: string } & (
  | { readonly verb: 'create' /** ms; 0: for ever. */; readonly ttl: number; readonly description?: string }
  | { readonly verb: 'list' }
  | { readonly verb: 'delete'; readonly ids: readonly string[] }
);

const DAY_MS = 24 * 3_600_000;

const help = `
Examples:
  mendlet token create                 make a token for 24 hours, and print the command to join
  mendlet token create --ttl 0         make a token that never expires
  mendlet token list
  mendlet token delete abcdef

The "mendlet server" (or "mendlet up") of the data folder must be running. A token lets machines ask for a certificate;
nodes that have joined do not need it any more.

${exitCodesHelp}`;

/** @param run implements the verb */
export function tokenCommand(run: (options: TokenOptions) => Promise<void>): Command {
  const command = new Command('token')
    .summary('make, list and delete the tokens with which machines join')
    .description('Makes, lists and deletes join tokens.');
  const dataDir = (): Option => dataDirFlag("the server's data folder");
  command
    .command('create')
    .description('Makes a token and prints the command with which a machine joins.')
    .addOption(dataDir())
    .addOption(
      new Option('--ttl <TIME>', 'how long the token is valid; 0: for ever')
        .argParser(valueOf(parseLifetime))
        .default(DAY_MS, '24h'),
    )
    .option('--description <TEXT>', 'a note on its purpose')
    .action((given: { dataDir?: string; ttl: number; description?: string }) => run({ verb: 'create', ...given }));
  command
    .command('list')
    .description('Lists the tokens.')
    .addOption(dataDir())
    .action((given: { dataDir?: string }) => run({ verb: 'list', ...given }));
  command
    .command('delete')
    .description('Deletes tokens, named by their ids or in full.')
    .argument('<ID...>', 'the six characters before the dot')
    .addOption(dataDir())
    .action((texts: readonly string[], given: { dataDir?: string }) => {
      const ids = texts.map((text) => text.split('.')[0] ?? '');
      const bad = ids.find((id) => !/^[a-z0-9]{6}$/.test(id));
      if (bad !== undefined)
        throw new UsageError(`"${bad}" is not the id of a token, which has six characters of a-z and 0-9.`);
      return run({ verb: 'delete', ids, ...given });
    });
  return command.addHelpText('after', help);
}
