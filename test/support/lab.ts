/**
 * A cluster of several nodes on one machine: a real `mendlet server`, and real agents, each in a network namespace with its own
 * address, containerd and pods, and with many ways to fail. `down` removes everything; the next lab removes the remains of a
 * killed one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from './api-over-https.ts';
import { busyboxArchive, type CommandResult, kubectl136, kubectlEnv, root, run } from '../e2e/harness.ts';
import { clearAsByReboot, killNode } from './lab-death.ts';
import {
  cut,
  kill,
  type LabNames,
  makeBridge,
  makeNamespace,
  mend,
  namespaceOf,
  nodeAddress,
  removeBridge,
  removeNamespace,
  serverAddress,
} from './lab-network.ts';
import { isAlive, mendletsOf, type ProcessIdentity, thisProcess } from './mendlet-processes.ts';
import { Running } from './running.ts';

const PROGRAM = join(root, 'dist/mendlet.js');
const NET_TOOL = join(root, 'test/support/net-tool.ts');
const FOLDER_PREFIX = 'mendlet-lab-';
const TOKEN = 'lablab.0123456789abcdef';

export interface LabOptions {
  readonly nodes: number;
  /** Third octet of the lab's link, 10.250.N.0/24, which differs between labs on one machine. Default: a free one. */
  readonly subnet?: number;
  /** All pods' network; each node gets a /24 of it. */
  readonly clusterCidr: string;
  readonly serverFlags?: readonly string[];
  readonly agentFlags?: readonly string[];
  /** Flags of one node's agent. */
  readonly flagsOf?: (node: LabNode) => readonly string[];
  /** A KubeletConfiguration for all agents. */
  readonly kubelet?: object;
}

interface Record extends LabNames {
  readonly owner: ProcessIdentity;
  readonly nodes: number;
}

/** One machine of the lab. */
export class LabNode {
  readonly name: string;
  readonly address: string;
  readonly dataDir: string;
  readonly #lab: Lab;
  readonly #index: number;
  #running: Running | undefined;
  #isDead = false;

  constructor(lab: Lab, index: number) {
    this.#lab = lab;
    this.#index = index;
    this.name = `n${index}`;
    this.address = nodeAddress(lab.names, index);
    this.dataDir = join(lab.folder, this.name);
  }

