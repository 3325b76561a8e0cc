/** Defines the verb `mendlet agent`; `main` implements it. */
import { Command, Option } from 'commander';
import type { Taint } from '../api/index.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { dataDirFlag, valueOf } from './flag-parser.ts';
import { type Cidr, parsePodCidr } from './flag-values.ts';
import { addJoinFlags, checkJoinFlags, type JoinFlags } from './join-flags.ts';
import {
  addDnsFlag,
  addVolumesFlag,
  addLogFormatFlag,
  addNodeFlags,
  addPlegFlags,
  addRuntimeFlags,
  addServiceFlags,
  checkPlegFlags,
  type NodeFlags,
} from './node-flags.ts';
import { parseIpAddress, parseNodeLabels, parseTaints } from './node-values.ts';

export interface AgentFlags extends NodeFlags, JoinFlags {
  readonly dataDir?: string;
  readonly nodeIp?: string;
  /** Used instead of the pod CIDR that the server assigns. */
  readonly podCidr?: Cidr;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly registerWithTaints: readonly Taint[];
  readonly logFormat: 'text' | 'json';
}

const help = `
Examples:
  mendlet agent --server https://192.0.2.1:6443 --token TOKEN   join; "mendlet server" prints this with its token
  mendlet agent                                                 continue in the cluster that an earlier start joined
  mendlet agent --kubeconfig FILE                               join any Kubernetes API server

With a token the agent first verifies that the server has the certificate authority that the token names. Then it asks the
server for its own certificate and keeps that in the data folder, so the token is needed only once. The agent renews its
certificates in time.

The command stays in the foreground. When the node is Ready, one line on standard output says so; logs go to standard
error. Ctrl-C or SIGTERM ends it and leaves the pods running: the next "mendlet agent" takes them over. "mendlet down" stops
and removes them, and takes the node out of the cluster.

Files:
  DIR                  the data folder: /var/lib/mendlet for root, else $XDG_DATA_HOME/mendlet (~/.local/share/mendlet)
  DIR/kubeconfig       the agent's own kubeconfig for the server
  DIR/pki              its certificates and keys
  DIR/images/*.tar     image archives, imported at start
  DIR/manifests        static pods
  /run/mendlet/ID      socket and state of the private containerd
  /var/log/pods        the containers' logs

${exitCodesHelp}`;

const unset = { imageArchive: [], nodeLabels: {}, registerWithTaints: [] };

/** @param run implements the verb */
export function agentCommand(run: (options: AgentFlags) => Promise<void>): Command {
  const command = new Command('agent')
    .summary('make this machine a node of a cluster')
    .description('Starts a node agent that joins the API server of "mendlet server" or of any Kubernetes cluster.')
    .addOption(dataDirFlag('the data folder (see Files)'));
  addJoinFlags(command);
  addNodeFlags(command, { kubeletListen: '0.0.0.0:10250' })
    .addOption(
      new Option('--node-ip <IP>', 'the address of the node (default: that of the default route)').argParser(
        valueOf(parseIpAddress),
      ),
    )
    .addOption(
      new Option('--node-labels <LABELS>', 'labels of the node when it registers: KEY=VALUE,KEY=VALUE').argParser(
        valueOf(parseNodeLabels),
      ),
    )
    .addOption(
      new Option(
        '--register-with-taints <TAINTS>',
        'taints of the node when it registers: KEY=VALUE:EFFECT,…',
      ).argParser(valueOf(parseTaints)),
    )
    .addOption(
      new Option(
        '--pod-cidr <CIDR>',
        "the network of this node's pods, if the server assigns none (default: the network that the server assigns)",
      ).argParser(valueOf(parsePodCidr)),
    );
  addVolumesFlag(addDnsFlag(addServiceFlags(command)));
  return addPlegFlags(addLogFormatFlag(addRuntimeFlags(command)))
    .addHelpText('after', help)
    .action(async (given: Partial<AgentFlags>) => {
      const options = { ...unset, ...given } as AgentFlags;
      checkJoinFlags(options);
      checkPlegFlags(options);
      await run(options);
    });
}
