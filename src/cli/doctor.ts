/** Defines the verb `mendlet doctor`. */
import { Command, Option } from 'commander';
import {
  type ClusterChoice,
  type ClusterSession,
  choiceOf,
  type WithCluster,
  withClusterFlags,
} from './cluster-session.ts';
import { type DoctorOptions, runDoctor } from './doctor/run-doctor.ts';
import { parseDoctorSource, parseDoctorTarget } from './doctor/target.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';

const help = (program: string): string => `
Examples:
  ${program}                        from each node: the service kubernetes, and the node's DNS
  ${program} svc/web -n shop        from each node: the name, the address and the ports of a service
  ${program} svc/web --node n1      from one node
  ${program} svc/web --from web-0   from one pod, on its node
  ${program} svc/web -o json        steps with their results, for programs

Each node enters the network of one of its running pods, best of one in the service's namespace, asks that pod's name server
for the service's name, and opens a TCP connection to each port, which it closes at once. The first step that is broken says
what would help. Nodes whose agent is not mendlet's cannot be tried.

Needs the right to "get" nodes/proxy. It exits with 1 when something is broken.

${exitCodesHelp}`;

interface DoctorFlags extends ClusterChoice {
  readonly node?: string;
  readonly from?: string;
  readonly output: DoctorOptions['output'];
}

/**
 * @param program the name for hints: "mendlet doctor"
 * @param finish receives the exit code
 */
export function doctorCommand(withCluster: WithCluster, finish: (code: ExitCode) => void, program: string): Command {
  return withClusterFlags(new Command('doctor'))
    .summary('try the way from a pod to a service, and say where it is broken')
    .description('Tries the way from a pod of each node to a service, DNS included, and says where it is broken.')
    .argument('[SERVICE...]', 'svc/NAME (default: svc/kubernetes in the namespace default)')
    .addOption(new Option('--node <NAME>', 'from this node alone'))
    .addOption(new Option('--from <POD>', 'from this pod alone: POD, or NAMESPACE/POD'))
    .addOption(new Option('-o, --output <FORMAT>', 'format of the output').choices(['text', 'json']).default('text'))
    .addHelpText('after', help(program))
    .action(async (args: readonly string[], flags: DoctorFlags) => {
      const { node, output, from } = flags;
      const options = { target: parseDoctorTarget(args), output, ...(node !== undefined && { node }) };
      const run = (session: ClusterSession): Promise<ExitCode> => {
        const source = from === undefined ? undefined : parseDoctorSource(from, session.namespace);
        return runDoctor(session, { ...options, ...(source && { from: source }) });
      };
      finish(await withCluster(choiceOf(flags), run));
    });
}
