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
  mendlet image import web.tar         bring in what "docker save", "podman save" or "skopeo copy" wrote
  mendlet image import /media/images   every .tar of a folder
  mendlet image ls                     the images that pods of this machine can use

Works while mendlet runs, for the private containerd of its data folder. An archive in DIR/images is imported by itself, also
while mendlet runs: when it comes, when it changes, and at each start if its images are gone. Images from archives are never
collected, as no registry could give them back.

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
    .argument('<FILE...>', 'a .tar with images, or a folder of such')
    .addOption(dataDir())
    .action((files: readonly string[], given: { dataDir?: string }) => run({ verb: 'import', files, ...given }));
  command
    .command('ls')
    .description('Lists the images.')
    .addOption(dataDir())
    .action((given: { dataDir?: string }) => run({ verb: 'ls', ...given }));
  return command.addHelpText('after', help);
}
