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
import type { PodEvents } from '../types.ts';
import type { CsiMetrics } from './csi-metrics.ts';
import type { Drivers } from './drivers.ts';
import {
  MAX_DRIVERS,
  MAX_FILES,
  MAX_NODE_ID_LENGTH,
  MAX_SOCKETS,
  MAX_TOPOLOGY_KEYS,
  REGISTRATION_BACK_OFF,
} from './limits.ts';
import { isDriverName } from './paths.ts';
import { RegistrationPace } from './registration-pace.ts';
import { type ReportOptions, reportDriver, reportNoDriver } from './report-driver.ts';

export interface PluginWatcherPorts extends Pick<ReportOptions, 'client'> {
  readonly clock: Clock;
  readonly fs: FileSystem;
  readonly logger: Logger;
  readonly plugins: CsiPlugins;
  readonly metrics: Pick<CsiMetrics, 'measured'>;
  readonly events: Pick<PodEvents, 'node'>;
}

interface KnownSocket {
  /** Differs when another socket has the name. */
  readonly identity: string;
  /** The driver that was registered by it, or by the one that had its path before. */
  driver?: string;
  failures: number;
  /** A registration is under way. */
  isBusy?: boolean;
  /** Why the last try failed, as far as the node's event told it. */
  told?: string;
  retry?: Timer;
}

