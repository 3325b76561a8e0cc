/**
 * A real `mendlet server` for tests of its clients: the bundled program with its store on disk and all controllers, without
 * nodes. It needs no root.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CommandResult, kubectl120, kubectl136, run } from '../e2e/harness.ts';
import { Api } from '../support/api-over-https.ts';
import { freePort } from '../support/free-port.ts';
import { own, TEST_FOLDER_PREFIX } from '../support/mendlet-processes.ts';
import { Running } from '../support/running.ts';

const PROGRAM = resolve(import.meta.dirname, '../../dist/mendlet.js');

/** A kubectl of the tests. The older one is from before `--subresource`, apply sets and server-side validation. */
export interface KubectlVersion {
  readonly version: '1.36' | '1.20';
  readonly binary: string;
}
export const NEWEST: KubectlVersion = { version: '1.36', binary: kubectl136 };
export const OLDEST: KubectlVersion = { version: '1.20', binary: kubectl120 };

/** One kubectl on one server. */
export interface Kubectl {
  readonly version: KubectlVersion['version'];
  /** @returns what it printed. @throws unless it exits 0 */
  (...args: readonly string[]): Promise<string>;
  /** The same, for whatever exit code. */
  ask(args: readonly string[], input?: string): Promise<CommandResult>;
}

export class CompatServer {
  readonly folder = mkdtempSync(join(tmpdir(), TEST_FOLDER_PREFIX));
  readonly kubeconfig = join(this.folder, 'data', 'kubeconfig');
  readonly #serviceCidr: string;
  #port = 0;
  #running: Running | undefined;
  #api: Api | undefined;

  constructor(serviceCidr = '10.110.0.0/16') {
    this.#serviceCidr = serviceCidr;
    own(this.folder);
  }

  /** Starts it, on the same port as before, and waits until it answers. @throws with its log when it ends before */
  async start(): Promise<void> {
    this.#port ||= await freePort();
    const listen = ['--listen', `127.0.0.1:${this.#port}`, '--service-cidr', this.#serviceCidr];
    this.#running = new Running(process.execPath, [
      PROGRAM,
      'server',
      '--data-dir',
      join(this.folder, 'data'),
      ...listen,
    ]);
    await this.#running.ready('mendlet server ready');
  }

  /** A client of the administrator's on a lasting connection, for what needs no kubectl. */
  get api(): Api {
    this.#api ??= new Api(this.kubeconfig);
    return this.#api;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** Ends it, and starts it again on its data. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    this.#api?.close();
    this.#api = undefined;
    await this.#running?.end('SIGTERM');
  }

  /** Ends it and removes its data. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  kubectl({ version, binary }: KubectlVersion = NEWEST): Kubectl {
    // One cache for both would show each what the other has read of the server.
    const common = ['--kubeconfig', this.kubeconfig, '--cache-dir', join(this.folder, `cache-${version}`)];
    const env = { ...process.env, KUBECTL_APPLYSET: 'true' };
    const ask: Kubectl['ask'] = (args, input) => run(binary, [...common, ...args], { input, env });
    const call = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await ask(args);
      if (code !== 0) throw new Error(`kubectl ${version} ${args.join(' ')}: exit ${code}\n${stdout}${stderr}`);
      return stdout;
    };
    return Object.assign(call, { version, ask });
  }

  /** Writes `text` into a file for kubectl. @returns its path */
  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }
}
