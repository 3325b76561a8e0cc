/** Defines the verb `mendlet why`. */
import { Command, Option } from 'commander';
import { type ClusterChoice, choiceOf, type WithCluster, withClusterFlags } from './cluster-session.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { runWhy } from './why/run-why.ts';
import { parseWhyTarget } from './why/target.ts';

const help = (program: string): string => `
Examples:
  ${program} pod/web-1                 why it crashes, waits, or is not ready
  ${program} deploy/web -n shop        its own problems, and those that its pods share
  ${program} svc/web                   why nothing answers at its name: selector, pods, ports, policies
  ${program} pvc/data-db-0             where its volume is, and why pods cannot have it
  ${program} node/n1                   conditions, lease, pressure, and crashes on the node
  ${program} pod/web-1 -o json         findings with their evidence, for programs
  ${program} deploy/web --exit-code    exits with 1 when something is wrong

Findings are printed with their evidence, the most significant first; without findings the output says that nothing is wrong.
Objects that could not be read are named, and no conclusion is drawn from them. The command only reads. Of Secrets it keeps
only the names of keys.

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
    .summary('say why a pod, a workload, a service, a claim or a node is not well')
    .description(
      'Says why a pod, a workload, a service, a claim or a node is not well, from what the cluster and its nodes know.',
    )
    .argument(
      '[TARGET...]',
      'pod/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME, job/NAME, svc/NAME, pvc/NAME or node/NAME',
    )
    .addOption(new Option('-o, --output <FORMAT>', 'format of the output').choices(['text', 'json']).default('text'))
    .addOption(new Option('--exit-code', 'exit with 1 when something is wrong'))
    .addHelpText('after', help(program))
    .action(async (args: readonly string[], flags: WhyFlags) => {
      const target = parseWhyTarget(args);
      const namespaceGiven = flags.namespace !== undefined;
      const options = { target, output: flags.output, exitCode: flags.exitCode === true, namespaceGiven };
      finish(await withCluster(choiceOf(flags), (session) => runWhy(session, options)));
    });
}
