/**
 * Invariants of volumes that drivers serve, checked at every call that reaches a driver: a volume is staged before it is published,
 * at one path of a node; unpublished before it is unstaged; published on one node at a time if its mode says so. One that must be
 * attached is attached before it is staged, to one node at a time, and detached after it was unstaged. It is expanded where it is. No container runs whose volume
 * is being taken away. What was begun is undone in the end.
 */
import type { Facts } from '../facts.ts';
import { InvariantViolation } from '../invariants/violation.ts';

export interface DriverCall {
  readonly method: 'stage' | 'publish' | 'unpublish' | 'unstage' | 'expand';
  readonly node: string;
  readonly handle: string;
  /** Staging or target path. */
  readonly path: string;
  /** Of a call to publish; empty: the driver does not stage. */
  readonly stagingPath?: string;
  /** Of a call to expand. */
  readonly bytes?: number;
}

/** `begun`: a call reached the driver; `done`: one succeeded, and the machine was up ever since; `ending`: undoing was begun. */
type Step = 'begun' | 'done' | 'ending';

interface Target {
  step: Step;
  /** The machine was up ever since: somebody may write. */
  isLive: boolean;
}

interface VolumeOnNode {
  readonly node: string;
  readonly handle: string;
  readonly stagings: Map<string, Step>;
  readonly targets: Map<string, Target>;
  /** Also those that are gone. */
  readonly everTargets: Set<string>;
}

/** A container with volumes of drivers. */
interface Holder {
  readonly uid: string;
  readonly targets: readonly string[];
  isRunning: boolean;
}

const TARGET = /^.*\/volumes\/kubernetes\.io~csi\/[^/]+\/mount/;

export class StorageLaws {
  /** Handles of volumes that many nodes may have. */
  readonly shared = new Set<string>();
  /** What drivers were asked for and said to have done, by node and handle, bytes. */
  readonly #sizes = new Map<string, number>();
  /** Machines that lost their power, until the next call there. */
  readonly #off = new Set<string>();
  /** Handles of volumes that must be attached → nodes to which they are. */
  readonly #attached = new Map<string, Set<string>>();
  readonly #volumes = new Map<string, VolumeOnNode>();
  /** By container id. */
  readonly #holders = new Map<string, Holder>();
  #calls = 0;

  constructor(facts: Facts) {
    facts.on({
      created: ({ id, uid, mounts }) => {
        const targets = mounts.flatMap(({ hostPath, found }) => {
          const target = TARGET.exec(hostPath)?.[0];
          if (target !== undefined && found !== 'mounted')
            throw new InvariantViolation('volumes of drivers first', `${uid} is created, ${target} is not mounted`);
          return target ?? [];
        });
        if (targets.length > 0) this.#holders.set(id, { uid, targets, isRunning: false });
      },
      started: ({ id }) => this.#starts(id),
      exited: ({ id }) => void this.#holders.delete(id),
      'sandbox-removed': ({ uid }) => this.#end((holder) => holder.uid === uid),
      'machine-lost': ({ node }) => this.#machineLost(node),
    });
  }

  /** How many calls reached drivers. */
  get calls(): number {
    return this.#calls;
  }

  /** A call reaches its driver. Throws `InvariantViolation`. @param mounts what is mounted on the machine */
  begins(call: DriverCall, mounts: readonly string[]): void {
    this.#calls += 1;
    this.#off.delete(call.node);
    const volume = this.#volume(call);
    const { path } = call;
    switch (call.method) {
      case 'stage':
        if (this.#attached.get(call.handle)?.has(call.node) === false) throw violation('attach before stage', call);
        for (const other of volume.stagings.keys()) if (other !== path) throw violation('one staging', call, other);
        if (volume.stagings.get(path) === 'ending') throw violation('unstaged to its end', call);
        volume.stagings.set(path, 'begun');
        return;
      case 'publish':
        this.#mayPublish(volume, call);
        volume.targets.set(path, { step: 'begun', isLive: true });
        volume.everTargets.add(path);
        return;
      case 'unpublish':
        this.#mayUnpublish(call);
        volume.targets.set(path, { step: 'ending', isLive: volume.targets.get(path)?.isLive === true });
        return;
      case 'expand':
        this.#mayExpand(volume, call);
        return;
      case 'unstage': {
        const [published] = volume.targets.keys();
        if (published !== undefined) throw violation('unpublish before unstage', call, published);
        const left = mounts.find((each) => volume.everTargets.has(each));
        if (left !== undefined) throw violation('unmounted before unstage', call, left);
        volume.stagings.set(path, 'ending');
      }
    }
  }

  /** From now on the volume must be attached before it is staged. */
  mustBeAttached(handle: string): void {
    this.#attached.set(handle, new Set());
  }

  /** The storage attaches the volume to the node, or has it attached already. Throws `InvariantViolation`. */
  attaches(handle: string, node: string): void {
    const nodes = this.#attached.get(handle) ?? new Set();
    this.#attached.set(handle, nodes);
    for (const other of nodes) {
      if (other === node || this.shared.has(handle)) continue;
      throw new InvariantViolation('one attachment', `${handle} goes to ${node}, and is attached to ${other}`);
    }
    nodes.add(node);
  }

  /**
   * The storage detaches the volume, or has done so already. Nothing of it is at a machine without power.
   * Throws `InvariantViolation`.
   */
  detaches(handle: string, node: string): void {
    if (!this.#off.has(node)) this.#mayDetach(handle, node);
    this.#attached.get(handle)?.delete(node);
  }

  #mayDetach(handle: string, node: string): void {
    for (const { handle: other, stagings, targets } of this.#on(node)) {
      const [path] = [...targets.keys(), ...stagings.keys()];
      if (other !== handle || path === undefined) continue;
      throw new InvariantViolation('detach after unstage', `${handle} is detached from ${node}, and is at ${path}`);
    }
  }

  /** The driver says that it succeeded; whether anybody hears it is unknown. */
  succeeded(call: DriverCall): void {
    const { stagings, targets } = this.#volume(call);
    const { path } = call;
    if (call.method === 'stage') stagings.set(path, 'done');
    if (call.method === 'unstage') stagings.delete(path);
    if (call.method === 'unpublish') targets.delete(path);
    if (call.method === 'expand') this.#sizes.set(sizeKey(call), call.bytes ?? 0);
    if (call.method === 'publish') targets.set(path, { step: 'done', isLive: true });
  }

  /** The targets that the pod has on the node. */
  targetsOf(node: string, uid: string): readonly string[] {
    return this.#on(node).flatMap(({ targets }) =>
      [...targets].flatMap(([path, { step }]) => (step === 'done' && path.includes(uid) ? path : [])),
    );
  }

