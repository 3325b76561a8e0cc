/** Defines the verb `mendlet up`; `main` implements it. */
import { Command, Option } from 'commander';
import { addClusterFlags, checkClusterFlags, type ClusterFlags } from './cluster-flags.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { collected, dataDirFlag, valueOf } from './flag-parser.ts';
import {
  type Cidr,
  DEFAULT_SERVICE_CIDR,
  type ListenAddress,
  overlaps,
  parseListen,
  parsePodCidr,
  parseSeconds,
} from './flag-values.ts';
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
import { UsageError } from './usage-error.ts';

/** The flags of `mendlet up`; paths are as written. */
export interface UpFlags extends NodeFlags, ClusterFlags {
  /** Manifests: files, folders, "-" for standard input. */
  readonly filename: readonly string[];
  readonly demo: boolean;
  /** Seconds after which the demo ends by itself. */
  readonly demoSeconds?: number;
  readonly dataDir?: string;
  readonly listen?: ListenAddress;
  readonly podCidr?: Cidr;
  readonly serviceCidr?: Cidr;
  readonly logFormat: 'text' | 'json';
}

export const defaultListen = parseListen('127.0.0.1:6443');
export const defaultPodCidr = parsePodCidr('10.244.0.0/16');

const help = `
Examples:
  mendlet up --demo                  watch pods fail and heal; everything is removed at the end
  mendlet up                         an empty host; give it pods with kubectl
  mendlet up -f pods.yaml            a host with the pods of a manifest
  mendlet up --image-archive app.tar import an image that no registry has
  kubectl --kubeconfig /var/lib/mendlet/kubeconfig get pods

The command stays in the foreground. When all is ready, one line on standard output says where the kubeconfig is; logs go to
standard error. Ctrl-C or SIGTERM ends it and leaves the pods running: the next "mendlet up" takes them over, and
"mendlet down" stops and removes them.

Files:
  DIR                  the data folder: /var/lib/mendlet for root, else $XDG_DATA_HOME/mendlet (~/.local/share/mendlet)
  DIR/kubeconfig       for kubectl, with full rights
  DIR/images/*.tar     image archives, imported at start
  DIR/manifests        static pods: each file's pod runs as long as the file is there (staticPodPath names another folder)
  DIR/registries       HOST/hosts.toml for each private registry, as containerd wants it
  /run/mendlet/ID      socket and state of the private containerd (its log: DIR/containerd/containerd.log)
  /var/log/pods        the containers' logs

${exitCodesHelp}`;

/** Defaults of flags that must not show in --help, where commander would print its own. */
const unset = { filename: [], imageArchive: [], demo: false };

/** @param run implements the verb */
export function upCommand(run: (options: UpFlags) => Promise<void>): Command {
  const command = new Command('up')
    .summary('turn this machine into a host on which pods heal')
    .description('Starts an API server, controllers, a scheduler and a node agent in this one process.')
    .option(
      '-f, --filename <PATH>',
      'apply this manifest once the node is up: a file, a folder or "-" (may be repeated)',
      collected,
    )
    .option('--demo', 'run pods that fail in different ways and show how each is healed')
    .addOption(
      new Option('--demo-seconds <N>', 'end the demo after this number of seconds').argParser(valueOf(parseSeconds)),
    )
    .addOption(dataDirFlag('the data folder (see Files)'))
    .addOption(
      new Option(
        '--listen <HOST:PORT>',
        'address of the API server (default: 127.0.0.1:6443; with --demo any free port)',
      ).argParser(valueOf(parseListen)),
    );
  addNodeFlags(command, { kubeletListen: '127.0.0.1:10250' }).addOption(
    new Option(
      '--pod-cidr <CIDR>',
      'the network of the pods (default: 10.244.0.0/16; with --demo a free one)',
    ).argParser(valueOf(parsePodCidr)),
  );
  addServiceFlags(command).addOption(
    new Option('--service-cidr <CIDR>', 'the network of services (default: 10.96.0.0/16)').argParser(
      valueOf(parsePodCidr),
    ),
  );
  addVolumesFlag(addDnsFlag(command));
  addClusterFlags(addPlegFlags(addLogFormatFlag(addRuntimeFlags(command))));
  return command.addHelpText('after', help).action(async (given: Partial<UpFlags>) => {
    const options = { ...unset, ...given } as UpFlags;
    checkTogether(options);
    await run(options);
  });
}

/** Checks flags against each other. @throws UsageError */
function checkTogether(options: UpFlags): void {
  if (options.demoSeconds !== undefined && !options.demo) throw new UsageError('--demo-seconds goes with --demo.');
  if (options.demo && options.dataDir !== undefined) {
    throw new UsageError('--demo has a data folder of its own, removed at its end: leave out --data-dir.');
  }
  if (options.demo && options.filename.length > 0) {
    throw new UsageError('--demo brings its own pods: leave out -f, or start without --demo.');
  }
  checkPlegFlags(options);
  checkClusterFlags(options);
  const { podCidr, serviceCidr = DEFAULT_SERVICE_CIDR } = options;
  if (podCidr !== undefined && overlaps(podCidr, serviceCidr)) {
    throw new UsageError(`--pod-cidr ${podCidr.text} overlaps the network of services, ${serviceCidr.text}.`);
  }
  if (options.filename.filter((path) => path === '-').length > 1) {
    throw new UsageError('Standard input can be read only once: give "-f -" once.');
  }
}
