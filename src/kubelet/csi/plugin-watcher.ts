/**
 * Registers the drivers whose sockets appear in the registration folder, and forgets those whose sockets are gone (upstream:
 * pluginwatcher, reconciler, csi's RegistrationHandler). The folder is watched; timers run only while a registration fails.
 */
import { type CsiPlugins, type PluginInfo, told } from '../../csi/index.ts';
import {
  type Clock,
  errorMessage,
  exponentialDelay,
  FileError,
  type FileSystem,
  type Logger,
  type Timer,
} from '../../lib/index.ts';
import type { Drivers } from './drivers.ts';
import { MAX_DRIVERS, MAX_NODE_ID_LENGTH, MAX_SOCKETS, REGISTRATION_BACK_OFF } from './limits.ts';
import { isDriverName } from './paths.ts';
import { type ReportOptions, reportDriver, reportNoDriver } from './report-driver.ts';

export interface PluginWatcherPorts extends Pick<ReportOptions, 'client'> {
  readonly clock: Clock;
  readonly fs: FileSystem;
  readonly logger: Logger;
  readonly plugins: CsiPlugins;
}

interface KnownSocket {
  /** Differs when another socket has the name. */
  readonly identity: string;
  /** The driver that was registered by it. */
  driver?: string;
  failures: number;
  retry?: Timer;
}

export class PluginWatcher {
  readonly #ports: PluginWatcherPorts;
  readonly #dir: string;
  readonly #nodeName: string;
  readonly #drivers: Drivers;
  readonly #sockets = new Map<string, KnownSocket>();
  #looking: Promise<void> | undefined;
  #again = false;
  #isOver = false;

