/** The facts about this node: its machine and runtime once they were read, its object once it is registered. */
import type { Node } from '../../api/index.ts';
import { allocatableResources } from '../allocatable.ts';
import type { KnownNode } from '../node-facts.ts';
import type { NodeResources } from '../types.ts';

export interface NodeSources {
  /** The bytes that eviction's hard thresholds keep free, of this many bytes. */
  readonly keepsFree: (signal: 'memory.available', capacityBytes: number) => number;
  /** As the API server last had it. */
  readonly object: () => Node | undefined;
}

export class NodeKnowledge {
  readonly #sources: NodeSources;
  #known: KnownNode | undefined;

  constructor(sources: NodeSources) {
    this.#sources = sources;
  }

  /** Machine and runtime have been read; `undefined`: the agent ended before. */
  learn(known: KnownNode | undefined): void {
    this.#known = known;
  }

  /** `undefined`: they have not been read yet. */
  get known(): KnownNode | undefined {
    return this.#known;
  }

  object(): Node | undefined {
    return this.#sources.object();
  }

  /** The node's addresses, the primary one first; empty until they are known. */
  hostIps(): readonly string[] {
    return this.#known?.machine.addresses ?? [];
  }

  memoryBytes(): number {
    return this.#known?.machine.memoryBytes ?? 0;
  }

  /** The node's allocatable resources. */
  allocatable(): NodeResources {
    return allocatableResources(this.#known?.machine, this.#sources.keepsFree, this.#sources.object());
  }
}
