/**
 * A real `mendlet up` for tests: the bundled program as users run it, on a private containerd in a temporary data folder. `down`
 * removes everything, even after a failed test.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../support/api-over-https.ts';
import { freePort } from '../support/free-port.ts';
import { own, TEST_FOLDER_PREFIX } from '../support/mendlet-processes.ts';

export const root = resolve(import.meta.dirname, '..', '..');
/** The program as users run it: the bundle of this checkout. */
const presentProgram = join(root, 'dist/mendlet.js');
export const kubectl136 = join(root, '.cache/debian/sid/kubectl/usr/bin/kubectl');
export const kubectl120 = join(root, '.cache/debian/bookworm/kubernetes-client/usr/bin/kubectl');
/** Made by `fetch.ts`: an image of busybox, `docker.io/library/busybox:latest`. */
export const busyboxArchive = join(root, '.cache/e2e/busybox.tar');
/** Looks names up as programs with musl do (Alpine's); busybox does it as glibc. */
export const muslLookup = join(root, '.cache/e2e/musl-lookup');
const POD_LOGS = '/var/log/pods';
/** PATH folders that put Debian sid's containerd before the system's. */
export const containerd2 = join(root, '.cache/debian/sid/containerd/usr/bin');

export interface MendletOptions {
  /** Second octet of the pod network 10.N.0.0/16, which differs between suites. */
  readonly podNetwork: number;
  /** A folder that is put first on PATH, with another containerd. */
  readonly containerdFolder?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The parent of its folder; default: the system's folder for temporary files. */
  readonly parent?: string;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One data folder, and the `mendlet up` processes that a test runs on it one after another. */
export class Mendlet {
  readonly folder: string;
  readonly dataDir: string;
  readonly kubeconfig: string;
  readonly #options: MendletOptions;
  #port = 0;
  #child: ChildProcess | undefined;
  #log = '';
  #api: { readonly credentials: string; readonly client: Api } | undefined;

  constructor(options: MendletOptions) {
    this.#options = options;
    this.folder = mkdtempSync(join(options.parent ?? tmpdir(), TEST_FOLDER_PREFIX));
    own(this.folder);
    this.dataDir = join(this.folder, 'data');
    this.kubeconfig = join(this.dataDir, 'kubeconfig');
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('mendlet does not run');
    return pid;
  }

  /** The stderr of the running process, or of the last one. */
  get log(): string {
    return this.#log;
  }

  /** Starts `mendlet up` of `program` and waits for its ready line. @throws with its log when it ends before */
  async up(extraFlags: readonly string[] = [], program = presentProgram): Promise<void> {
    this.#port ||= await freePort();
    const args = [
      program,
      'up',
      '--data-dir',
      this.dataDir,
      '--listen',
      `127.0.0.1:${this.#port}`,
      '--node-name',
      'e2e',
      '--pod-cidr',
      `10.${this.#options.podNetwork}.0.0/16`,
      '--image-archive',
      busyboxArchive,
      ...(this.#options.flags ?? []),
      ...extraFlags,
    ];
    const child = spawn(process.execPath, args, { env: this.#env(), stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.#log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      this.#log += chunk.toString();
    });
    await new Promise<void>((done, fail) => {
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        if (out.includes('mendlet ready:')) done();
      });
      child.on('exit', (code, signal) =>
        fail(new Error(`mendlet up ended (${code ?? signal}) before it was ready:\n${this.#log}`)),
      );
      child.on('error', fail);
    });
  }

