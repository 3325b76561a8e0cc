/** A real control plane of Kubernetes on this machine's loopback: etcd, API server, controllers, scheduler. No node. */
import { mkdirSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { kubernetesBin } from '../../tools/kubernetes/programs.ts';
import { until } from '../e2e/harness.ts';
import { freePort } from '../support/free-port.ts';
import { Running } from '../support/running.ts';
import { Pki } from './pki.ts';

/** An address for documentation, which no machine has. The API server must advertise one that is not loopback. */
const ADVERTISED = '192.0.2.1';

interface Ports {
  readonly etcd: number;
  readonly etcdPeers: number;
  readonly apiServer: number;
  readonly controllers: number;
  readonly scheduler: number;
}

export class ControlPlane {
  readonly pki: Pki;
  readonly server: string;
  /** The kubeconfig of a cluster administrator. */
  readonly kubeconfig: string;
  readonly #folder: string;
  readonly #ports: Ports;
  #apiServer: Running | undefined;
  readonly #others: Running[] = [];

  private constructor(folder: string, ports: Ports, pki: Pki, kubeconfig: string) {
    this.#folder = folder;
    this.#ports = ports;
    this.pki = pki;
    this.kubeconfig = kubeconfig;
    this.server = serverAt(ports);
  }

  /** Writes the files below `folder`; nothing runs yet. */
  static async create(folder: string): Promise<ControlPlane> {
    mkdirSync(join(folder, 'etcd'), { recursive: true });
    mkdirSync(join(folder, 'pki'));
    const pki = await Pki.create(join(folder, 'pki'));
    const [etcd, etcdPeers, apiServer, controllers, scheduler] = await freePorts();
    const ports: Ports = { etcd, etcdPeers, apiServer, controllers, scheduler };
    const admin = { commonName: 'admin', organizations: ['system:masters'] };
    return new ControlPlane(folder, ports, pki, await pki.kubeconfig('admin.conf', serverAt(ports), admin));
  }

  async start(): Promise<void> {
    const { pki } = this;
    this.#startEtcd();
    await this.startApiServer();
    const controllers = { commonName: 'system:kube-controller-manager' };
    const scheduler = { commonName: 'system:kube-scheduler' };
    this.#startControllers(await pki.kubeconfig('controllers.conf', this.server, controllers));
    this.#startScheduler(await pki.kubeconfig('scheduler.conf', this.server, scheduler));
  }

  /** Starts the API server, and waits until it is ready. @throws with its log when it ends before */
  async startApiServer(): Promise<void> {
    const running = this.#begin('kube-apiserver', {
      'etcd-servers': `http://127.0.0.1:${this.#ports.etcd}`,
      'bind-address': '127.0.0.1',
      'secure-port': String(this.#ports.apiServer),
      'advertise-address': ADVERTISED,
      'service-cluster-ip-range': '10.96.0.0/16',
      'tls-cert-file': this.pki.path('apiserver.crt'),
      'tls-private-key-file': this.pki.path('apiserver.key'),
      'client-ca-file': this.pki.path('ca.crt'),
      'kubelet-certificate-authority': this.pki.path('ca.crt'),
      'kubelet-client-certificate': this.pki.path('kubelet-client.crt'),
      'kubelet-client-key': this.pki.path('kubelet-client.key'),
      'kubelet-preferred-address-types': 'InternalIP',
      'service-account-issuer': 'https://kubernetes.default.svc',
      'service-account-key-file': this.pki.path('sa.pub'),
      'service-account-signing-key-file': this.pki.path('sa.key'),
      'authorization-mode': 'Node,RBAC',
      // Drivers of storage mount for the node.
      'allow-privileged': true,
      'enable-admission-plugins': 'NodeRestriction',
    });
    this.#apiServer = running;
    await Promise.race([
      until('the API server', async () => {
        const answer = await this.#readyz();
        return answer === 200 ? { value: true } : { last: String(answer) };
      }),
      running.ended.then((how) => {
        throw new Error(`kube-apiserver ended (${how}) before it was ready:\n${running.log.slice(-4000)}`);
      }),
    ]);
  }

  /** Kills the API server with SIGKILL, whatever it does at the moment. */
  async killApiServer(): Promise<void> {
    await this.#apiServer?.end('SIGKILL');
  }

  /** Ends everything. Idempotent. */
  async stop(): Promise<void> {
    const all = [...this.#others.toReversed(), ...(this.#apiServer === undefined ? [] : [this.#apiServer])];
    await Promise.all(all.map((each) => each.end('SIGKILL')));
  }

  #startEtcd(): void {
    const { etcd, etcdPeers } = this.#ports;
    const clients = `http://127.0.0.1:${etcd}`;
    const peers = `http://127.0.0.1:${etcdPeers}`;
    const running = new Running(
      'etcd',
      argumentsOf({
        'data-dir': join(this.#folder, 'etcd'),
        'listen-client-urls': clients,
        'advertise-client-urls': clients,
        'listen-peer-urls': peers,
        'initial-advertise-peer-urls': peers,
        'initial-cluster': `default=${peers}`,
        // The data need not survive the machine.
        'unsafe-no-fsync': true,
      }),
    );
    this.#others.push(running);
  }

  /** Starts the controllers without the signers: this old version does not know today's requests of nodes, so the test signs. */
  #startControllers(kubeconfig: string): void {
    const flags = {
      kubeconfig,
      'authentication-kubeconfig': kubeconfig,
      'authorization-kubeconfig': kubeconfig,
      'root-ca-file': this.pki.path('ca.crt'),
      'service-account-private-key-file': this.pki.path('sa.key'),
      'use-service-account-credentials': true,
      'bind-address': '127.0.0.1',
      'secure-port': String(this.#ports.controllers),
      'leader-elect': false,
      port: '0',
      controllers: '*,-csrsigning',
    };
    this.#others.push(this.#begin('kube-controller-manager', flags));
  }

  #startScheduler(kubeconfig: string): void {
    const flags = {
      kubeconfig,
      'authentication-kubeconfig': kubeconfig,
      'authorization-kubeconfig': kubeconfig,
      'bind-address': '127.0.0.1',
      'secure-port': String(this.#ports.scheduler),
      'leader-elect': false,
      port: '0',
    };
    this.#others.push(this.#begin('kube-scheduler', flags));
  }

  #begin(program: string, flags: Flags): Running {
    return new Running(join(kubernetesBin, program), argumentsOf(flags));
  }

  #readyz(): Promise<number | string> {
    const ca = readFileSync(this.pki.path('ca.crt'));
    return new Promise((done) => {
      const call = request(`${this.server}/readyz`, { ca, agent: false }, (response) => {
        response.resume();
        done(response.statusCode ?? 0);
      });
      call.on('error', (error) => done(error.message));
      call.end();
    });
  }
}

type Flags = Readonly<Record<string, string | boolean>>;

/** Values are separate arguments, so that the process list shows the files that they name. */
function argumentsOf(flags: Flags): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    typeof value === 'string' ? [`--${name}`, value] : [`--${name}=${value}`],
  );
}

const serverAt = ({ apiServer }: Ports): string => `https://127.0.0.1:${apiServer}`;

async function freePorts(): Promise<readonly [number, number, number, number, number]> {
  // The ports are asked for concurrently, so that they differ.
  return await Promise.all([freePort(), freePort(), freePort(), freePort(), freePort()]);
}
