/**
 * mendlet's own containerd: started in a session of its own so that it outlives us, adopted by the next start, started again
 * when it dies. Containers live on without it (their shims hold them), but block after 128 KiB of output and lose their reason
 * of death, so every second counts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../lib/index.ts';
import { errorMessage } from '../../lib/index.ts';
import type { ContainerdPaths } from './containerd-config.ts';
import { endProcess, findProcesses, isAlive, type ProcessFacts, readProcess } from './proc.node.ts';
import { untilReleased } from './released-lock.node.ts';
import { QUICK_DEATH_MS, restartDelayMs } from './restart-delay.ts';

/** containerd can't be run; `message` is for the user and ends with the tail of its log. */
export class ContainerdError extends Error {
  override readonly name = 'ContainerdError';
}

export interface SupervisorOptions {
  readonly paths: ContainerdPaths;
  /** Absolute path; the folder also goes first in its PATH, where it looks for its shim. */
  readonly binary: string;
  readonly config: string;
  readonly logger: Logger;
  /** Resolves when the runtime behind the socket serves, rejects when it does not (yet). */
  readonly healthy: () => Promise<void>;
}

const HEALTH_TIMEOUT_MS = 60_000;
const HEALTH_POLL_MS = 25;
const PROGRESS_MS = 3_000;
const DEATH_POLL_MS = 100;
const LOG_CHECK_MS = 60_000;
const TERM_GRACE_MS = 10_000;
const MAX_LOG_BYTES = 8 << 20;
const LOG_TAIL_BYTES = 2_000;
/** The part of our environment that containerd inherits: proxies and certificates for pulls, nothing of ours. */
const ENVIRONMENT = /^(https?_proxy|no_proxy|all_proxy|SSL_CERT_FILE|SSL_CERT_DIR|TMPDIR|HOME|LANG)$/i;

export class ContainerdSupervisor {
  readonly #options: SupervisorOptions;
  #process: ProcessFacts | undefined;
  #child: ChildProcess | undefined;
  #startedAt = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /**
   * Adopts the containerd that an earlier mendlet left (replacing it if it runs with another configuration or program), or
   * starts one; resolves when it serves. Rejects with `ContainerdError`.
   */
  async start(): Promise<'adopted' | 'started'> {
    const { paths, config, logger } = this.#options;
    await mkdir(paths.root, { recursive: true, mode: 0o711 });
    await mkdir(paths.state, { recursive: true, mode: 0o711 });
    await mkdir(paths.registriesDir, { recursive: true, mode: 0o755 });
    const before = await readFile(paths.configFile, 'utf8').catch(() => undefined);
    if (before !== config) await writeFile(paths.configFile, config, { mode: 0o600 });
    const found = runningContainerd(paths);
    if (found !== undefined && before === config && found.args[0] === this.#options.binary) {
      this.#process = found;
      await this.#untilHealthy();
      logger.info('adopted the running containerd', { pid: found.pid });
      return 'adopted';
    }
    if (found !== undefined) {
      logger.info('replacing the running containerd: its configuration or program changed', { pid: found.pid });
      await endProcess(found, TERM_GRACE_MS);
    }
    await this.#launch();
    return 'started';
  }

  /** Starts it again whenever it dies; resolves when `signal` is aborted, leaving it running. */
  async supervise(signal: AbortSignal): Promise<void> {
    const { logger, paths } = this.#options;
    let quickDeaths = 0;
    while (!signal.aborted) {
      await this.#death(signal);
      if (signal.aborted) return;
      const livedMs = performance.now() - this.#startedAt;
      quickDeaths = livedMs < QUICK_DEATH_MS ? quickDeaths + 1 : 0;
      const delayMs = restartDelayMs(quickDeaths);
      logger.warn('containerd died; starting it again', { pid: this.pid, delayMs, log: paths.logFile });
      await sleep(delayMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#launch();
        logger.info('containerd runs again', { pid: this.pid });
      } catch (error) {
        logger.error('containerd does not start', { error: errorMessage(error) });
      }
    }
  }

