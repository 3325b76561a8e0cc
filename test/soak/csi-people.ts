/** What people do during the soak of CSI: writers are deleted, scaled and moved by drains; pods with volumes of their own come and go. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../src/api/index.ts';
import type { Random } from '../../src/lib/index.ts';
import type { Answer } from '../support/api-over-https.ts';
import { Api } from '../support/api-over-https.ts';
import type { Lab } from '../support/lab.ts';
import { scratchPod, SET, SINGLE, singleClaim, singleDeployment, storeSet } from './csi-objects.ts';
import { patiently } from './patiently.ts';

const CORE = '/api/v1/namespaces/default';
const APPS = '/apis/apps/v1/namespaces/default';
const MERGE = 'application/merge-patch+json';
export const REPLICAS = 2;
const MAX_SCRATCH = 2;

type Act = readonly [name: string, weight: number, act: () => Promise<string | undefined>];

export class CsiPeople {
  readonly #lab: Lab;
  readonly #api: Api;
  readonly #random: Random;
  readonly #script: string;
  readonly #say: (line: string) => void;
  #scratch = 0;
  acts = 0;

  constructor(lab: Lab, random: Random, script: string, say: (line: string) => void) {
    this.#lab = lab;
    this.#api = new Api(lab.kubeconfig);
    this.#random = random;
    this.#script = script;
    this.#say = say;
  }

  async begin(): Promise<void> {
    await this.#ask('POST', `${APPS}/statefulsets`, storeSet(REPLICAS, this.#script));
    await this.#ask('POST', `${CORE}/persistentvolumeclaims`, singleClaim());
    await this.#ask('POST', `${APPS}/deployments`, singleDeployment(this.#script));
    await this.untilReady();
  }

  /** One thing at random. @returns what was done */
  async act(): Promise<string> {
    const acts: readonly Act[] = [
      ['delete a pod', 5, () => this.#deletePod()],
      ['scale', 2, () => this.#scale()],
      ['a pod with a volume of its own', 3, () => this.#addScratch()],
      ['drain', 1, () => this.#drain()],
    ];
    const total = acts.reduce((sum, [, weight]) => sum + weight, 0);
    let at = this.#random.next() * total;
    const found = acts.find(([, weight]) => (at -= weight) < 0);
    if (found === undefined) throw new Error('the weights of the acts do not add up');
    const [name, , act] = found;
    this.acts += 1;
    return `${name}: ${(await act()) ?? 'nothing to do'}`;
  }

  /** Every writer is there and ready. */
  async untilReady(): Promise<void> {
    await this.#scaleTo(REPLICAS);
    for (const node of this.#lab.nodes) await this.#cordon(node.name, false);
    const names = [`statefulsets/${SET}`, `deployments/${SINGLE}`];
    for (const name of names) {
      await patiently<boolean>(this.#say, `${name} to be ready`, async () => {
        const { status = {}, spec = {} } = (await this.#ask('GET', `${APPS}/${name}`)).body as Replicated;
        const isReady = status.readyReplicas === spec.replicas && status.replicas === spec.replicas;
        return isReady ? { value: true } : { last: `${JSON.stringify(status)} ${await this.#waiting()}` };
      });
    }
  }

  /** Deletes all writers, and waits until they are gone; their claims stay. */
  async clear(): Promise<void> {
    await this.#ask('DELETE', `${APPS}/statefulsets/${SET}`);
    await this.#ask('DELETE', `${APPS}/deployments/${SINGLE}`);
    await patiently<boolean>(this.#say, 'the end of the pods', async () => {
      const pods = await this.#pods();
      for (const { metadata } of pods) await this.#ask('DELETE', `${CORE}/pods/${metadata?.name}`);
      return pods.length === 0 ? { value: true } : { last: await this.#waiting() };
    });
  }

  async deleteClaims(): Promise<void> {
    for (const { metadata } of await this.#list<PersistentVolumeClaim>(`${CORE}/persistentvolumeclaims`))
      await this.#ask('DELETE', `${CORE}/persistentvolumeclaims/${metadata?.name}`);
  }

  /** How writers name their volumes → handles, of all claims that outlive their pods. */
  async handles(): Promise<ReadonlyMap<string, string>> {
    const volumes = await this.#list<PersistentVolume>('/api/v1/persistentvolumes');
    const found = new Map<string, string>();
    for (const { spec } of volumes) {
      const name = (spec?.claimRef?.name ?? '').replace(/^data-/, '');
      const isKept = name === SINGLE || name.startsWith(`${SET}-`);
      if (isKept) found.set(name, spec?.csi?.volumeHandle ?? '');
    }
    return found;
  }

  async volumes(): Promise<number> {
    return (await this.#list('/api/v1/persistentvolumes')).length;
  }

  async attachments(): Promise<number> {
    return (await this.#list('/apis/storage.k8s.io/v1/volumeattachments')).length;
  }

  async #deletePod(): Promise<string | undefined> {
    const pod = this.#pick(await this.#pods());
    if (pod === undefined) return undefined;
    await this.#ask('DELETE', `${CORE}/pods/${pod.metadata?.name}`);
    return pod.metadata?.name;
  }

  async #scale(): Promise<string> {
    const replicas = Math.floor(this.#random.next() * (REPLICAS + 1));
    await this.#scaleTo(replicas);
    return `${SET} to ${replicas}`;
  }

  async #scaleTo(replicas: number): Promise<void> {
    await this.#ask('PATCH', `${APPS}/statefulsets/${SET}`, { spec: { replicas } }, MERGE);
  }

  async #addScratch(): Promise<string | undefined> {
    const pods = (await this.#pods()).filter(({ metadata }) => metadata?.labels?.['app'] === 'scratch');
    if (pods.length >= MAX_SCRATCH) return undefined;
    const name = `scratch-${(this.#scratch += 1)}`;
    await this.#ask('POST', `${CORE}/pods`, scratchPod(name, this.#script));
    return name;
  }

  /** As `kubectl drain` does; the node takes pods again afterwards. */
  async #drain(): Promise<string | undefined> {
    const node = this.#pick(this.#lab.nodes);
    if (node === undefined) return undefined;
    const flags = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=15s'];
    const { code } = await this.#lab.tryKubectl(['drain', node.name, ...flags]);
    await this.#cordon(node.name, false);
    return `${node.name} (${code})`;
  }

  async #cordon(node: string, unschedulable: boolean): Promise<void> {
    await this.#ask('PATCH', `/api/v1/nodes/${node}`, { spec: { unschedulable } }, MERGE);
  }

  async #waiting(): Promise<string> {
    const pods = await this.#pods();
    return pods
      .map(
        ({ metadata, spec, status }) =>
          `${metadata?.name} ${spec?.nodeName} ${status?.phase} ${metadata?.deletionTimestamp ?? ''} ${JSON.stringify(status?.containerStatuses?.map(({ state }) => state))}`,
      )
      .join('\n');
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random.next() * items.length)];
  }

  async #pods(): Promise<readonly Pod[]> {
    return await this.#list<Pod>(`${CORE}/pods`);
  }

  async #list<T>(path: string): Promise<readonly T[]> {
    return ((await this.#ask('GET', path)).body as { readonly items: readonly T[] }).items;
  }

  /** Asks until the server answers: it may be away. What is not there, or there already, is no fault. */
  async #ask(method: string, path: string, body?: object, type?: string): Promise<Answer> {
    return await patiently<Answer>(this.#say, `${method} ${path}`, async () => {
      try {
        const value = await this.#api.send(method, path, body, type);
        const isAnswer = value.code < 300 || value.code === 404 || value.code === 409;
        return isAnswer ? { value } : { last: `${value.code} ${JSON.stringify(value.body)}` };
      } catch (error) {
        return { last: String(error) };
      }
    });
  }
}

interface Replicated {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number; readonly replicas?: number };
}