  /** The size up to which the node has expanded the volume, bytes; 0: it was not asked to. */
  sizeAt(node: string, handle: string): number {
    return this.#sizes.get(sizeKey({ node, handle })) ?? 0;
  }

  /** What was begun and not undone; undefined: nothing. */
  left(): string | undefined {
    for (const { node, handle, stagings, targets } of this.#volumes.values()) {
      const [path] = [...targets.keys(), ...stagings.keys()];
      if (path !== undefined) return `${handle} is still at ${path} of ${node}`;
    }
    for (const [handle, [node]] of this.#attached)
      if (node !== undefined) return `${handle} is still attached to ${node}`;
    return undefined;
  }

  #mayPublish({ stagings, targets }: VolumeOnNode, call: DriverCall): void {
    const { node, handle, path, stagingPath = '' } = call;
    if (targets.get(path)?.step === 'ending') throw violation('unpublished to its end', call);
    if (stagingPath !== '' && stagings.get(stagingPath) !== 'done') throw violation('stage before publish', call);
    if (this.shared.has(handle)) return;
    for (const other of this.#volumes.values()) {
      if (other.handle !== handle || other.node === node) continue;
      const live = [...other.targets].find(([, { isLive }]) => isLive);
      if (live !== undefined) throw violation('one node', call, `${live[0]} of ${other.node}`);
    }
  }

  /** It is expanded where it is, and never made smaller. */
  #mayExpand({ stagings, targets }: VolumeOnNode, call: DriverCall): void {
    const { path, bytes = 0 } = call;
    const isThere = stagings.get(path) === 'done' || targets.get(path)?.step === 'done';
    if (!isThere) throw violation('expand where it is', call);
    const before = this.#sizes.get(sizeKey(call)) ?? 0;
    if (bytes < before) throw violation('never smaller', call, `${before} bytes`);
  }

  #mayUnpublish(call: DriverCall): void {
    for (const { uid, targets, isRunning } of this.#holders.values())
      if (isRunning && targets.includes(call.path)) throw violation('not below a container', call, uid);
  }

  #starts(id: string): void {
    const holder = this.#holders.get(id);
    if (holder === undefined) return;
    holder.isRunning = true;
    for (const target of holder.targets) {
      const found = [...this.#volumes.values()].find(({ targets }) => targets.has(target))?.targets.get(target);
      if (found?.step === 'done' && found.isLive) continue;
      throw new InvariantViolation('starts with its volume', `${holder.uid} starts, ${target} is ${found?.step}`);
    }
  }

  #machineLost(node: string): void {
    this.#off.add(node);
    this.#end(({ targets }) => this.#on(node).some((volume) => targets.some((each) => volume.targets.has(each))));
    for (const { stagings, targets } of this.#on(node)) {
      for (const [path, step] of stagings) if (step === 'done') stagings.set(path, 'begun');
      for (const target of targets.values()) {
        target.isLive = false;
        if (target.step === 'done') target.step = 'begun';
      }
    }
  }

  #end(which: (holder: Holder) => boolean): void {
    for (const [id, holder] of this.#holders) if (which(holder)) this.#holders.delete(id);
  }

  #on(node: string): readonly VolumeOnNode[] {
    return [...this.#volumes.values()].filter((each) => each.node === node);
  }

  #volume({ node, handle }: DriverCall): VolumeOnNode {
    const key = `${node}\n${handle}`;
    const known = this.#volumes.get(key);
    if (known !== undefined) return known;
    const fresh = { node, handle, stagings: new Map(), targets: new Map(), everTargets: new Set<string>() };
    this.#volumes.set(key, fresh);
    return fresh;
  }
}

function sizeKey({ node, handle }: Pick<DriverCall, 'node' | 'handle'>): string {
  return `${node}\n${handle}`;
}

function violation(law: string, { method, node, handle, path }: DriverCall, beside?: string): InvariantViolation {
  const what = `${method} of ${handle} at ${path} of ${node}`;
  return new InvariantViolation(law, beside === undefined ? what : `${what}, beside ${beside}`);
}
