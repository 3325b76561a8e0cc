/** mendlet as a service of a guest, installed by docs/operations.md, with its API, the guest's kubectl and cgroup files. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dropInWithFlags, unitOfDocs } from '../../tools/vm/docs-unit.ts';
import { type CommandResult, type ObservedPod, root } from '../e2e/harness.ts';
import { Guest } from './guest.ts';

const GOODS = '/usr/lib/node_modules/mendlet';
const DATA = '/var/lib/mendlet';
/** Time limit that only ends a hang, because an emulated machine on a loaded host is slow. */
const UNTIL_LIMIT_MS = 1_800_000;
const POLL_MS = 2000;
/** Asks until there is a value; the error contains the last answer. */
export async function until<T>(what: string, ask: () => Promise<{ value: T } | { last: string }>): Promise<T> {
  const begunAt = performance.now();
  for (;;) {
    const answer = await ask();
    if ('value' in answer) return answer.value;
    if (performance.now() - begunAt > UNTIL_LIMIT_MS) throw new Error(`waited in vain for ${what}: ${answer.last}`);
    await sleep(POLL_MS);
  }
}

export class MendletOnGuest {
  readonly guest: Guest;
  #agent: Agent | undefined;

  /** @param outsidePort of this machine's 127.0.0.1, which the guest may reach */
  constructor(outsidePort?: number) {
    this.guest = Guest.create(outsidePort);
  }

  /** Boots the guest, installs the service and waits until it is ready. */
  async up(kubeletConfiguration: object = {}): Promise<void> {
    await this.guest.on();
    const config = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      ...kubeletConfiguration,
    };
    await this.write('/etc/mendlet/kubelet.json', JSON.stringify(config));
    const unit = unitOfDocs(readFileSync(join(root, 'docs/operations.md'), 'utf8'));
    const flags = ['--image-archive', `${GOODS}/busybox.tar`, '--kubelet-config', '/etc/mendlet/kubelet.json'];
    await this.write('/etc/systemd/system/mendlet.service', unit);
    await this.write('/etc/systemd/system/mendlet.service.d/flags.conf', dropInWithFlags(unit, flags));
    await this.guest.sh('systemctl daemon-reload && systemctl enable mendlet && systemctl start mendlet');
    await this.untilReady();
  }

  /** Waits until the service's present process has printed its ready line. */
  async untilReady(): Promise<void> {
    // After a boot the old connections are dead.
    this.#agent?.destroy();
    this.#agent = undefined;
    await until('the ready line of mendlet', async () => {
      const { stdout, stderr } = await this.guest.try(
        'systemctl is-active --quiet mendlet && ' +
          'journalctl --no-pager -o cat _PID=$(systemctl show -P MainPID mendlet) _SYSTEMD_UNIT=mendlet.service',
      );
      return /^mendlet ready:/m.test(stdout) ? { value: undefined } : { last: stdout.slice(-2000) + stderr };
    });
  }

  async write(path: string, text: string): Promise<void> {
    const data = Buffer.from(text, 'utf8').toString('base64');
    await this.guest.sh(`mkdir -p "$(dirname ${path})" && base64 -d >${path} <<<'${data}'`);
  }

  /** Runs the guest's kubectl, whose start takes seconds there. */
  async tryKubectl(args: string): Promise<CommandResult> {
    return await this.guest.try(`kubectl --kubeconfig ${DATA}/kubeconfig ${args}`);
  }

  async kubectl(args: string): Promise<string> {
    return await this.guest.sh(`kubectl --kubeconfig ${DATA}/kubeconfig ${args}`);
  }

  async mendlet(args: string): Promise<string> {
    return await this.guest.sh(`mendlet ${args}`);
  }

  /** One request with the admin's certificate; `undefined` when the object does not exist. @throws for any other refusal */
  async request<T>(method: string, path: string, body?: object): Promise<T | undefined> {
    const { code, text } = await this.#send(method, path, body);
    if (code === 404) return undefined;
    if (code >= 300) throw new Error(`${method} ${path}: ${code} ${text}`);
    return JSON.parse(text) as T;
  }

  async #send(method: string, path: string, body?: object): Promise<{ readonly code: number; readonly text: string }> {
    this.#agent ??= await this.#connect();
    const type = method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json';
    const options = { agent: this.#agent, host: '127.0.0.1', port: this.guest.apiPort, path, method };
    const headers = body === undefined ? {} : { 'Content-Type': type };
    return await new Promise((done, fail) => {
      const sent = request({ ...options, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => done({ code: response.statusCode ?? 0, text }));
        response.on('error', fail);
      });
      sent.on('error', fail);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Opens the one connection for all requests, as each handshake costs an emulated machine a second. */
  async #connect(): Promise<Agent> {
    const files = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => this.guest.sh(`cat ${DATA}/pki/${name}`));
    const [ca, cert, key] = await Promise.all(files);
    return new Agent({ keepAlive: true, maxSockets: 2, ca, cert, key });
  }

  async create(...pods: readonly object[]): Promise<void> {
    for (const pod of pods) await this.request('POST', '/api/v1/namespaces/default/pods', pod);
  }

  /** @throws when the pod does not exist */
  async pod(name: string): Promise<ObservedPod> {
    const found = await this.request<ObservedPod>('GET', `/api/v1/namespaces/default/pods/${name}`);
    if (found === undefined) throw new Error(`there is no pod ${name}`);
    return found;
  }

  async untilPod(name: string, what: string, wanted: (pod: ObservedPod) => boolean): Promise<ObservedPod> {
    return await until<ObservedPod>(`pod ${name}: ${what}`, async () => {
      const pod = await this.pod(name);
      return wanted(pod) ? { value: pod } : { last: JSON.stringify(pod.status) };
    });
  }

  async untilRunning(name: string): Promise<ObservedPod> {
    return await this.untilPod(name, 'runs', ({ status }) => status.containerStatuses?.every(isRunning) === true);
  }

  /**
   * Cgroup files below the pods' root that match bash's pattern: path below the mount → lines joined by `;`. Empty files are
   * left out.
   */
  async cgroupFiles(pattern: string): Promise<ReadonlyMap<string, string>> {
    const text = await this.guest.sh(
      `cd /sys/fs/cgroup && shopt -s globstar && grep -s "" /dev/null mendlet_*.slice/${pattern}; true`,
    );
    const files = new Map<string, string>();
    for (const line of text.split('\n').filter(Boolean)) {
      const at = line.indexOf(':');
      const before = files.get(line.slice(0, at));
      files.set(line.slice(0, at), `${before === undefined ? '' : `${before};`}${line.slice(at + 1)}`);
    }
    return files;
  }

  async remove(): Promise<void> {
    await this.guest.remove();
  }
}

export function isRunning({ state }: { readonly state: { readonly running?: unknown } }): boolean {
  return state.running !== undefined;
}