  /** The stderr of the running agent, or of the last one. */
  get log(): string {
    return this.#running?.log ?? '';
  }

  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /** Starts the agent without waiting for it. */
  begin(flags: readonly string[] = []): Running {
    const { options } = this.#lab;
    const own = ['--data-dir', this.dataDir, '--node-name', this.name, '--node-ip', this.address];
    const join = ['--server', this.#lab.server, '--token', this.#lab.token];
    const config = options.kubelet === undefined ? [] : ['--kubelet-config', this.#lab.kubeletConfig];
    const more = [...(options.agentFlags ?? []), ...(options.flagsOf?.(this) ?? []), ...flags];
    this.#running = this.inside(['agent', ...own, ...join, '--image-archive', busyboxArchive, ...config, ...more]);
    return this.#running;
  }

  /** Starts the agent and waits until its node is Ready. */
  async start(flags: readonly string[] = []): Promise<void> {
    if (this.#isDead) await this.#reboot();
    await this.begin(flags).ready('mendlet agent ready:');
  }

  /** Runs mendlet in this machine's network. */
  inside(args: readonly string[]): Running {
    const namespace = `--net=/run/netns/${namespaceOf(this.#lab.names, this.#index)}`;
    return new Running('nsenter', [namespace, process.execPath, PROGRAM, ...args]);
  }

  /** Starts a verb of `net-tool.ts` in this machine's network. */
  tool(...args: readonly string[]): Running {
    const namespace = `--net=/run/netns/${namespaceOf(this.#lab.names, this.#index)}`;
    return new Running('nsenter', [namespace, process.execPath, NET_TOOL, ...args]);
  }

  /** Ends the agent; its pods keep running. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
    return this.#running?.end(signal) ?? Promise.resolve(0);
  }

  /** Cuts the node off silently, in both directions. */
  partition(): void {
    cut(this.#lab.names, this.#index);
  }

  heal(): void {
    mend(this.#lab.names, this.#index);
  }

  /** Simulates a power failure: the node is cut off, and nothing runs any more. `start` is the reboot. */
  async die(): Promise<void> {
    this.partition();
    this.#isDead = true;
    await killNode(this.dataDir, this.#running?.pid);
  }

  async #reboot(): Promise<void> {
    clearAsByReboot(this.dataDir);
    removeNamespace(this.#lab.names, this.#index);
    makeNamespace(this.#lab.names, this.#index);
    this.#isDead = false;
  }

  /** Stops and removes everything with `mendlet down`. */
  async down(flags: readonly string[] = []): Promise<CommandResult> {
    await this.stop();
    if (!existsSync(this.dataDir)) return { code: 0, stdout: '', stderr: '' };
    const process = this.inside(['down', '--data-dir', this.dataDir, ...flags]);
    const code = await process.ended;
    return { code: typeof code === 'number' ? code : 1, stdout: process.out, stderr: process.log };
  }
}

export class Lab {
  readonly folder: string;
  readonly names: LabNames;
  readonly options: LabOptions;
  readonly nodes: readonly LabNode[];
  readonly server: string;
  readonly kubeconfig: string;
  readonly kubeletConfig: string;
  readonly #dataDir: string;
  #running: Running | undefined;
  #guard: ChildProcess | undefined;
  #token = '';
  #client: Api | undefined;

  private constructor(options: LabOptions, folder: string, names: LabNames) {
    this.options = options;
    this.folder = folder;
    this.names = names;
    this.#dataDir = join(folder, 'server');
    this.server = `https://${serverAddress(names)}:6443`;
    this.kubeconfig = join(this.#dataDir, 'kubeconfig');
    this.kubeletConfig = join(folder, 'kubelet.yaml');
    this.nodes = Array.from({ length: options.nodes }, (_, index) => new LabNode(this, index + 1));
  }

  /** Makes the machines; nothing runs yet. Remains of dead labs are removed first. */
  static async create(options: LabOptions): Promise<Lab> {
    await removeDeadLabs();
    const folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
    // The names of two temporary folders may differ only by case.
    const id = Buffer.from(folder.slice(-6)).toString('hex').slice(-6);
    const names = makeBridge(id, options.subnet);
    const record: Record = { ...names, owner: thisProcess(), nodes: options.nodes };
    writeFileSync(join(folder, 'lab.json'), JSON.stringify(record));
    const lab = new Lab(options, folder, names);
    lab.#guard = guard();
    try {
      if (options.kubelet !== undefined) writeFileSync(lab.kubeletConfig, JSON.stringify(kubeletFile(options.kubelet)));
      for (let index = 1; index <= options.nodes; index++) makeNamespace(names, index);
    } catch (error) {
      await lab.down();
      throw error;
    }
    return lab;
  }

  /** The join token of the running server. */
  get token(): string {
    return this.#token;
  }

  get serverLog(): string {
    return this.#running?.log ?? '';
  }

  /** Starts the server, then all agents at once. */
  async start(): Promise<void> {
    await this.startServer();
    await Promise.all(this.nodes.map((node) => node.start()));
  }

  async startServer(): Promise<void> {
    const { clusterCidr, serverFlags = [] } = this.options;
    const where = ['--data-dir', this.#dataDir, '--listen', `${serverAddress(this.names)}:6443`];
    const flags = ['--cluster-cidr', clusterCidr, '--token', TOKEN, ...serverFlags];
    this.#running = new Running(process.execPath, [PROGRAM, 'server', ...where, ...flags]);
    await this.#running.ready('mendlet agent --server');
    this.#token = /--token (\S+)/.exec(this.#running.out)?.[1] ?? '';
  }

  stopServer(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
    return this.#running?.end(signal) ?? Promise.resolve(0);
  }

  /** Runs mendlet beside the server: `mendlet token …`. */
  mendlet(args: readonly string[]): Promise<CommandResult> {
    return run(process.execPath, [PROGRAM, ...args, '--data-dir', this.#dataDir]);
  }

  /** kubectl 1.36; throws unless it exits 0. */
  async kubectl(args: readonly string[], input?: string): Promise<string> {
    const result = await this.tryKubectl(args, input);
    if (result.code === 0) return result.stdout;
    throw new Error(`kubectl ${args.join(' ')}: exit ${result.code}\n${result.stdout}${result.stderr}`);
  }

  tryKubectl(args: readonly string[], input?: string): Promise<CommandResult> {
    const cache = join(this.folder, 'kubectl-cache');
    mkdirSync(cache, { recursive: true });
    return run(kubectl136, ['--kubeconfig', this.kubeconfig, '--cache-dir', cache, ...args], {
      input,
      env: kubectlEnv(),
    });
  }

  /** Creates objects from plain data. */
  async create(...objects: readonly object[]): Promise<void> {
    this.#client ??= new Api(this.kubeconfig);
    for (const object of objects) await this.#client.create(object);
  }

  /** What `kubectl get WHAT -o json` reads. */
  read: Api['read'] = (what, where) => {
    this.#client ??= new Api(this.kubeconfig);
    return this.#client.read(what, where);
  };

  /** Ends and removes everything. Idempotent. @throws with the output of a failed `mendlet down` */
  async down(): Promise<void> {
    await named('the end of the server', this.stopServer(), () => this.serverLog);
    this.#client?.close();
    await Promise.all(
      this.nodes.map((node) => named(`the end of the agent of ${node.name}`, node.stop('SIGTERM'), () => node.log)),
    );
    await remove(this.folder, { ...this.names, owner: thisProcess(), nodes: this.options.nodes });
    if (this.#guard?.pid !== undefined) kill(-this.#guard.pid);
  }
}

/** Starts a verb of `net-tool.ts` in the network of a pod, which a process of it has. */
export function toolInPod(pid: number, ...args: readonly string[]): Running {
  return new Running('nsenter', ['-t', String(pid), '-n', process.execPath, NET_TOOL, ...args]);
}

function kubeletFile(fields: object): object {
  return { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...fields };
}

/** After this time a wait is told of: the time limit of the test that waits does not say for what. */
const TELL_MS = 60_000;

/** Waits, and says for what when that takes long. @param log of the process, whose end is told, too */
async function named<T>(what: string, ending: Promise<T>, log: () => string): Promise<T> {
  const timer = setTimeout(() => console.warn(`still waiting for ${what}:\n${log().slice(-4000)}`), TELL_MS);
  try {
    return await ending;
  } finally {
    clearTimeout(timer);
  }
}

/** Removes the remains of a lab, including its processes. */
async function remove(folder: string, record: Record): Promise<void> {
  const indexes = Array.from({ length: record.nodes }, (_, index) => index + 1);
  const failures: string[] = [];
  await Promise.all(
    indexes.map(async (index) => {
      const dataDir = join(folder, `n${index}`);
      if (existsSync(dataDir)) {
        // The pods are killed at once, without their grace periods.
        await killNode(dataDir, undefined);
        clearAsByReboot(dataDir);
        const namespace = `/run/netns/${namespaceOf(record, index)}`;
        const args = [PROGRAM, 'down', '--data-dir', dataDir, '--purge', '--with-claims'];
        const inside = existsSync(namespace);
        const file = inside ? 'nsenter' : process.execPath;
        const ending = run(file, inside ? [`--net=${namespace}`, process.execPath, ...args] : args);
        const result = await named(`mendlet down of n${index}`, ending, () => '');
        if (result.code !== 0) failures.push(`mendlet down of n${index}: ${result.stdout}${result.stderr}`);
      }
      removeNamespace(record, index);
    }),
  );
  await run(process.execPath, [PROGRAM, 'down', '--data-dir', join(folder, 'server')]);
  removeBridge(record);
  if (failures.length > 0) throw new Error(failures.join('\n'));
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Starts the process that removes the labs of this process if it is killed: a shell that waits for the end of its input. It is
 * in a separate session, so that a signal to our group does not reach it.
 */
function guard(): ChildProcess {
  const script = 'cat >/dev/null; exec "$0" "$1"';
  const args = ['-c', script, process.execPath, join(root, 'test/support/remove-dead-labs.ts')];
  const child = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // Our exit does not wait for the shell, which only cleans up afterwards.
  child.unref();
  return child;
}

/** Removes the machines of labs whose process was killed. A failure is printed, and does not fail the caller. */
export async function removeDeadLabs(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
    const folder = join(tmpdir(), name);
    const record = recordOf(folder);
    if (record === undefined || isAlive(record.owner) || !claim(folder)) continue;
    for (const pid of mendletsOf(folder)) kill(pid);
    try {
      await remove(folder, record);
    } catch (error) {
      console.warn(`the dead lab ${folder} is not all gone:`, error);
      rmSync(claimOf(folder), { force: true });
    }
  }
}

/** Undefined: another process is just making or removing the lab. */
function recordOf(folder: string): Record | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'lab.json'), 'utf8')) as Record;
  } catch {
    return undefined;
  }
}

const claimOf = (folder: string): string => join(folder, 'removed-by');

/** Claims a dead lab: its guard and the makers of other labs may find it at the same time, and one of them removes it. */
function claim(folder: string): boolean {
  const path = claimOf(folder);
  try {
    if (existsSync(path) && !isAlive(JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity)) rmSync(path);
    writeFileSync(path, JSON.stringify(thisProcess()), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
