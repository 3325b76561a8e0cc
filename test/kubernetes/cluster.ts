/**
 * A real Kubernetes with one node: its own control plane, with mendlet's bundled agent and healers. `down` removes everything,
 * even after a failed test; the next run removes remains of a killed one, as with the end-to-end tests.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { busyboxArchive, type CommandResult, kubectl136, type ObservedPod, root, run, until } from '../e2e/harness.ts';
import { Api } from '../support/api-over-https.ts';
import { freePort } from '../support/free-port.ts';
import { own, TEST_FOLDER_PREFIX } from '../support/mendlet-processes.ts';
import { Running } from '../support/running.ts';
import { ControlPlane } from './control-plane.ts';
import { signServingCertificates } from './serving-certificates.ts';

const PROGRAM = join(root, 'dist/mendlet.js');
export const NODE = 'n1';

export class Cluster {
  readonly folder: string;
  readonly dataDir: string;
  readonly #podCidr: string;
  readonly #agentFlags: readonly string[];
  #controlPlane: ControlPlane | undefined;
  #agent: Running | undefined;
  #kubeletPort = 0;
  readonly #healers: Running[] = [];
  readonly #stopSigning = new AbortController();
  #signing: Promise<void> = Promise.resolve();

  /** @param podCidr must differ between clusters on one machine */
  constructor(podCidr: string, agentFlags: readonly string[] = []) {
    this.#podCidr = podCidr;
    this.#agentFlags = agentFlags;
    this.folder = mkdtempSync(join(tmpdir(), TEST_FOLDER_PREFIX));
    own(this.folder);
    this.dataDir = join(this.folder, 'data');
  }

  get controlPlane(): ControlPlane {
    if (this.#controlPlane === undefined) throw new Error('there is no control plane yet');
    return this.#controlPlane;
  }

  /** Starts only the control plane. */
  async start(): Promise<void> {
    this.#controlPlane = await ControlPlane.create(this.folder);
    await this.controlPlane.start();
    const api = new Api(this.controlPlane.kubeconfig);
    this.#signing = signServingCertificates(api, this.controlPlane.pki, this.#stopSigning.signal).finally(() =>
      api.close(),
    );
  }

  /** Starts the node's agent with a node's certificate, and waits until the node is Ready. */
  async startAgent(): Promise<void> {
    const { pki, server } = this.controlPlane;
    const node = { commonName: `system:node:${NODE}`, organizations: ['system:nodes'] };
    const kubeconfig = await pki.kubeconfig('node.conf', server, node);
    this.#kubeletPort ||= await freePort();
    const at = ['--data-dir', this.dataDir, '--kubelet-listen', `0.0.0.0:${this.#kubeletPort}`];
    const as = ['--kubeconfig', kubeconfig, '--node-name', NODE, '--pod-cidr', this.#podCidr];
    this.#agent = this.#begin(['agent', ...at, ...as, '--image-archive', busyboxArchive, ...this.#agentFlags]);
    await this.#agent.ready('mendlet agent ready:');
  }

  async killAgent(): Promise<void> {
    await this.#agent?.end('SIGKILL');
  }

  /** The stderr of the running agent, or of the last one. */
  get agentLog(): string {
    return this.#agent?.log ?? '';
  }

  /** Starts a healer, and waits until it has found the server. */
  async startHealer(kubeconfig: string): Promise<Running> {
    const healer = this.#begin(['healer', '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0']);
    this.#healers.push(healer);
    await healer.ready('mendlet healer ready:');
    return healer;
  }

  /** Runs one of mendlet's verbs as the administrator. */
  mendlet(...args: readonly string[]): Promise<CommandResult> {
    const [verb = '', ...rest] = args;
    return run(process.execPath, [PROGRAM, verb, '--kubeconfig', this.controlPlane.kubeconfig, ...rest]);
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
    const flags = ['--kubeconfig', this.controlPlane.kubeconfig, '--cache-dir', cache];
    return run(kubectl136, [...flags, ...args], { input });
  }

  /** Creates objects from plain data. kubectl does not validate, because it would ask the server for a schema that it lacks. */
  async create(...objects: readonly object[]): Promise<void> {
    const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    await this.kubectl(['create', '--validate=false', '-f', '-'], text);
  }

  async pod(name: string): Promise<ObservedPod> {
    return JSON.parse(await this.kubectl(['get', 'pod', name, '-o', 'json'])) as ObservedPod;
  }

  /** Waits until the pod is `wanted`; the error contains its last state. */
  untilPod(name: string, what: string, wanted: (pod: ObservedPod) => boolean): Promise<ObservedPod> {
    return until<ObservedPod>(`pod ${name}: ${what}`, async () => {
      const result = await this.tryKubectl(['get', 'pod', name, '-o', 'json']);
      if (result.code !== 0) return { last: result.stderr };
      const pod = JSON.parse(result.stdout) as ObservedPod;
      return wanted(pod) ? { value: pod } : { last: JSON.stringify(pod.status) };
    });
  }

  /** Waits until kubectl's output matches, and returns it. */
  untilPrinted(args: readonly string[], wanted: RegExp): Promise<string> {
    return until<string>(`kubectl ${args.join(' ')} prints ${wanted}`, async () => {
      const { stdout, stderr } = await this.tryKubectl(args);
      return wanted.test(stdout.trim()) ? { value: stdout.trim() } : { last: stdout + stderr };
    });
  }

  /** Ends and removes everything. Idempotent. @throws with the output of a failed `mendlet down` */
  async down(): Promise<void> {
    this.#stopSigning.abort();
    await this.#signing;
    await Promise.all(this.#healers.map((healer) => healer.end('SIGTERM')));
    // The server still runs, because `down` takes the node out of the cluster.
    await this.#agent?.end('SIGTERM');
    const result = await run(process.execPath, [
      PROGRAM,
      'down',
      '--data-dir',
      this.dataDir,
      '--purge',
      '--with-claims',
    ]);
    await this.#controlPlane?.stop();
    rmSync(this.folder, { recursive: true, force: true });
    if (result.code !== 0) throw new Error(`mendlet down: ${result.code}\n${result.stdout}${result.stderr}`);
  }

  #begin(args: readonly string[]): Running {
    return new Running(process.execPath, [PROGRAM, ...args]);
  }
}
