/**
 * The node's object before its agent is there: the server gives the node its part of the pods' network only when it knows
 * the node, and without a network there is no container runtime to start.
 */
import { isAlreadyExists, isNotFound, type Node, NODES, StatusError } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { ConnectionError } from '../../lib/index.ts';
import { type Patience, untilDone } from './patience.ts';

/**
 * @param wanted the node as it registers
 * @returns its pod network, "10.244.3.0/24"; waits until the server has given one
 */
export async function registerForNetwork(client: KubeClient, wanted: Node, patience: Patience): Promise<string> {
  const name = wanted.metadata?.name ?? '';
  return untilDone<string>(patience, async (signal) => {
    try {
      const node = await getOrCreate(client, wanted, signal);
      const podCidr = node.spec?.podCIDR ?? '';
      if (podCidr !== '') return { done: podCidr };
      return {
        waitFor: `the server has not given node ${name} a pod network yet (spec.podCIDR); --pod-cidr gives it one of its own`,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ConnectionError || error instanceof StatusError)) throw error;
      return { waitFor: `node ${name} is not registered yet: ${error.message}` };
    }
  });
}

async function getOrCreate(client: KubeClient, wanted: Node, signal: AbortSignal): Promise<Node> {
  const name = wanted.metadata?.name ?? '';
  try {
    return await client.get<Node>(NODES, undefined, name, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  try {
    return await client.create<Node>(NODES, wanted, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return client.get<Node>(NODES, undefined, name, signal);
  }
}
