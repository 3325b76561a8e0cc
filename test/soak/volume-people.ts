/** What people do meanwhile: pods and claims come and go, sets are scaled, volumes are kept. Remembers what must become of volumes. */
import {
  NODE_VOLUMES_PATH,
  type NodeVolume,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
} from '../../src/api/index.ts';
import type { Random } from '../../src/lib/index.ts';
import type { Answer, Api } from '../support/api-over-https.ts';
import { patiently } from './patiently.ts';
import { CONTENDED, contendedClaim, contender, scratchPod, SETS, statefulSet } from './volume-objects.ts';

const MAX_REPLICAS = 3;
const CONTENDERS = 3;
const CORE = '/api/v1/namespaces/default';
const VOLUMES = '/api/v1/persistentvolumes';
const SETS_PATH = '/apis/apps/v1/namespaces/default/statefulsets';
const MERGE = 'application/merge-patch+json';

type Act = readonly [name: string, weight: number, act: () => Promise<string | undefined>];

export class VolumePeople {
  readonly #api: Api;
  readonly #random: Random;
  readonly #script: string;
  readonly #say: (line: string) => void;
  #scratch = 0;
  #contenders = 0;
  /** Names of volumes that must stay, with all that was acknowledged. */
  readonly kept = new Set<string>();
  /** Names of kept volumes whose objects were deleted: their folders are left-overs, which are named. */
  readonly leftOver = new Set<string>();
  /** Names of volumes that were deleted with their claims, and must be gone in the end. */
  readonly given = new Set<string>();
  /** Names of volumes that go with the pods that own their claims. */
  readonly scratch = new Set<string>();
  acts = 0;

  constructor(api: Api, random: Random, script: string, say: (line: string) => void) {
    this.#say = say;
    this.#api = api;
    this.#random = random;
    this.#script = script;
  }

  async begin(): Promise<void> {
    for (const name of SETS) await this.#create(SETS_PATH, statefulSet(name, 2, this.#script));
    await this.#create(`${CORE}/persistentvolumeclaims`, contendedClaim());
    await this.#addContender();
  }

