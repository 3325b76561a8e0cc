/** Defines the verb `mendlet healer`; `main` implements it. */
import { Command, Option } from 'commander';
import { exitCodesHelp } from './exit-codes.ts';
import { notificationAllowFlag, parseClassName } from './cluster-flags.ts';
import { valueOf } from './flag-parser.ts';
import { type ListenAddress, parseListen } from './flag-values.ts';
import { addLogFormatFlag } from './node-flags.ts';
import { parseSwitch } from './node-values.ts';

export interface HealerFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Address of health and metrics. */
  readonly listen: ListenAddress;
  readonly leaderElect: boolean;
  /** Make the volumes of claims as folders of nodes. */
  readonly localVolumes: boolean;
  /** Name of their StorageClass. */
  readonly localVolumeClass: string;
  /** File with the authority of the kubelets' certificates, PEM. Absent: that of the API server. */
  readonly kubeletAuthority?: string;
  /** Ranges of addresses that messages may go to, beside those they may go to anyway. */
  readonly notificationAllow?: readonly string[];
  readonly logFormat: 'text' | 'json';
}

const help = `
Examples:
  mendlet healer --kubeconfig admin.conf          beside any Kubernetes API server
  kubectl apply -f deploy/mendlet-healer.yaml     the same in the cluster, with what it needs
  mendlet healer --local-volumes                  also give claims folders of nodes as volumes

The healer runs the controllers of HealingPolicy, PodRestart, moves to other nodes, late recovery and notifications. "mendlet up" and
"mendlet server" run them themselves, unless --healing-controller=false leaves them to the healer. The API server must have
the API group mendlet.dev (deploy/crds.yaml). Pods heal only on nodes that run "mendlet agent".

In a pod the healer uses the pod's service account and rereads its token; elsewhere it uses the kubeconfig of the flag,
$KUBECONFIG or ~/.kube/config. Of several healers only the holder of the lease kube-system/mendlet-healer works.

With --local-volumes it makes volumes on nodes whose agent has --volumes-dir. It asks their kubelets with tokens of the service account
kube-system/mendlet-local-volumes that are valid on one node alone, and needs what is in deploy/mendlet-local-volumes.yaml.

The command stays in the foreground. Ctrl-C or SIGTERM ends it.

HTTP, on --listen:
  /healthz, /livez     the healer runs
  /readyz              the healer has found the API server and the kinds of its group
  /metrics

${exitCodesHelp}`;

/** @param run implements the verb */
export function healerCommand(run: (options: HealerFlags) => Promise<void>): Command {
  const command = new Command('healer')
    .summary('run the healing controllers beside any Kubernetes API server')
    .description('Runs the healing controllers, and nothing else, against an API server.')
    .addOption(
      new Option(
        '--kubeconfig <FILE>',
        "the API server's kubeconfig (default: in a pod its cluster, else as for kubectl)",
      ),
    )
    .addOption(new Option('--context <NAME>', 'the context of the kubeconfig'))
    .addOption(
      new Option('--listen <HOST:PORT>', 'address of health and metrics')
        .argParser(valueOf(parseListen))
        .default(parseListen('127.0.0.1:10261'), '127.0.0.1:10261'),
    )
    .addOption(
      new Option('--leader-elect <true|false>', 'work only while this healer holds the lease')
        .argParser(valueOf(parseSwitch))
        .default(true, 'true'),
    )
    .addOption(
      new Option(
        '--local-volumes',
        'also make the volumes of claims as folders of nodes, and a StorageClass for them (deploy/mendlet-local-volumes.yaml)',
      ).default(false, 'false'),
    )
    .addOption(
      new Option('--local-volume-class <NAME>', 'name of that StorageClass, the default unless another one is')
        .argParser(valueOf(parseClassName))
        .default('mendlet-local', 'mendlet-local'),
    )
    .addOption(
      new Option(
        '--kubelet-authority <FILE>',
        "authority of the agents' serving certificates (default: the API server's)",
      ),
    )
    .addOption(notificationAllowFlag());
  return addLogFormatFlag(command).addHelpText('after', help).action(run);
}
