/** Defines the verb `mendlet healer`; `main` implements it. */
import { Command, Option } from 'commander';
import { exitCodesHelp } from './exit-codes.ts';
import { valueOf } from './flag-parser.ts';
import { type ListenAddress, parseListen } from './flag-values.ts';
import { addLogFormatFlag } from './node-flags.ts';
import { parseSwitch } from './node-values.ts';

export interface HealerOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Address of health and metrics. */
  readonly listen: ListenAddress;
  readonly leaderElect: boolean;
  readonly logFormat: 'text' | 'json';
}

const help = `
Examples:
  mendlet healer --kubeconfig admin.conf          beside any Kubernetes API server
  kubectl apply -f deploy/mendlet-healer.yaml     the same in the cluster, with what it needs

The controllers of HealingPolicy, PodRestart, moves to other nodes and late recovery, and nothing else. "mendlet up" and
"mendlet server" have them built in, unless --healing-controller=false leaves them to this. The API server must know the
group mendlet.dev (deploy/crds.yaml); pods heal where their node runs "mendlet agent".

In a pod it uses its service account, and reads its token anew; else the kubeconfig of the flag, $KUBECONFIG or
~/.kube/config. Of several healers the one works that holds the lease kube-system/mendlet-healer.

It stays in the foreground. Ctrl-C or SIGTERM ends it.

HTTP, on --listen:
  /healthz, /livez     it runs
  /readyz              it has found the API server and the kinds of its group
  /metrics

${exitCodesHelp}`;

/** @param run implements the verb */
export function healerCommand(run: (options: HealerOptions) => Promise<void>): Command {
  const command = new Command('healer')
    .summary('run the healing controllers beside any Kubernetes API server')
    .description('Runs the healing controllers, and nothing else, against an API server.')
    .addOption(
      new Option('--kubeconfig <FILE>', "which API server (default: in a pod its cluster's, else as kubectl finds it)"),
    )
    .addOption(new Option('--context <NAME>', 'the context of the kubeconfig'))
    .addOption(
      new Option('--listen <HOST:PORT>', 'where health and metrics are told')
        .argParser(valueOf(parseListen))
        .default(parseListen('127.0.0.1:10261'), '127.0.0.1:10261'),
    )
    .addOption(
      new Option('--leader-elect <true|false>', 'work only while it holds the lease')
        .argParser(valueOf(parseSwitch))
        .default(true, 'true'),
    );
  return addLogFormatFlag(command).addHelpText('after', help).action(run);
}
