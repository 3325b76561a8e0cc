/** Defines the verb `mendlet version`. */
import { Command } from 'commander';

export interface Versions {
  readonly mendlet: string;
  /** The version that server and node report. */
  readonly kubernetes: string;
  readonly node: string;
}

/** One line per part, the program's own first. */
export function formatVersions(versions: Versions): string {
  return `mendlet ${versions.mendlet}\nkubernetes ${versions.kubernetes}\nnode ${versions.node}\n`;
}

export function versionCommand(versions: Versions, print: (text: string) => void): Command {
  return new Command('version')
    .summary('print the versions of mendlet, of the Kubernetes API and of Node.js')
    .description('Prints the versions of mendlet, of the Kubernetes API that it speaks, and of Node.js.')
    .action(() => print(formatVersions(versions)));
}
