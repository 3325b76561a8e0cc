/** The servers that the node asks: read from its resolv.conf, again when that changes. */
import { type Clock, decodeText, errorMessage, type FileSystem, type Logger } from '../../lib/index.ts';
import type { ServerAddress } from './dns-sockets.ts';
import { MAX_RESOLV_CONF_BYTES, RESOLV_CONF_CHECK_MS } from './limits.ts';
import { isSystemdStub, serversOf, SYSTEMD_RESOLV_CONF } from './resolv-conf.ts';

export interface UpstreamPorts {
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Which addresses would go round for ever. */
export interface LoopChecks {
  /** One of this server's own. */
  readonly isOwn: (address: string) => boolean;
  /** One that sends questions on to this server. */
  readonly leadsHere: (server: ServerAddress) => Promise<boolean>;
}

export class UpstreamServers {
  readonly #ports: UpstreamPorts;
  readonly #path: string;
  readonly #checks: LoopChecks;
  /** Addresses that lead here in a roundabout way. */
  #looping: ReadonlySet<string> = new Set();
  #servers: readonly ServerAddress[] = [];
  /** What the files looked like when they were read. */
  #seen: string | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | undefined;
  #told = '';

  /**
   * @param path of resolv.conf; '': the node has none, and nobody is asked
   */
  constructor(ports: UpstreamPorts, path: string, checks: LoopChecks) {
    this.#ports = ports;
    this.#path = path;
    this.#checks = checks;
  }

  /** The present ones; a change of the file counts soon after. */
  async current(): Promise<readonly ServerAddress[]> {
    const { mono } = this.#ports.clock.now();
    if (mono - this.#checkedAt >= RESOLV_CONF_CHECK_MS && this.#path !== '') {
      this.#checkedAt = mono;
      this.#checking = this.#check().finally(() => {
        this.#checking = undefined;
      });
    }
    // Only the first question waits.
    if (this.#seen === undefined) await this.#checking;
    return this.#servers.filter(({ address }) => !this.#checks.isOwn(address) && !this.#looping.has(address));
  }

  async #check(): Promise<void> {
    try {
      const seen = `${await this.#stamp(this.#path)} ${await this.#stamp(SYSTEMD_RESOLV_CONF)}`;
      if (seen === this.#seen) return;
      const named = serversOf(await this.#read(this.#path));
      const stub = isSystemdStub(named) ? serversOf(await this.#read(SYSTEMD_RESOLV_CONF).catch(() => '')) : [];
      this.#servers = stub.length > 0 ? stub : named;
      this.#seen = seen;
      this.#looping = new Set();
      this.#tell();
      // Nobody waits for it: a question that comes round meanwhile meets itself, and ends by its time.
      void this.#tryAll(this.#servers);
    } catch (error) {
      // What was read last serves on.
      this.#seen ??= '';
      const message = errorMessage(error);
      if (message !== this.#told) this.#ports.logger.warn('the name servers of the node cannot be read', { error });
      this.#told = message;
    }
  }

  #tell(): void {
    const all = this.#servers.map(({ address }) => address);
    const own = all.filter((address) => this.#checks.isOwn(address));
    this.#ports.logger.info('names outside of the cluster are asked for at these servers', {
      servers: all.filter((address) => !own.includes(address)),
      ...(own.length > 0 && { leftOutBecauseTheyLeadHere: own }),
    });
  }

  async #tryAll(servers: readonly ServerAddress[]): Promise<void> {
    const others = servers.filter(({ address }) => !this.#checks.isOwn(address));
    const leads = await Promise.all(others.map((server) => this.#checks.leadsHere(server).catch(() => false)));
    const looping = others.filter((_, at) => leads[at]).map(({ address }) => address);
    if (looping.length === 0 || servers !== this.#servers) return;
    this.#looping = new Set(looping);
    this.#ports.logger.warn('name servers of the node ask this one in turn: they are left out', { servers: looping });
  }

  async #stamp(path: string): Promise<string> {
    const info = await this.#ports.fs.stat(path, { follow: true });
    return info === undefined ? '-' : `${info.mtimeMs}/${info.size}`;
  }

  async #read(path: string): Promise<string> {
    return decodeText(await this.#ports.fs.readFile(path, { maxBytes: MAX_RESOLV_CONF_BYTES }));
  }
}
