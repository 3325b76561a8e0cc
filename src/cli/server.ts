/** Defines the verb `mendlet server`; `main` implements it. */
import { Command, Option } from 'commander';
import { addClusterFlags, checkClusterFlags, type ClusterFlags } from './cluster-flags.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { dataDirFlag, valueOf } from './flag-parser.ts';
import {
  type Cidr,
  DEFAULT_SERVICE_CIDR,
  type ListenAddress,
  overlaps,
  parseListen,
  parsePodCidr,
} from './flag-values.ts';
import { type JoinToken, parseServerToken } from './join-token.ts';
import { addLogFormatFlag } from './node-flags.ts';
import { parseIpAddress, parseMaskSize } from './node-values.ts';
import { UsageError } from './usage-error.ts';

export interface ServerFlags extends ClusterFlags {
  readonly dataDir?: string;
  readonly listen: ListenAddress;
  /** The address at which nodes and pods reach the server; absent: the listener's address, or that of the default route. */
  readonly advertiseAddress?: string;
  readonly clusterCidr: Cidr;
  readonly nodeCidrMaskSize: number;
  readonly serviceCidr?: Cidr;
  /** Absent: the one of the last start, or a new one. */
  readonly token?: JoinToken;
  readonly logFormat: 'text' | 'json';
}

const help = `
Examples:
  mendlet server                                       start, and print the command with which other machines join
  mendlet server --listen 192.0.2.1:6443
  mendlet token create                                 make another token, valid for 24 hours
  kubectl --kubeconfig /var/lib/mendlet/kubeconfig get nodes

This machine is no node, and runs no pods. Machines join with
"mendlet agent --server URL --token TOKEN", and get their part of the pods' network from the server.

The command stays in the foreground. Ctrl-C or SIGTERM ends it; pods keep running on their nodes, and the agents reconnect to
the next "mendlet server" on the same data folder.

Files:
  DIR                  the data folder: /var/lib/mendlet for root, else $XDG_DATA_HOME/mendlet (~/.local/share/mendlet)
  DIR/kubeconfig       for kubectl, with full rights
  DIR/pki              the cluster's certificates and keys

${exitCodesHelp}`;

/** @param run implements the verb */
export function serverCommand(run: (options: ServerFlags) => Promise<void>): Command {
  const command = new Command('server')
    .summary("run a cluster's API server, controllers and scheduler, without a node")
    .description('Starts an API server, controllers and a scheduler; nodes join with "mendlet agent".')
    .addOption(dataDirFlag('the data folder (see Files)'))
    .addOption(
      new Option('--listen <HOST:PORT>', 'address of the API server')
        .argParser(valueOf(parseListen))
        .default(parseListen('0.0.0.0:6443'), '0.0.0.0:6443'),
    )
    .addOption(
      new Option(
        '--advertise-address <IP>',
        'the address at which nodes and pods reach the server (default: that of --listen, or of the default route)',
      ).argParser(valueOf(parseIpAddress)),
    )
    .addOption(
      new Option('--cluster-cidr <CIDR>', 'the network of all pods; each node gets a part of it')
        .argParser(valueOf(parsePodCidr))
        .default(parsePodCidr('10.244.0.0/16'), '10.244.0.0/16'),
    )
    .addOption(
      new Option('--node-cidr-mask-size <N>', "the mask size of each node's part")
        .argParser(valueOf(parseMaskSize))
        .default(24, '24'),
    )
    .addOption(
      new Option('--service-cidr <CIDR>', 'the network of services (default: 10.96.0.0/16)').argParser(
        valueOf(parsePodCidr),
      ),
    )
    .addOption(
      new Option(
        '--token <TOKEN>',
        'a token, ID.SECRET, that never expires and with which machines join (default: made at the first start)',
      ).argParser(valueOf(parseServerToken)),
    );
  return addLogFormatFlag(addClusterFlags(command))
    .addHelpText('after', help)
    .action(async (options: ServerFlags) => {
      checkTogether(options);
      await run(options);
    });
}

function checkTogether(options: ServerFlags): void {
  const { clusterCidr, nodeCidrMaskSize } = options;
  checkClusterFlags(options);
  const services = options.serviceCidr ?? DEFAULT_SERVICE_CIDR;
  if (overlaps(services, clusterCidr)) {
    const whose = options.serviceCidr === undefined ? 'the default --service-cidr' : '--service-cidr';
    throw new UsageError(`${whose} ${services.text} overlaps --cluster-cidr ${clusterCidr.text}.`);
  }
  if (nodeCidrMaskSize < clusterCidr.prefix) {
    throw new UsageError(`--node-cidr-mask-size ${nodeCidrMaskSize} is more than all of ${clusterCidr.text}.`);
  }
  // Upstream's bound, for the same reason: the bit map of assigned networks would grow too large.
  if (nodeCidrMaskSize - clusterCidr.prefix > 16) {
    throw new UsageError('--node-cidr-mask-size may be 16 more than the mask of --cluster-cidr at most.');
  }
}