  /** Sends `signal` to mendlet and waits for its end. @returns the exit code or the signal that ended it */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    const child = this.#child;
    if (child === undefined) return 0;
    this.#child = undefined;
    const ended = new Promise<number | NodeJS.Signals>((done) => child.on('exit', (code, by) => done(code ?? by ?? 1)));
    if (child.exitCode !== null) return child.exitCode;
    child.kill(signal);
    return await ended;
  }

  /** Waits until the private containerd runs. @returns its process id */
  async untilContainerd(): Promise<number> {
    return await until<number>('the private containerd', async () => {
      const value = this.#findContainerd();
      return value === undefined ? { last: 'no such process' } : { value };
    });
  }

  /** The private containerd's process id. */
  containerdPid(): number {
    const pid = this.#findContainerd();
    if (pid === undefined) throw new Error('the private containerd does not run');
    return pid;
  }

  #findContainerd(): number | undefined {
    const found = spawnSync('pgrep', ['-f', `containerd.*--config ${this.dataDir}|containerd .*${this.folder}`], {
      encoding: 'utf8',
    });
    return found.stdout
      .split('\n')
      .map(Number)
      .find((n) => n > 0 && isContainerd(n));
  }

  /** Log folders of this mendlet's pods whose names begin with `name`; other mendlets use the same parent folder. */
  podLogs(namespace: string, name: string): readonly string[] {
    const instance = readFileSync(join(this.dataDir, 'instance'), 'utf8').trim();
    return readdirSync(POD_LOGS)
      .filter((entry) => entry.startsWith(`${namespace}_${name}`))
      .map((entry) => join(POD_LOGS, entry))
      .filter((path) => {
        const owner = join(path, '.mendlet-instance');
        return existsSync(owner) && readFileSync(owner, 'utf8').trim() === instance;
      });
  }

  /** Stops mendlet if it runs, and removes its pods and the data folder. */
  async down(): Promise<void> {
    await this.end('SIGTERM');
    this.#api?.client.close();
    this.#api = undefined;
    const result = await this.tryPurge();
    rmSync(this.folder, { recursive: true, force: true });
    if (result.code !== 0) throw new Error(`mendlet down: ${result.code}\n${result.stdout}${result.stderr}`);
  }

  /** Removes the data folder of a mendlet that has ended, with the data of claims. */
  tryPurge(): Promise<CommandResult> {
    const file = join(root, 'dist/mendlet.js');
    const args = ['down', '--data-dir', this.dataDir, '--purge', '--with-claims'];
    return run(process.execPath, [file, ...args], { env: this.#env() });
  }

  /** Runs another verb of mendlet on this data folder. @throws unless it exits 0 */
  async command(...args: readonly string[]): Promise<string> {
    const file = join(root, 'dist/mendlet.js');
    const result = await run(process.execPath, [file, ...args, '--data-dir', this.dataDir], { env: this.#env() });
    if (result.code !== 0) throw new Error(`mendlet ${args.join(' ')}: ${result.code}\n${result.stderr}`);
    return result.stdout;
  }

  /** Runs kubectl 1.36. @throws unless it exits 0 */
  async kubectl(args: readonly string[], input?: string): Promise<string> {
    const result = await this.tryKubectl(args, input);
    if (result.code !== 0)
      throw new Error(`kubectl ${args.join(' ')}: exit ${result.code}\n${result.stdout}${result.stderr}`);
    return result.stdout;
  }

  tryKubectl(args: readonly string[], input?: string, binary = kubectl136): Promise<CommandResult> {
    return run(binary, ['--kubeconfig', this.kubeconfig, '--cache-dir', join(this.folder, 'kubectl-cache'), ...args], {
      input,
      env: kubectlEnv(),
    });
  }

  /** Creates objects from plain data, one after another. @throws for the first that is refused */
  async create(...objects: readonly object[]): Promise<void> {
    for (const object of objects) await this.#client.create(object);
  }

  /** What `kubectl get WHAT -o json` reads. */
  read: Api['read'] = (what, where) => this.#client.read(what, where);

  /** What `kubectl get --raw PATH` reads, of JSON. */
  get: Api['get'] = (path) => this.#client.get(path);

  /** A line "REASON: MESSAGE" for each event about the object. */
  async events(name: string, namespace = 'default'): Promise<string> {
    const { items } = await this.read<{ items: readonly { reason: string; message: string }[] }>('events', {
      namespace,
      fields: `involvedObject.name=${name}`,
    });
    return items.map(({ reason, message }) => `${reason}: ${message}`).join('\n');
  }

  pod(name: string, namespace = 'default'): Promise<ObservedPod> {
    return this.read<ObservedPod>(`pods/${name}`, { namespace });
  }

  /** Waits until the pod is `wanted`; the error contains its last state. */
  async untilPod(name: string, what: string, wanted: (pod: ObservedPod) => boolean): Promise<ObservedPod> {
    return await until<ObservedPod>(`pod ${name}: ${what}`, async () => {
      try {
        const pod = await this.pod(name);
        return wanted(pod) ? { value: pod } : { last: JSON.stringify(pod.status) };
      } catch (error) {
        return { last: String(error) };
      }
    });
  }

  /**
   * A client of the kubeconfig's user on a lasting connection; tests ask often, and a kubectl takes a tenth of a second of
   * CPU.
   */
  get #client(): Api {
    const credentials = readFileSync(this.kubeconfig, 'utf8');
    if (this.#api?.credentials !== credentials) {
      this.#api?.client.close();
      this.#api = { credentials, client: new Api(this.kubeconfig) };
    }
    return this.#api.client;
  }

  #env(): NodeJS.ProcessEnv {
    const env: NodeJS.ProcessEnv = { ...process.env, ...this.#options.env };
    if (this.#options.containerdFolder !== undefined) env['PATH'] = `${this.#options.containerdFolder}:${env['PATH']}`;
    return env;
  }
}

export interface ObservedContainer {
  readonly name: string;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly containerID?: string;
  readonly imageID: string;
  readonly state: ObservedState;
  readonly lastState: ObservedState;
}

export interface ObservedState {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: {
    readonly exitCode: number;
    readonly reason: string;
    readonly message?: string;
    readonly finishedAt: string;
    readonly startedAt: string;
  };
}

export interface ObservedPod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly podIP?: string;
    readonly qosClass?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly containerStatuses?: readonly ObservedContainer[];
  };
}

/** A pod of one busybox container that runs `script`. */
export function busyboxPod(
  name: string,
  script: string,
  extra: { spec?: object; container?: object; metadata?: object } = {},
): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...extra.metadata },
    spec: {
      terminationGracePeriodSeconds: 1,
      ...extra.spec,
      containers: [
        {
          name: 'main',
          image: 'docker.io/library/busybox:latest',
          imagePullPolicy: 'IfNotPresent',
          command: ['/bin/sh', '-c', script],
          ...extra.container,
        },
      ],
    },
  };
}

