/** The flags of a node agent, which `up` and `agent` share. */
import { type Command, Option } from 'commander';
import { collected, valueOf } from './flag-parser.ts';
import { type ListenAddress, parseListen, parseNodeName, parsePeriod, parseRuntime } from './flag-values.ts';
import type { RuntimeChoice } from './flag-values.ts';
import { UsageError } from './usage-error.ts';

export interface NodeFlags {
  readonly nodeName?: string;
  /** A KubeletConfiguration file. */
  readonly kubeletConfig?: string;
  readonly kubeletListen?: ListenAddress;
  readonly runtime: RuntimeChoice;
  /** Whether this node routes the addresses of services; absent: where the server is mendlet's. */
  readonly serviceProxy?: 'on' | 'off';
  /** Whether this node answers its pods' DNS queries; absent: where the server is mendlet's. */
  readonly clusterDns?: 'on' | 'off';
  /** Where this node makes volumes for claims; absent: in the data folder, where the server is mendlet's. */
  readonly volumesDir?: string;
  /** Where CSI drivers look for the kubelet's folders; absent: /var/lib/kubelet, if it is free. */
  readonly kubeletDir?: string;
  /** Image archives: tar files or folders of them. */
  readonly imageArchive: readonly string[];
  /** False has the same effect as `pleg: 'generic'`. */
  readonly runtimeEvents: boolean;
  /** How changes of containers are found; absent: as configured (auto). */
  readonly pleg?: 'auto' | 'generic' | 'evented';
  /** How often the relist runs while events come, ms; absent: as configured (10 s). */
  readonly plegRelistPeriod?: number;
}

/** @param kubeletListen default address of the agent's own API */
export function addNodeFlags(command: Command, { kubeletListen }: { readonly kubeletListen: string }): Command {
  return command
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
        `address of the node agent's own API (default: ${kubeletListen}, or any free port where that is taken)`,
      ).argParser(valueOf(parseListen)),
    );
}

export function addServiceFlags(command: Command): Command {
  return command.addOption(
    new Option(
      '--service-proxy <on|off>',
      "whether this node routes the addresses of services (default: on where the API server is mendlet's)",
    ).choices(['on', 'off']),
  );
}

export function addDnsFlag(command: Command): Command {
  return command.addOption(
    new Option(
      '--cluster-dns <on|off>',
      "whether this node answers the DNS queries of its pods (default: on where the API server is mendlet's)",
    ).choices(['on', 'off']),
  );
}

export function addVolumesFlag(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--volumes-dir <DIR>',
        'where this node keeps the volumes of claims (default: DIR/volumes of the data folder)',
      ),
    )
    .addOption(
      new Option(
        '--kubelet-dir <DIR>',
        "where CSI drivers look for the kubelet's folders (default: /var/lib/kubelet, unless it is somebody else's)",
      ),
    );
}

export function addRuntimeFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--runtime <RUNTIME>',
        'auto or containerd: a private containerd; unix:///PATH: an existing CRI socket',
      )
        .argParser(valueOf(parseRuntime))
        .default(parseRuntime('auto'), 'auto'),
    )
    .option(
      '--image-archive <TAR|DIR>',
      'import images from an archive, or all *.tar of a folder (may be repeated)',
      collected,
    );
}

export function addLogFormatFlag(command: Command): Command {
  return command.addOption(
    new Option('--log-format <FORMAT>', 'format of the logs').choices(['text', 'json']).default('text'),
  );
}

export function addPlegFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--pleg <MODE>',
        "how changes of containers are found: by the runtime's events (evented), by a relist each second (generic), or by events while there are any (default: auto)",
      ).choices(['auto', 'generic', 'evented']),
    )
    .addOption(
      new Option(
        '--pleg-relist-period <TIME>',
        'how often a relist runs as a safety net while events come (default: 10s; upstream: 300s)',
      ).argParser(valueOf(parsePeriod)),
    )
    .option('--no-runtime-events', 'the same as --pleg generic');
}

/** Checks the flags of PLEG against each other. @throws UsageError */
export function checkPlegFlags(options: Pick<NodeFlags, 'pleg' | 'runtimeEvents' | 'plegRelistPeriod'>): void {
  const generic = options.pleg === 'generic' || !options.runtimeEvents;
  if (!options.runtimeEvents && options.pleg !== undefined && options.pleg !== 'generic') {
    throw new UsageError(`--pleg ${options.pleg} needs the runtime's events: leave out --no-runtime-events.`);
  }
  if (generic && options.plegRelistPeriod !== undefined) {
    throw new UsageError('--pleg-relist-period goes with events: Generic PLEG relists each second.');
  }
}
