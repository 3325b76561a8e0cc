/** `mendlet up`: the definition of the verb. What it does is given by `main`. */
import { Command, Option } from 'commander';
import { exitCodesHelp } from './exit-codes.ts';
import { collected, valueOf } from './flag-parser.ts';
import {
  type Cidr,
  type ListenAddress,
  parseListen,
  parseNodeName,
  parsePeriod,
  parsePodCidr,
  parseRuntime,
  parseSeconds,
  type RuntimeChoice,
} from './flag-values.ts';
import { UsageError } from './usage-error.ts';

/** All that `mendlet up` was told; paths as written. */
export interface UpOptions {
  /** Manifests: files, folders, "-" for standard input. */
  readonly filename: readonly string[];
  readonly demo: boolean;
  /** Ends the demo by itself. */
  readonly demoSeconds?: number;
  readonly dataDir?: string;
  readonly listen?: ListenAddress;
  readonly nodeName?: string;
  /** A KubeletConfiguration file. */
  readonly kubeletConfig?: string;
  readonly kubeletListen?: ListenAddress;
  readonly podCidr?: Cidr;
  readonly runtime: RuntimeChoice;
  /** Image archives: tar files or folders of them. */
  readonly imageArchive: readonly string[];
  readonly logFormat: 'text' | 'json';
  /** False: as `pleg: 'generic'`. */
  readonly runtimeEvents: boolean;
  /** How changes are found; absent: as configured (auto). */
  readonly pleg?: 'auto' | 'generic' | 'evented';
  /** How often the relist runs while events come, ms; absent: as configured (10 s). */
  readonly plegRelistPeriod?: number;
}

export const defaultListen = parseListen('127.0.0.1:6443');
export const defaultPodCidr = parsePodCidr('10.244.0.0/16');

const help = `
Examples:
  mendlet up --demo                  watch pods fail and heal; removes everything at its end
  mendlet up                         an empty host; give it pods with kubectl
  mendlet up -f pods.yaml            a host with the pods of a manifest
  mendlet up --image-archive app.tar import an image that no registry has
  kubectl --kubeconfig /var/lib/mendlet/kubeconfig get pods

It stays in the foreground. When all is ready, one line on standard output says where the kubeconfig is; logs go to
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

/** For flags that were not given, where commander's own defaults would only clutter the help. */
const unset = { filename: [], imageArchive: [], demo: false };

/** @param run does the work */
export function upCommand(run: (options: UpOptions) => Promise<void>): Command {
  return new Command('up')
    .summary('turn this machine into a host on which pods heal')
    .description('Starts an API server, controllers, a scheduler and a node agent in this one process.')
    .option(
      '-f, --filename <PATH>',
      'apply this manifest once the node is up: a file, a folder or "-" (may be repeated)',
      collected,
    )
    .option('--demo', 'run pods that fail in different ways and show how each is healed')
    .addOption(new Option('--demo-seconds <N>', 'end the demo after so many seconds').argParser(valueOf(parseSeconds)))
    .option('--data-dir <DIR>', 'the data folder (see Files)')
    .addOption(
      new Option(
        '--listen <HOST:PORT>',
        'where the API server listens (default: 127.0.0.1:6443; with --demo any free port)',
      ).argParser(valueOf(parseListen)),
    )
    .addOption(
      new Option('--node-name <NAME>', 'name of the node (default: the host name)').argParser(valueOf(parseNodeName)),
    )
    .option(
      '--kubelet-config <FILE>',
      'settings of the node agent: a KubeletConfiguration file, as the kubelet takes it',
    )
    .addOption(
      new Option(
        '--kubelet-listen <HOST:PORT>',
        'where the node agent has its own API (default: 127.0.0.1:10250, or any free port where that is taken)',
      ).argParser(valueOf(parseListen)),
    )
    .addOption(
      new Option(
        '--pod-cidr <CIDR>',
        'the network that pods get their addresses from (default: 10.244.0.0/16; with --demo a free one)',
      ).argParser(valueOf(parsePodCidr)),
    )
    .addOption(
      new Option(
        '--runtime <RUNTIME>',
        'auto or containerd: a private containerd; unix:///PATH: a CRI socket that is there',
      )
        .argParser(valueOf(parseRuntime))
        .default(parseRuntime('auto'), 'auto'),
    )
    .option(
      '--image-archive <TAR|DIR>',
      'import images from an archive, or all *.tar of a folder (may be repeated)',
      collected,
    )
    .addOption(new Option('--log-format <FORMAT>', 'how logs look').choices(['text', 'json']).default('text'))
    .addOption(
      new Option(
        '--pleg <MODE>',
        "how changes of containers are found: by the runtime's events (evented), by a relist each second (generic), or by events while there are any (default: auto)",
      ).choices(['auto', 'generic', 'evented']),
    )
    .addOption(
      new Option(
        '--pleg-relist-period <TIME>',
        'how often the safety net, a relist, runs while events come (default: 10s; upstream: 300s)',
      ).argParser(valueOf(parsePeriod)),
    )
    .option('--no-runtime-events', 'the same as --pleg generic')
    .addHelpText('after', help)
    .action(async (given: Partial<UpOptions>) => {
      const options = { ...unset, ...given } as UpOptions;
      checkTogether(options);
      await run(options);
    });
}

/** What each flag alone cannot know. */
function checkTogether(options: UpOptions): void {
  if (options.demoSeconds !== undefined && !options.demo) throw new UsageError('--demo-seconds goes with --demo.');
  if (options.demo && options.dataDir !== undefined) {
    throw new UsageError('--demo has a data folder of its own, removed at its end: leave out --data-dir.');
  }
  if (options.demo && options.filename.length > 0) {
    throw new UsageError('--demo brings its own pods: leave out -f, or start without --demo.');
  }
  const generic = options.pleg === 'generic' || !options.runtimeEvents;
  if (!options.runtimeEvents && options.pleg !== undefined && options.pleg !== 'generic') {
    throw new UsageError(`--pleg ${options.pleg} needs the runtime's events: leave out --no-runtime-events.`);
  }
  if (generic && options.plegRelistPeriod !== undefined) {
    throw new UsageError('--pleg-relist-period goes with events: Generic PLEG relists each second.');
  }
  if (options.filename.filter((path) => path === '-').length > 1) {
    throw new UsageError('Standard input can be read only once: give "-f -" once.');
  }
}
