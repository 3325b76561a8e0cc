/**
 * Keeps the routes to other nodes' pods as the nodes come, go and move. The last known peers are kept in a file: after a
 * restart without a server pods must not lose each other, nor their own addresses.
 */
import { CONFIG_MAPS, type ConfigMap } from '../api/index.ts';
import { createReflector, type KubeClient, type Lister } from '../client/index.ts';
import {
  type Clock,
  decodeText,
  errorMessage,
  FileError,
  type FileSystem,
  type Logger,
  type Random,
} from '../lib/index.ts';
import type { NetworkMachine } from './network-machine.ts';
import { NODE_ROUTES, readNodeRoutes } from './node-routes.ts';
import type { Peer } from './peer-routes.ts';
import { peersOf } from './peers.ts';
import type { PodNetwork } from './pod-network.ts';
import { podNetworkOf, setPeers, setRoutes } from './set-up-network.ts';
import { Wake } from './wake.ts';

/** The node whose routes are kept. */
export interface RoutedNode {
  readonly nodeName: string;
  /** The network of this machine's pods; '': it has none, and the server alone wants to reach those of the nodes. */
  readonly podCidr: string;
  readonly instanceId: string;
  /** The file of the last known peers. */
  readonly file: string;
}

export interface NodeRoutesPorts {
  readonly machine: NetworkMachine;
  readonly fs: FileSystem;
  /** May read the ConfigMap of routes. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Is given what makes rules and routes again, at once. */
  readonly onStart?: (again: () => void) => void;
  /** Tells our table whose pods see ours by their own addresses; absent: iptables is told. */
  readonly tellTable?: (networks: readonly string[]) => void;
}

/** Changes that come together are made together. */
const SETTLE_MS = 50;
/** Links come up, and another program may have flushed the machine's routes. */
const REPEAT_MS = 60_000;
const RETRY_MS = 5_000;

/** Runs until the signal is aborted; routes stay. @throws NetworkError when the pods' network is none */
export async function keepNodeRoutes(ports: NodeRoutesPorts, node: RoutedNode, signal: AbortSignal): Promise<void> {
  const keeper = new RouteKeeper(ports, node, await knownPeers(ports.fs, node.file));
  const { client, clock, random, logger } = ports;
  const query = { namespace: NODE_ROUTES.namespace, fieldSelector: `metadata.name=${NODE_ROUTES.name}` };
  const reflector = createReflector<ConfigMap>(
    { client, clock, random, logger: quietly(logger) },
    { resource: CONFIG_MAPS, query },
  );
  const { lister } = reflector;
  const wake = new Wake(clock);
  lister.onChange(() => wake.soon(SETTLE_MS));
  ports.onStart?.(() => wake.soon(0));
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await keeper.look(lister);
      wake.soon(await keeper.apply(signal));
      await wake.wait(signal);
    }
  };
  await Promise.all([reflector.run(signal), loop()]);
}

/** Knows the peers, and makes the machine's routes so. */
class RouteKeeper {
  readonly #ports: NodeRoutesPorts;
  readonly #node: RoutedNode;
  readonly #network: PodNetwork | undefined;
  #peers: readonly Peer[];
  /** A machine alone is not touched. */
  #isNeeded: boolean;
  #told = '';

  constructor(ports: NodeRoutesPorts, node: RoutedNode, peers: readonly Peer[]) {
    this.#ports = ports;
    this.#node = node;
    this.#network = node.podCidr === '' ? undefined : podNetworkOf(node.instanceId, node.podCidr);
    this.#peers = peers;
    this.#isNeeded = peers.length > 0;
  }

  /** Takes the peers that the server publishes, once it has. */
  async look(lister: Lister<ConfigMap>): Promise<void> {
    if (!lister.synced) return;
    const { machine, fs, logger } = this.#ports;
    const found = peersOf(readNodeRoutes(lister.list()[0]), { ...this.#node, addresses: machine.addresses() });
    this.#isNeeded ||= found.length > 0;
    if (JSON.stringify(found) === JSON.stringify(this.#peers)) return;
    this.#peers = found;
    logger.info('other nodes’ pods', { peers: found.map(({ cidr, via }) => `${cidr} via ${via ?? 'this machine'}`) });
    try {
      await writePeers(fs, this.#node.file, found);
    } catch (error) {
      // On a full disk the file is missing: the server publishes them again after a restart.
      logger.warn('the way to other nodes is not kept', { error: errorMessage(error) });
    }
  }

  /** @returns ms after which to do it again */
  async apply(signal: AbortSignal): Promise<number> {
    if (!this.#isNeeded) return REPEAT_MS;
    const { machine, logger, tellTable } = this.#ports;
    const peers = this.#peers;
    try {
      const failures =
        this.#network === undefined
          ? await setRoutes(machine, this.#node.instanceId, peers)
          : await setPeers(machine, this.#network, peers, tellTable);
      const text = failures.join('; ');
      if (text !== this.#told && text !== '') {
        logger.warn('pods of some nodes are not reached from here', { failures });
      }
      this.#told = text;
      return failures.length === 0 ? REPEAT_MS : RETRY_MS;
    } catch (error) {
      if (!signal.aborted) logger.warn('routes to other nodes not set', { error: errorMessage(error) });
      return RETRY_MS;
    }
  }
}

/** A server that does not show us its routes is reported once, with the remedy. */
function quietly(logger: Logger): Logger {
  const child = logger.child({});
  let isTold = false;
  return {
    ...child,
    warn: (message, fields) => {
      const error = fields?.['error'];
      const text = typeof error === 'string' ? error : '';
      if (!/forbidden/i.test(text)) {
        child.warn(message, fields);
        return;
      }
      if (isTold) return;
      isTold = true;
      child.warn('no routes to other nodes: this node may not read them', {
        error: text,
        remedy:
          'on a server of another kind its network plug-in makes the routes; ours lets the group system:nodes read its ConfigMap mendlet-node-routes',
      });
    },
  };
}

/** The peers that an earlier agent has written to the file; none: the file is not there, or damaged. */
export async function knownPeers(fs: FileSystem, file: string): Promise<readonly Peer[]> {
  try {
    const peers = JSON.parse(decodeText(await fs.readFile(file, { maxBytes: MAX_PEERS_BYTES }))) as readonly Peer[];
    return Array.isArray(peers) ? peers : [];
  } catch (error) {
    // The file is missing, half written, or another's: the server publishes the peers again.
    if (error instanceof FileError || error instanceof SyntaxError) return [];
    throw error;
  }
}

async function writePeers(fs: FileSystem, file: string, peers: readonly Peer[]): Promise<void> {
  await fs.mkdir(file.slice(0, file.lastIndexOf('/')), { mode: 0o700 });
  await fs.writeFile(file, `${JSON.stringify(peers)}\n`, { mode: 0o600, atomic: true });
}

/** Some hundred bytes a node, of the thousands that a ConfigMap has room for. */
const MAX_PEERS_BYTES = 4 * 1024 * 1024;

/** Takes all routes of an instance away. */
export async function removeNodeRoutes(machine: NetworkMachine, instanceId: string): Promise<void> {
  await setRoutes(machine, instanceId, []);
}