export class PluginWatcher {
  readonly #ports: PluginWatcherPorts;
  readonly #dir: string;
  readonly #nodeName: string;
  readonly #drivers: Drivers;
  readonly #sockets = new Map<string, KnownSocket>();
  readonly #pace = new RegistrationPace();
  /** Drivers that are gone, and that the API server still names. */
  readonly #untold = new Map<string, Timer>();
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
    for (const timer of this.#untold.values()) timer.cancel();
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
    if (this.#isOver) return;
    for (const [path, known] of this.#sockets) {
      if (found.has(path)) continue;
      known.retry?.cancel();
      this.#sockets.delete(path);
      this.#gone(path, known.driver);
    }
    for (const [path, identity] of found) {
      const before = this.#sockets.get(path);
      if (before?.identity === identity) continue;
      before?.retry?.cancel();
      const { driver, told } = before ?? {};
      const socket: KnownSocket = { identity, failures: 0, ...(driver && { driver }), ...(told && { told }) };
      this.#sockets.set(path, socket);
      this.#registerInTime(path, socket);
    }
  }

  /** A socket that is made anew without end costs a registration now and then. */
  #registerInTime(path: string, socket: KnownSocket): void {
    const { clock } = this.#ports;
    const delayMs = this.#pace.delay(path, clock.now().mono);
    if (delayMs === 0) void this.#register(path, socket);
    else socket.retry = clock.setTimer(delayMs, () => void this.#register(path, socket));
  }

  /** Path → identity of the sockets in the folder. */
  async #found(): Promise<ReadonlyMap<string, string>> {
    const { fs, logger } = this.#ports;
    const found = new Map<string, string>();
    let looks = 0;
    for (const path of await this.#paths()) {
      if (found.size >= MAX_SOCKETS || looks >= MAX_FILES) {
        logger.warn('too many files among the sockets of plugins: the rest is left alone', { dir: this.#dir });
        break;
      }
      looks += 1;
      const info = await fs.stat(path).catch((error: unknown) => {
        logger.warn('a file among the sockets of plugins cannot be read', { path, error: errorMessage(error) });
        return undefined;
      });
      if (info?.type === 'socket') found.set(path, `${info.mtimeMs}`);
    }
    return found;
  }

  /** Those with a driver come first: what others put into the folder must not push it out. */
  async #paths(): Promise<readonly string[]> {
    const names = await namesIn(this.#ports.fs, this.#dir);
    // Upstream leaves names with a dot at the beginning alone.
    const paths = names.filter((name) => !name.startsWith('.')).map((name) => `${this.#dir}/${name}`);
    const rank = (path: string): number => {
      const known = this.#sockets.get(path);
      return known?.driver !== undefined ? 0 : path.endsWith('.sock') ? 1 : 2;
    };
    return paths.toSorted((a, b) => rank(a) - rank(b));
  }

  #gone(path: string, driver: string | undefined): void {
    if (driver === undefined) return;
    // The same driver may have registered at another socket meanwhile.
    if ([...this.#sockets.values()].some((each) => each.driver === driver)) return;
    this.#ports.logger.info('a CSI driver is gone', { driver, socket: path });
    this.#drivers.unregister(driver);
    void this.#tellGone(driver);
    // One of its name may wait for its end.
    for (const [other, socket] of this.#sockets) {
      if (socket.failures === 0) continue;
      socket.retry?.cancel();
      void this.#register(other, socket);
    }
  }

  /** The API server may be away: pods must not be sent here for a driver that is not there. */
  async #tellGone(driver: string, failures = 0): Promise<void> {
    const { clock, logger } = this.#ports;
    this.#untold.get(driver)?.cancel();
    this.#untold.delete(driver);
    // What is registered again meanwhile is told anew.
    if (this.#isOver || this.#drivers.has(driver)) return;
    try {
      await reportNoDriver(this.#report(), driver);
    } catch (error) {
      logger.warn('that a CSI driver is gone cannot be told', { driver, failures, error: errorMessage(error) });
      if (this.#isOver || this.#untold.has(driver)) return;
      const delayMs = exponentialDelay(REGISTRATION_BACK_OFF, failures + 1);
      this.#untold.set(
        driver,
        clock.setTimer(delayMs, () => void this.#tellGone(driver, failures + 1)),
      );
    }
  }

  async #register(path: string, socket: KnownSocket): Promise<void> {
    if (socket.isBusy === true) return;
    socket.isBusy = true;
    const registrar = this.#ports.plugins.registrar(path);
    try {
      const info = await registrar.info();
      // Upstream hands them to other managers; they are told that nobody is there for them.
      const problem =
        this.#problemOf(info) ??
        (await this.#problemOfName(path, info)) ??
        (await this.#problemOfDriver(path, info, socket));
      await registrar.notify(problem);
      if (problem !== undefined) throw new Error(problem);
      socket.failures = 0;
      delete socket.told;
    } catch (error) {
      this.#failed(path, socket, error);
    } finally {
      socket.isBusy = false;
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

  /** The volumes of a driver are not another plugin's to serve, as long as the driver's own registrar answers. */
  async #problemOfName(path: string, { name }: PluginInfo): Promise<string | undefined> {
    const [other] = [...this.#sockets].find(([at, { driver }]) => at !== path && driver === name) ?? [];
    if (other === undefined || !this.#drivers.has(name)) return undefined;
    const registrar = this.#ports.plugins.registrar(other);
    try {
      if ((await registrar.info()).name !== name) return undefined;
      return `another driver with the name ${name} is already registered at ${other}`;
    } catch {
      // Its socket was left behind.
      return undefined;
    } finally {
      registrar.close();
    }
  }

  /** Asks the driver itself, and tells the API server of it. @returns why it cannot be registered */
  async #problemOfDriver(path: string, info: PluginInfo, socket: KnownSocket): Promise<string | undefined> {
    const { plugins, logger, metrics } = this.#ports;
    const { name } = info;
    const endpoint = info.endpoint === '' ? path : info.endpoint;
    const calls = metrics.measured(name, plugins.driver(endpoint));
    try {
      const [node, capabilities] = await Promise.all([calls.info(), calls.capabilities()]);
      if (node.nodeId === '') throw new Error('error adding CSI driver node info: driverNodeID must not be empty');
      if (node.nodeId.length > MAX_NODE_ID_LENGTH)
        throw new Error(`driverNodeID must have at most ${MAX_NODE_ID_LENGTH} characters`);
      if (Object.keys(node.topology).length > MAX_TOPOLOGY_KEYS)
        throw new Error(`topology must have at most ${MAX_TOPOLOGY_KEYS} keys`);
      await reportDriver(this.#report(), name, node);
      if (this.#isOver || this.#sockets.get(path) !== socket) throw new Error('its socket is gone');
      const before = socket.driver;
      socket.driver = name;
      if (before !== name) this.#gone(path, before);
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
    const problem = told(errorMessage(error));
    logger.warn('a plugin cannot be registered', { socket: path, failures: socket.failures, error: problem });
    this.#tell(path, socket, problem);
    socket.retry = clock.setTimer(exponentialDelay(REGISTRATION_BACK_OFF, socket.failures), () => {
      void this.#register(path, socket);
    });
  }

  /** An event for each new problem of a socket, as far as the pace of its path allows. */
  #tell(path: string, socket: KnownSocket, problem: string): void {
    if (socket.told === problem || !this.#pace.mayTell(path, this.#ports.clock.now().mono)) return;
    socket.told = problem;
    this.#ports.events.node('Warning', 'CSIDriverNotRegistered', `Plugin at ${path}: ${problem}`);
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
