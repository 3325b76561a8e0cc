/** Defines the verb `mendlet why`. */
import { Command, Option } from 'commander';
import { type ClusterChoice, choiceOf, type WithCluster, withClusterFlags } from './cluster-session.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { runWhy } from './why/run-why.ts';
import { parseWhyTarget, WANTED } from './why/target.ts';

const help = (program: string): string => `
Examples:
  ${program} pod/web-1                 why it crashes, waits, or is not ready
  ${program} deploy/web -n shop        its own problems, and those that its pods share
  ${program} svc/web                   why nothing answers at its name: selector, pods, ports, policies
  ${program} node/n1                   conditions, lease, pressure, and crashes on the node
  ${program} pvc/data                  why it has no volume, or lost it; how full it is, and which pods use it
  ${program} pv/pvc-1                  why it is not bound, not attached, or does not go
  ${program} cronjob/report            why it starts no job, and how its last job ended
  ${program} pdb/web                   why it lets no pod be evicted
  ${program} hpa/web                   why it does not scale its workload, or not further
  ${program} -l app=web                the pods with this label, and the workloads above them
  ${program} -n shop                   everything in one namespace (or ns/shop)
  ${program}                           everything in the cluster, the most significant first
  ${program} pod/web-1 -o json         findings with their evidence, for programs
  ${program} deploy/web --exit-code    exits with 1 when something is wrong, hints (info) apart

Findings are printed with their evidence, the most significant first; without findings the output says that nothing is wrong,
or that the object is not as wanted yet. Answers about many objects are short: the first suggested command has the rest.
Objects that could not be read are named, and no conclusion is drawn from them. The command only reads. Of Secrets it keeps
only the names of keys.

${exitCodesHelp}`;

interface WhyFlags extends ClusterChoice {
  readonly output: 'text' | 'json';
  readonly exitCode?: boolean;
  readonly selector?: string;
}

/**
 * @param program the name for hints: "mendlet why" or "kubectl why"
 * @param finish receives the exit code
 */
export function whyCommand(withCluster: WithCluster, finish: (code: ExitCode) => void, program: string): Command {
  return withClusterFlags(new Command('why'))
    .summary('say why a pod, a workload, a namespace or the cluster is not well')
    .description(
      'Says why a pod, a workload, a service, a claim, a node, a namespace or the whole cluster is not well, from what the cluster and its nodes know.',
    )
    .argument('[TARGET...]', WANTED)
    .addOption(new Option('-l, --selector <LABELS>', 'the pods with these labels, for instance app=web'))
    .addOption(new Option('-o, --output <FORMAT>', 'format of the output').choices(['text', 'json']).default('text'))
    .addOption(new Option('--exit-code', 'exit with 1 when something is wrong'))
    .addHelpText('after', help(program))
    .action(async (args: readonly string[], flags: WhyFlags) => {
      const target = parseWhyTarget(args, {
        ...(flags.selector === undefined ? {} : { selector: flags.selector }),
        ...(flags.namespace === undefined ? {} : { namespace: flags.namespace }),
      });
      const namespaceGiven = flags.namespace !== undefined;
      const options = { target, output: flags.output, exitCode: flags.exitCode === true, namespaceGiven };
      finish(await withCluster(choiceOf(flags), (session) => runWhy(session, options)));
    });
}
