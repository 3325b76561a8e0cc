/**
 * Keeps the routes to other nodes' pods as the nodes come, go and move. The last known peers are kept in a file: after a
 * restart without a server pods must not lose each other, nor their own addresses.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CONFIG_MAPS, type ConfigMap } from '../api/index.ts';
import { type KubeClient, withoutManagedFields, createReflector } from '../client/index.ts';
import { NODE_ROUTES, readNodeRoutes } from '../controllers/index.ts';
import { type Peer, podNetwork, setPeers, setRoutes } from '../cri/containerd/network.node.ts';
import { assert, type Clock, errorMessage, type Logger, type Random } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import { outwardAddresses } from './machine-addresses.node.ts';
import { peersOf } from './node-peers.ts';

export interface NodeRoutesOptions {
  readonly nodeName: string;
  /** The network of this machine's pods; '': it has none, and the server alone wants to reach those of the nodes. */
  readonly podCidr: string;
  readonly instanceId: string;
  /** Where the last known peers are kept. */
  readonly file: string;
  /** May read the ConfigMap of routes. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Changes that come together are made together. */
const SETTLE_MS = 50;
/** Links come up, and somebody may have flushed the machine's routes. */
const REPEAT_MS = 60_000;
const RETRY_MS = 5_000;

/** Runs until the signal is aborted; routes stay. */
export async function keepNodeRoutes(options: NodeRoutesOptions, signal: AbortSignal): Promise<void> {
  const { clock, logger, podCidr, instanceId } = options;
  const network = podCidr === '' ? undefined : podNetwork(instanceId, podCidr);
  assert(typeof network !== 'string', `${podCidr} is no network of pods`);
  let peers = readPeers(options.file);
  // A machine alone is not touched.
  let isNeeded = peers.length > 0;
  let told = '';
  const wake = new Wake(clock);
  const apply = async (): Promise<number> => {
    if (!isNeeded) return REPEAT_MS;
    try {
      const failures =
        network === undefined
          ? await setRoutes(systemProcess, instanceId, peers)
          : await setPeers(systemProcess, network, peers);
      const text = failures.join('; ');
      if (text !== told && text !== '') logger.warn('pods of some nodes are not reached from here', { failures });
      told = text;
      return failures.length === 0 ? REPEAT_MS : RETRY_MS;
    } catch (error) {
      if (!signal.aborted) logger.warn('routes to other nodes not set', { error: errorMessage(error) });
      return RETRY_MS;
    }
  };
  const reflector = createReflector<ConfigMap>({
    ...options,
    logger: quietly(logger),
    resource: CONFIG_MAPS,
    query: { namespace: NODE_ROUTES.namespace, fieldSelector: `metadata.name=${NODE_ROUTES.name}` },
    transform: withoutManagedFields,
  });
  const { lister } = reflector;
  lister.onChange(() => wake.soon(SETTLE_MS));
  const look = (): void => {
    if (!lister.synced) return;
    const found = peersOf(readNodeRoutes(lister.list()[0]), { ...options, addresses: outwardAddresses() });
    isNeeded ||= found.length > 0;
    if (JSON.stringify(found) === JSON.stringify(peers)) return;
    peers = found;
    logger.info('other nodes’ pods', { peers: peers.map(({ cidr, via }) => `${cidr} via ${via ?? 'this machine'}`) });
    try {
      writePeers(options.file, peers);
    } catch (error) {
      // A full disk: the server tells them again after a restart.
      logger.warn('the way to other nodes is not kept', { error: errorMessage(error) });
    }
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      look();
      wake.soon(await apply());
      await wake.wait(signal);
    }
  };
  await Promise.all([reflector.run(signal), loop()]);
}

/** The earliest of the times that were asked for. */
class Wake {
  readonly #clock: Clock;
  #timer: { cancel(): void } | undefined;
  #due = Number.POSITIVE_INFINITY;
  #resolve: (() => void) | undefined;
  #isDue = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  soon(delayMs: number): void {
    const due = this.#clock.now().mono + delayMs;
    if (this.#isDue || due >= this.#due) return;
    this.#due = due;
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(delayMs, () => {
      this.#isDue = true;
      this.#due = Number.POSITIVE_INFINITY;
      this.#resolve?.();
    });
  }

  async wait(signal: AbortSignal): Promise<void> {
    if (!this.#isDue && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    if (signal.aborted) this.#timer?.cancel();
    this.#isDue = false;
    this.#resolve = undefined;
  }
}

/** A server that does not let us see its routes is told of once, with what helps. */
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

function readPeers(file: string): readonly Peer[] {
  if (!existsSync(file)) return [];
  try {
    const peers = JSON.parse(readFileSync(file, 'utf8')) as readonly Peer[];
    return Array.isArray(peers) ? peers : [];
  } catch {
    // Half written, or somebody's: the server tells them again.
    return [];
  }
}

function writePeers(file: string, peers: readonly Peer[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(peers)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Takes all routes of an instance away. */
export async function removeNodeRoutes(instanceId: string): Promise<void> {
  await setRoutes(systemProcess, instanceId, []);
}