  /** @param dir the registration folder; it is there */
  constructor(ports: PluginWatcherPorts, place: { readonly dir: string; readonly nodeName: string }, drivers: Drivers) {
    this.#ports = ports;
    this.#dir = place.dir;
    this.#nodeName = place.nodeName;
    this.#drivers = drivers;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const watch = this.#ports.fs.watch(this.#dir, () => this.look());
    this.look();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.#isOver = true;
    watch.close();
    for (const { retry } of this.#sockets.values()) retry?.cancel();
    this.#drivers.close();
  }

  /** Compares the folder with what is known. One look at a time: what comes meanwhile is one more after it. */
  look(): void {
    if (this.#isOver) return;
    if (this.#looking !== undefined) {
      this.#again = true;
      return;
    }
    this.#looking = this.#look()
      .catch((error: unknown) => {
        this.#ports.logger.warn('the folder of plugin sockets cannot be read', {
          dir: this.#dir,
          error: errorMessage(error),
        });
      })
      .finally(() => {
        this.#looking = undefined;
        if (!this.#again) return;
        this.#again = false;
        this.look();
      });
  }

  async #look(): Promise<void> {
    const found = await this.#found();
    for (const [path, known] of this.#sockets) {
      if (found.get(path) === known.identity) continue;
      known.retry?.cancel();
      this.#sockets.delete(path);
      if (!found.has(path)) this.#gone(path, known);
    }
    for (const [path, identity] of found) {
      if (this.#sockets.has(path)) continue;
      const socket: KnownSocket = { identity, failures: 0 };
      this.#sockets.set(path, socket);
      void this.#register(path, socket);
    }
  }

  /** Path → identity of the sockets in the folder. */
  async #found(): Promise<ReadonlyMap<string, string>> {
    const { fs, logger } = this.#ports;
    const found = new Map<string, string>();
    for (const name of await namesIn(fs, this.#dir)) {
      // Upstream leaves names with a dot at the beginning alone.
      if (name.startsWith('.')) continue;
      const path = `${this.#dir}/${name}`;
      const info = await fs.stat(path);
      if (info?.type === 'socket') found.set(path, `${info.mtimeMs}`);
      if (found.size < MAX_SOCKETS) continue;
      logger.warn('too many sockets of plugins: the rest is left alone', { dir: this.#dir, limit: MAX_SOCKETS });
      break;
    }
    return found;
  }

  #gone(path: string, { driver }: KnownSocket): void {
    if (driver === undefined) return;
    // The same driver may have registered at another socket meanwhile.
    if ([...this.#sockets.values()].some((each) => each.driver === driver)) return;
    this.#ports.logger.info('a CSI driver is gone', { driver, socket: path });
    this.#drivers.unregister(driver);
    void reportNoDriver(this.#report(), driver).catch((error: unknown) => {
      this.#ports.logger.warn('that a CSI driver is gone cannot be told', { driver, error: errorMessage(error) });
    });
  }

  async #register(path: string, socket: KnownSocket): Promise<void> {
    const registrar = this.#ports.plugins.registrar(path);
    try {
      const info = await registrar.info();
      // Upstream hands them to other managers; they are told that nobody is there for them.
      const problem = this.#problemOf(info) ?? (await this.#problemOfDriver(path, info, socket));
      await registrar.notify(problem);
      if (problem !== undefined) throw new Error(problem);
      socket.failures = 0;
    } catch (error) {
      this.#failed(path, socket, error);
    } finally {
      registrar.close();
    }
  }

  #problemOf({ type, name, supportedVersions }: PluginInfo): string | undefined {
    if (type !== 'CSIPlugin') return `no handler registered for plugin type: ${told(type)} at this node`;
    if (!isDriverName(name)) return `invalid name of a CSI driver: ${JSON.stringify(told(name))}`;
    if (!supportedVersions.some((version) => /^v?1(?:\.|$)/.test(version)))
      return `validation failed for CSI Driver ${name}: none of the versions ${told(JSON.stringify(supportedVersions))} is supported`;
    if (this.#drivers.count >= MAX_DRIVERS && !this.#drivers.has(name)) return `there are ${MAX_DRIVERS} CSI drivers`;
    return undefined;
  }

  /** Asks the driver itself, and tells the API server of it. @returns why it cannot be registered */
  async #problemOfDriver(path: string, info: PluginInfo, socket: KnownSocket): Promise<string | undefined> {
    const { plugins, logger } = this.#ports;
    const { name } = info;
    const endpoint = info.endpoint === '' ? path : info.endpoint;
    const calls = plugins.driver(endpoint);
    try {
      const [node, capabilities] = await Promise.all([calls.info(), calls.capabilities()]);
      if (node.nodeId === '') throw new Error('error adding CSI driver node info: driverNodeID must not be empty');
      if (node.nodeId.length > MAX_NODE_ID_LENGTH)
        throw new Error(`driverNodeID must have at most ${MAX_NODE_ID_LENGTH} characters`);
      await reportDriver(this.#report(), name, node);
      if (this.#isOver || this.#sockets.get(path) !== socket) throw new Error('its socket is gone');
      socket.driver = name;
      this.#drivers.register({ name, endpoint, info: node, capabilities, calls });
      logger.info('a CSI driver is registered', { driver: name, endpoint, capabilities: [...capabilities].join() });
      return undefined;
    } catch (error) {
      calls.close();
      return `RegisterPlugin error -- plugin registration failed with err: ${told(errorMessage(error))}`;
    }
  }

  #failed(path: string, socket: KnownSocket, error: unknown): void {
    if (this.#isOver || this.#sockets.get(path) !== socket) return;
    socket.failures += 1;
    const { clock, logger } = this.#ports;
    logger.warn('a plugin cannot be registered', {
      socket: path,
      failures: socket.failures,
      error: errorMessage(error),
    });
    socket.retry = clock.setTimer(exponentialDelay(REGISTRATION_BACK_OFF, socket.failures), () => {
      void this.#register(path, socket);
    });
  }

  #report(): ReportOptions {
    return { client: this.#ports.client, nodeName: this.#nodeName };
  }
}

async function namesIn(fs: FileSystem, dir: string): Promise<readonly string[]> {
  try {
    return await fs.readdir(dir);
  } catch (error) {
    if (error instanceof FileError && error.code === 'ENOENT') return [];
    throw error;
  }
}
