/** Keeps `volumesAttached` of a Node's status: what its agent may mount. Others write the status, too. */
import { isConflict, isNotFound, nameOf, type Node, NODES, uidOf } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { KeyedLock } from '../../lib/index.ts';
import type { ReconcileContext } from '../controller.ts';
import { MAX_CONFLICTS } from './limits.ts';

export class NodeListing {
  readonly #client: KubeClient;
  /** Two volumes of one node are listed one after the other. */
  readonly #locks = new KeyedLock();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /**
   * Lists the volume as attached to the node, or not. Resolves to the Node as the server has it after that; `undefined`: it is
   * gone.
   */
  async set(nodeName: string, name: string, isListed: boolean, context: ReconcileContext): Promise<Node | undefined> {
    return await this.#locks.run(nodeName, async () => {
      for (let conflicts = 0; ; conflicts++) {
        try {
          return await this.#try(nodeName, name, isListed, context);
        } catch (error) {
          if (!isConflict(error) || conflicts >= MAX_CONFLICTS) throw error;
        }
      }
    });
  }

  async #try(nodeName: string, name: string, isListed: boolean, context: ReconcileContext): Promise<Node | undefined> {
    const node = await this.#read(nodeName, context.signal);
    const listed = node?.status?.volumesAttached ?? [];
    if (node === undefined || listed.some((each) => each.name === name) === isListed) return node;
    const others = listed.filter((each) => each.name !== name);
    const next = isListed ? [...others, { name, devicePath: '' }] : others;
    const patch = {
      metadata: { uid: uidOf(node), resourceVersion: node.metadata?.resourceVersion },
      status: { volumesAttached: next.toSorted((a, b) => (a.name < b.name ? -1 : 1)) },
    };
    const operation = {
      verb: 'patch',
      resource: NODES,
      name: nameOf(node),
      type: 'merge',
      subresource: 'status',
    } as const;
    return await context.write({ ...operation, patch });
  }

  async #read(nodeName: string, signal: AbortSignal): Promise<Node | undefined> {
    try {
      return await this.#client.get(NODES, undefined, nodeName, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
