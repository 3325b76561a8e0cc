/** Defines the verb `mendlet why`. */
import { Command, Option } from 'commander';
import { type ClusterChoice, choiceOf, type WithCluster, withClusterFlags } from './cluster-session.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { runWhy } from './why/run-why.ts';
import { parseWhyTarget } from './why/target.ts';

const help = (program: string): string => `
Examples:
  ${program} pod/web-1                 why it crashes, waits, or is not ready
  ${program} deploy/web -n shop        its own troubles, and those that its pods share
  ${program} node/n1                   conditions, lease, pressure, and what crashes there
  ${program} pod/web-1 -o json         findings with their evidence, for programs
  ${program} deploy/web --exit-code    ends with 1 when something is wrong

Findings come with what they rest on, most telling first; where nothing is wrong it says so. What could not be read is named,
and nothing is concluded from it. Reads only; of Secrets it keeps no more than the names of keys.

${exitCodesHelp}`;

interface WhyFlags extends ClusterChoice {
  readonly output: 'text' | 'json';
  readonly exitCode?: boolean;
}

/**
 * @param program the name for hints: "mendlet why" or "kubectl why"
 * @param finish receives the exit code
 */
export function whyCommand(withCluster: WithCluster, finish: (code: ExitCode) => void, program: string): Command {
  return withClusterFlags(new Command('why'))
    .summary('say why a pod, a workload or a node is not well')
    .description('Says why a pod, a workload or a node is not well, from what the cluster and its nodes know.')
    .argument('[TARGET...]', 'pod/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME, job/NAME or node/NAME')
    .addOption(new Option('-o, --output <FORMAT>', 'how to print').choices(['text', 'json']).default('text'))
    .addOption(new Option('--exit-code', 'end with 1 when something is wrong'))
    .addHelpText('after', help(program))
    .action(async (args: readonly string[], flags: WhyFlags) => {
      const target = parseWhyTarget(args);
      const namespaceGiven = flags.namespace !== undefined;
      const options = { target, output: flags.output, exitCode: flags.exitCode === true, namespaceGiven };
      finish(await withCluster(choiceOf(flags), (session) => runWhy(session, options)));
    });
}