  async #launch(): Promise<void> {
    const { paths, binary, logger } = this.#options;
    this.#startedAt = performance.now();
    this.#process = undefined;
    await refuseSecond(paths);
    await rm(paths.socket, { force: true });
    const log = openSync(paths.logFile, 'a', 0o600);
    const child = spawn(binary, ['--config', paths.configFile], {
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
      env: environment(binary),
    });
    closeSync(log);
    this.#child = child;
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    await Promise.race([failed, new Promise((resolve) => child.once('spawn', resolve))]).catch((error: unknown) => {
      throw new ContainerdError(`${binary} does not start: ${errorMessage(error)}`);
    });
    child.unref();
    this.#process = child.pid === undefined ? undefined : readProcess(child.pid);
    if (this.#process) {
      const { pid, startTicks } = this.#process;
      await writeFile(paths.pidFile, `${JSON.stringify({ pid, startTicks, binary })}\n`);
      logger.debug('started containerd', { pid, log: paths.logFile });
    }
    await this.#untilHealthy();
  }

  async #untilHealthy(): Promise<void> {
    const { healthy, logger, paths } = this.#options;
    const began = performance.now();
    let nextProgress = PROGRESS_MS;
    let last = '';
    for (;;) {
      try {
        return await healthy();
      } catch (error) {
        last = errorMessage(error);
      }
      const waitedMs = performance.now() - began;
      if (!this.#alive()) throw new ContainerdError(`containerd ended while starting${await logTail(paths.logFile)}`);
      if (waitedMs > HEALTH_TIMEOUT_MS) {
        const seconds = HEALTH_TIMEOUT_MS / 1000;
        throw new ContainerdError(
          `containerd does not serve after ${seconds} s: ${last}${await logTail(paths.logFile)}`,
        );
      }
      if (waitedMs > nextProgress) {
        nextProgress += PROGRESS_MS;
        logger.info('waiting for containerd', { seconds: Math.round(waitedMs / 1000), because: last });
      }
      await sleep(HEALTH_POLL_MS);
    }
  }

  #alive(): boolean {
    return this.#process !== undefined && isAlive(this.#process);
  }

  /** Our own child reports its end at once; an adopted one is polled. */
  async #death(signal: AbortSignal): Promise<void> {
    const child = this.#child;
    const gone = new AbortController();
    const onExit = () => gone.abort();
    child?.once('exit', onExit);
    const either = AbortSignal.any([signal, gone.signal]);
    const pollMs = child === undefined ? DEATH_POLL_MS : LOG_CHECK_MS;
    for (let waited = 0; !signal.aborted && this.#alive(); waited += pollMs) {
      if (waited % LOG_CHECK_MS === 0) await trim(this.#options.paths.logFile);
      await sleep(pollMs, undefined, { signal: either }).catch(() => {});
    }
    child?.off('exit', onExit);
  }
}

/** The living containerd with our configuration file, if any. Asserts by throwing that there is at most one. */
export function runningContainerd(paths: ContainerdPaths): ProcessFacts | undefined {
  const same = findProcesses(({ args }) => args[1] === '--config' && args[2] === paths.configFile);
  // Between its fork and exec a child of containerd (a shim, runc) looks like containerd.
  const found = same.filter(({ parent }) => !same.some(({ pid }) => pid === parent));
  if (found.length > 1) {
    const pids = found.map(({ pid }) => pid).join(', ');
    throw new ContainerdError(`more than one containerd runs on ${paths.configFile}: ${pids}; end all but one`);
  }
  return found[0];
}

/** A second containerd on the same root hangs silently: another process's lock on its database is looked for first. */
async function refuseSecond(paths: ContainerdPaths): Promise<void> {
  const holder = await untilReleased(join(paths.root, 'io.containerd.metadata.v1.bolt', 'meta.db'), TERM_GRACE_MS);
  if (holder === undefined) return;
  throw new ContainerdError(`another containerd (pid ${holder}) uses ${paths.root}; it must end first`);
}

function environment(binary: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name));
  return {
    ...Object.fromEntries(kept),
    PATH: `${dirname(binary)}:${process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin'}`,
  };
}

/** containerd appends to its log for as long as it lives: a large one is copied aside and emptied under it. */
async function trim(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= MAX_LOG_BYTES) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
}

async function logTail(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const tail = text.slice(-LOG_TAIL_BYTES).trim();
  return tail === '' ? `; its log ${path} is empty` : `; its log ${path} ends with:\n${tail}`;
}