export function mainContainer(pod: ObservedPod): ObservedContainer | undefined {
  return pod.status.containerStatuses?.find((status) => status.name === 'main');
}

/**
 * Asks until there is a value. The time limit only ends a hang, with the last answer in the error; no test's verdict depends on
 * the speed of the machine.
 */
export async function until<T>(what: string, ask: () => Promise<{ value: T } | { last: string }>): Promise<T> {
  const begunAt = performance.now();
  let last = '';
  for (let waited = 0; waited < 300_000; waited = performance.now() - begunAt) {
    const askedAt = performance.now();
    const answer = await ask();
    if ('value' in answer) return answer.value;
    last = answer.last;
    // A question that takes long has started processes, or the machine is busy: the next one waits as long as three of them.
    const cost = performance.now() - askedAt;
    await sleep(Math.min(400, 100 + waited / 20) + Math.min(1000, 3 * cost));
  }
  throw new Error(`waited in vain for ${what}; last seen: ${last}`);
}

/** Whether the process is a containerd, not a shim, and has not ended since it was found. */
function isContainerd(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('shim');
  } catch {
    return false;
  }
}

/** A kubectl of a test ends before it needs to collect garbage, and without that it takes a quarter less CPU. */
export function kubectlEnv(): NodeJS.ProcessEnv {
  return { ...process.env, GOGC: 'off' };
}

/** It only ends a hang, before the test's own limit does, which would not name the command. Commands that are told to wait do so for 300 s. */
const COMMAND_HANGS_MS = 400_000;

/** A command that does not end is killed, and its error says so. */
export function run(
  file: string,
  args: readonly string[],
  options: { input?: string | undefined; env?: NodeJS.ProcessEnv } = {},
): Promise<CommandResult> {
  return new Promise((done) => {
    const child = execFile(
      file,
      [...args],
      { env: options.env ?? process.env, maxBuffer: 1 << 27, timeout: COMMAND_HANGS_MS, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        if (error?.killed === true && typeof error.code !== 'string') {
          const hang = `${file} ${args.join(' ')}: no end within ${COMMAND_HANGS_MS / 1000} s`;
          done({ code: 1, stdout, stderr: `${stderr}\n${hang}` });
          return;
        }
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        done({
          code,
          stdout,
          stderr: stderr || (error !== null && typeof error.code !== 'number' ? error.message : ''),
        });
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}

/** A folder on the host for a pod's output, mounted at /out. */
export function outFolder(
  mendlet: Pick<Mendlet, 'folder'>,
  name: string,
): { path: string; spec: object; mount: object; lines(file: string): string[] } {
  const path = join(mendlet.folder, 'out', name);
  mkdirSync(path, { recursive: true });
  return {
    path,
    spec: { volumes: [{ name: 'out', hostPath: { path } }] },
    mount: { volumeMounts: [{ name: 'out', mountPath: '/out' }] },
    lines: (file) =>
      existsSync(join(path, file)) ? readFileSync(join(path, file), 'utf8').split('\n').filter(Boolean) : [],
  };
}
