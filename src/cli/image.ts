/** Defines the verb `mendlet image`; `main` implements it. */
import { Command, type Option } from 'commander';
import { exitCodesHelp } from './exit-codes.ts';
import { dataDirFlag } from './flag-parser.ts';

export type ImageOptions = { readonly dataDir?: string } & (
  | { readonly verb: 'import'; readonly files: readonly string[] }
  | { readonly verb: 'ls' }
);

const help = `
Examples:
  mendlet image import web.tar         import an archive of "docker save", "podman save" or "skopeo copy"
  mendlet image import /media/images   import every .tar of a folder
  mendlet image ls                     list the images that pods of this machine can use

The commands work on the private containerd of the data folder, while mendlet runs. Archives in DIR/images are imported
automatically: when they appear, when they change, and at each start if their images are gone. Images from archives are never
garbage-collected, because no registry could supply them again.

${exitCodesHelp}`;

/** @param run implements the verb */
export function imageCommand(run: (options: ImageOptions) => Promise<void>): Command {
  const command = new Command('image')
    .summary('import images from archives, and list what is there')
    .description('Imports images from archives into the private containerd, and lists its images.');
  const dataDir = (): Option => dataDirFlag('the data folder (default: as for "mendlet up")');
  command
    .command('import')
    .description('Imports the images of archives.')
    .argument('<FILE...>', 'a .tar with images, or a folder of such files')
    .addOption(dataDir())
    .action((files: readonly string[], given: { dataDir?: string }) => run({ verb: 'import', files, ...given }));
  command
    .command('ls')
    .description('Lists the images.')
    .addOption(dataDir())
    .action((given: { dataDir?: string }) => run({ verb: 'ls', ...given }));
  return command.addHelpText('after', help);
}
