/**
 * Looks at the folders that each node has, when it is heard again and rarely afterwards: says which volumes lost theirs, and has
 * left-overs removed. A folder without volume and without claim is a left-over when no pod ever had it. One that a pod had is
 * only spoken of: its volume may have had Retain. Keys are nodes.
 */
import {
  isNotFound,
  isVolumeOnNode,
  nameOf,
  NODES,
  type Node,
  type NodeVolume,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  uidOf,
  VOLUME_SPACE_ANNOTATION,
} from '../../api/index.ts';
import { type EventRecorder, type KubeClient, type Lister, referenceTo } from '../../client/index.ts';
import { type Clock, errorMessage, type Logger } from '../../lib/index.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { LEFT_OVER_VOLUME_GRACE_MS, NODE_VOLUMES_LOOK_MS } from '../limits.ts';
import { isHeard } from './local-volume.ts';
import type { NodeVolumes } from './node-volumes.ts';
import { planLook } from './plan-look.ts';
import type { LocalVolumesOptions } from './provisioning-controller.ts';

export interface LookOptions extends LocalVolumesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

export function lookController(options: LookOptions): Controller {
  const worker = new Looker(options);
  return {
    name: 'local-volume-look',
    sources: [
      source(NODES, (change) => {
        if (change.type === 'delete') {
          worker.forget(nameOf(change.object));
          return [];
        }
        const { object, previous } = change;
        const isNews = previous === undefined || !makesVolumes(previous) || spaceOf(previous) !== spaceOf(object);
        return makesVolumes(object) && isNews ? [nameOf(object)] : [];
      }),
      source(PERSISTENT_VOLUMES, () => []),
      source(PERSISTENT_VOLUME_CLAIMS, () => []),
    ],
    reconcile: (name, context) => worker.reconcile(name, context),
  };
}

function makesVolumes(node: Node): boolean {
  return isHeard(node) && spaceOf(node) !== undefined;
}

/** It also names volumes that were lost, so its changes are looked into at once. */
function spaceOf({ metadata }: Node): string | undefined {
  return metadata?.annotations?.[VOLUME_SPACE_ANNOTATION];
}

class Looker {
  readonly #client: KubeClient;
  readonly #events: EventRecorder;
  readonly #nodeVolumes: NodeVolumes;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #claims: Lister<PersistentVolumeClaim>;
  readonly #volumes: Lister<PersistentVolume>;
  readonly #nodes: Lister<Node>;
  /** Node → left-over folder → when it was first seen, monotonic ms. */
  readonly #leftOvers = new Map<string, Map<string, number>>();
  /** Node → what was told of its folders. */
  readonly #told = new Map<string, Set<string>>();

  constructor({ client, informers, events, nodeVolumes, clock, logger }: LookOptions) {
    this.#client = client;
    this.#events = events;
    this.#nodeVolumes = nodeVolumes;
    this.#clock = clock;
    this.#logger = logger;
    this.#claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
    this.#volumes = informers.lister(PERSISTENT_VOLUMES);
    this.#nodes = informers.lister(NODES);
  }

  forget(node: string): void {
    this.#leftOvers.delete(node);
    this.#told.delete(node);
  }

  async reconcile(name: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const node = this.#nodes.get(undefined, name);
    // Its return is a change that brings the key back.
    if (node === undefined || !makesVolumes(node)) return undefined;
    try {
      const { items } = await this.#nodeVolumes.list(name, context.signal);
      const claims = this.#claims.list();
      const look = planLook(node, items, {
        volume: (each) => this.#volumes.get(undefined, each),
        volumes: this.#volumes.list(),
        claim: (uid) => claims.find((claim) => uidOf(claim) === uid),
      });
      for (const volume of look.lost) this.#tellLost(node, volume);
      for (const each of look.kept) this.#tellKept(node, each);
      await this.#removeOld(node, look.leftOvers, context);
    } catch (error) {
      if (context.signal.aborted) throw error;
      this.#logger.info('a node does not say which volumes it has', { node: name, error: errorMessage(error) });
    }
    return { requeueAfterMs: NODE_VOLUMES_LOOK_MS };
  }

  /** A folder must be left over for a while: its claim may be one that the caches do not show yet. */
  async #removeOld(node: Node, leftOvers: readonly NodeVolume[], { signal }: ReconcileContext): Promise<void> {
    const name = nameOf(node);
    const now = this.#clock.now().mono;
    const before = this.#leftOvers.get(name);
    const seen = new Map(leftOvers.map((each) => [each.name, before?.get(each.name) ?? now]));
    this.#leftOvers.set(name, seen);
    for (const each of leftOvers) {
      if (now - (seen.get(each.name) ?? now) < LEFT_OVER_VOLUME_GRACE_MS) continue;
      if (await this.#hasVolume(node, each.name, signal)) continue;
      // With its version: its claim may get this node again, and a pod the folder, while the request is under way.
      await this.#nodeVolumes.remove(name, each, signal);
      seen.delete(each.name);
      this.#logger.info('removed a folder that no volume names and no pod ever had', { node: name, folder: each.path });
    }
  }

  async #hasVolume(node: Node, name: string, signal: AbortSignal): Promise<boolean> {
    try {
      return isVolumeOnNode(await this.#client.get(PERSISTENT_VOLUMES, undefined, name, signal), node);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #tellLost(node: Node, volume: PersistentVolume): void {
    if (!this.#isNews(node, `lost ${nameOf(volume)}`)) return;
    const message = `the folder ${volume.spec?.local?.path} is not on node "${nameOf(node)}" any more: what was in it is lost`;
    this.#events.event(referenceTo(volume), 'Warning', 'VolumeLost', message);
  }

  #tellKept(node: Node, { name, path, handle }: NodeVolume): void {
    if (!this.#isNews(node, `kept ${name}`)) return;
    const removing = `kubectl delete --raw '/api/v1/nodes/${nameOf(node)}/proxy/mendlet/v1/volumes/${name}?handle=${handle}'`;
    const message = `the folder ${path} belongs to no volume any more, and is kept because pods have used it. To remove it: ${removing}`;
    this.#events.event(referenceTo(node), 'Warning', 'VolumeKept', message);
  }

  #isNews(node: Node, what: string): boolean {
    const told = this.#told.get(nameOf(node)) ?? new Set();
    this.#told.set(nameOf(node), told);
    if (told.has(what)) return false;
    told.add(what);
    return true;
  }
}