  /** One thing at random. @returns what was done */
  async act(): Promise<string> {
    const acts: readonly Act[] = [
      ['delete a pod', 4, () => this.#deletePod(30)],
      ['delete a pod by force', 1, () => this.#deletePod(0)],
      ['scale', 4, () => this.#scale()],
      ['delete a claim', 3, () => this.#deleteClaim()],
      ['keep a volume', 1, () => this.#keep()],
      ['delete a kept volume', 1, () => this.#deleteKept()],
      ['contend', 2, () => this.#addContender()],
      ['a scratch pod', 2, () => this.#addScratch()],
    ];
    const total = acts.reduce((sum, [, weight]) => sum + weight, 0);
    let at = this.#random.next() * total;
    const found = acts.find(([, weight]) => (at -= weight) < 0);
    if (found === undefined) throw new Error('the weights of the acts do not add up');
    const [name, , act] = found;
    this.acts += 1;
    return `${name}: ${(await act()) ?? 'nothing to do'}`;
  }

  /** Everything that was asked for is there: all sets have two replicas that are ready. */
  async settle(): Promise<void> {
    await patiently<boolean>(this.#say, 'deleted claims to go', async () => await this.#endDeletedClaims());
    for (const name of SETS) {
      await this.#patch(`${SETS_PATH}/${name}`, { spec: { replicas: 2 } });
      await patiently<boolean>(this.#say, `${name} to be ready`, async () => {
        const { body } = await this.#ask('GET', `${SETS_PATH}/${name}`);
        const { status } = body as { status?: { readyReplicas?: number; replicas?: number } };
        return status?.readyReplicas === 2 && status.replicas === 2
          ? { value: true }
          : { last: `${JSON.stringify(status)} ${await this.#unready()}` };
      });
    }
  }

  /** Deletes all pods, sets and claims, and waits until the pods are gone. */
  async clear(): Promise<void> {
    for (const name of SETS) await this.#ask('DELETE', `${SETS_PATH}/${name}`);
    await this.claims();
    await patiently<boolean>(this.#say, 'the end of the pods', async () => {
      const pods = await this.pods();
      for (const { metadata } of pods) await this.#ask('DELETE', `${CORE}/pods/${metadata?.name}`);
      return pods.length === 0 ? { value: true } : { last: pods.map(({ metadata }) => metadata?.name).join() };
    });
    for (const claim of await this.claims()) await this.#give(claim);
  }

  async volumes(): Promise<readonly PersistentVolume[]> {
    return await this.#list<PersistentVolume>(VOLUMES);
  }

  async claims(): Promise<readonly PersistentVolumeClaim[]> {
    const claims = await this.#list<PersistentVolumeClaim>(`${CORE}/persistentvolumeclaims`);
    for (const { metadata } of claims)
      if (metadata?.ownerReferences !== undefined) this.scratch.add(`pvc-${metadata.uid}`);
    return claims;
  }

  async pods(): Promise<readonly Pod[]> {
    return await this.#list<Pod>(`${CORE}/pods`);
  }

  /** The folders that a node says it has. */
  async foldersOf(node: string): Promise<readonly NodeVolume[]> {
    return await this.#list<NodeVolume>(`/api/v1/nodes/${node}/proxy${NODE_VOLUMES_PATH}`);
  }

  /** Messages of events. */
  async told(reason: string): Promise<readonly string[]> {
    const events = await this.#list<{ readonly reason?: string; readonly message?: string }>('/api/v1/events');
    return events.filter((each) => each.reason === reason).map(({ message = '' }) => message);
  }

  /**
   * A claim that was deleted waits for its pod, and a pod that had not begun waits for its claim, as on Kubernetes. A set that had
   * not heard of the deletion may make such a pod at any time, so this is done until no such claim is left.
   */
  async #endDeletedClaims(): Promise<{ value: true } | { last: string }> {
    const deleted = (await this.claims()).filter(({ metadata }) => metadata?.deletionTimestamp !== undefined);
    for (const claim of deleted) await this.#ask('DELETE', `${CORE}/pods/${podOf(claim)}`);
    const names = deleted.map(({ metadata }) => metadata?.name).join();
    return deleted.length === 0 ? { value: true } : { last: `${names}; ${await this.#unready()}` };
  }

  async #unready(): Promise<string> {
    const pods = (await this.pods()).filter(
      ({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') !== true,
    );
    return pods
      .map(({ metadata, status }) => `${metadata?.name} ${status?.phase} ${JSON.stringify(status?.containerStatuses)}`)
      .join('\n');
  }

  async #deletePod(gracePeriodSeconds: number): Promise<string | undefined> {
    const pod = this.#pick(await this.pods());
    if (pod === undefined) return undefined;
    // What goes with a pod is known before the pod is deleted.
    await this.claims();
    await this.#ask('DELETE', `${CORE}/pods/${pod.metadata?.name}?gracePeriodSeconds=${gracePeriodSeconds}`);
    return pod.metadata?.name;
  }

  async #scale(): Promise<string> {
    const name = SETS[Math.floor(this.#random.next() * SETS.length)] ?? '';
    const replicas = Math.floor(this.#random.next() * (MAX_REPLICAS + 1));
    await this.#patch(`${SETS_PATH}/${name}`, { spec: { replicas } });
    return `${name} to ${replicas}`;
  }

  /** A claim of a pod that runs goes when the pod goes, so sometimes both are deleted. */
  async #deleteClaim(): Promise<string | undefined> {
    const claim = this.#pick((await this.claims()).filter(({ metadata }) => metadata?.name !== CONTENDED));
    if (claim === undefined) return undefined;
    await this.#give(claim);
    const owner = podOf(claim);
    if (this.#random.next() < 0.5) await this.#ask('DELETE', `${CORE}/pods/${owner}`);
    return claim.metadata?.name;
  }

  async #give({ metadata }: PersistentVolumeClaim): Promise<void> {
    this.given.add(`pvc-${metadata?.uid}`);
    const path = `${CORE}/persistentvolumeclaims/${metadata?.name}`;
    await this.#ask('DELETE', path, { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: metadata?.uid } });
  }

  /** Only of a claim that nobody has deleted yet: who is late with Retain has nothing to expect. */
  async #keep(): Promise<string | undefined> {
    const claims = await this.claims();
    const volume = this.#pick(
      (await this.volumes()).filter(({ metadata, spec }) => {
        const claim = claims.find((each) => each.metadata?.uid === spec?.claimRef?.uid);
        return (
          metadata?.deletionTimestamp === undefined &&
          claim !== undefined &&
          claim.metadata?.deletionTimestamp === undefined &&
          claim.metadata?.ownerReferences === undefined
        );
      }),
    );
    const name = volume?.metadata?.name;
    if (name === undefined || this.kept.has(name)) return undefined;
    const code = await this.#patch(`${VOLUMES}/${name}`, { spec: { persistentVolumeReclaimPolicy: 'Retain' } });
    if (code === 200) this.kept.add(name);
    return name;
  }

  async #deleteKept(): Promise<string | undefined> {
    const volume = this.#pick(
      (await this.volumes()).filter(
        ({ metadata, status }) => this.kept.has(metadata?.name ?? '') && status?.phase === 'Released',
      ),
    );
    const name = volume?.metadata?.name;
    if (name === undefined) return undefined;
    this.leftOver.add(name);
    await this.#ask('DELETE', `${VOLUMES}/${name}`);
    return name;
  }

  async #addContender(): Promise<string | undefined> {
    const pods = (await this.pods()).filter(({ metadata }) => metadata?.labels?.['app'] === CONTENDED);
    if (pods.length >= CONTENDERS) return undefined;
    const volume = (await this.volumes()).find(({ spec }) => spec?.claimRef?.name === CONTENDED);
    const terms = volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    const [node] = terms.flatMap(({ matchExpressions = [] }) => matchExpressions.flatMap(({ values = [] }) => values));
    const name = `contender-${(this.#contenders += 1)}`;
    await this.#create(`${CORE}/pods`, contender(name, this.#script, node));
    return name;
  }

  async #addScratch(): Promise<string | undefined> {
    const name = `scratch-${(this.#scratch += 1)}`;
    const pods = (await this.pods()).filter(({ metadata }) => metadata?.labels?.['app'] === 'scratch');
    if (pods.length > 2) return undefined;
    await this.#create(`${CORE}/pods`, scratchPod(name, this.#script));
    return name;
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random.next() * items.length)];
  }

  async #list<T>(path: string): Promise<readonly T[]> {
    return ((await this.#ask('GET', path)).body as { readonly items: readonly T[] }).items;
  }

  async #create(path: string, object: object): Promise<void> {
    await this.#ask('POST', path, object);
  }

  async #patch(path: string, body: object): Promise<number> {
    return (await this.#ask('PATCH', path, body, MERGE)).code;
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

/** The pod of a claim: `data-POD` of a stateful set, `POD-data` of an ephemeral volume. */
function podOf({ metadata }: PersistentVolumeClaim): string {
  return (metadata?.name ?? '').replace(/^data-|-data$/, '');
}
