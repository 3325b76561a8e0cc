/** Writes to the API server which drivers this node has: its CSINode, and on its Node the drivers' ids and topology. */
import { CSI_NODES, type CSINode, isAlreadyExists, isConflict, isNotFound, NODES } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import type { CsiNodeInfo } from '../../csi/index.ts';
import { MAX_CONFLICTS } from './limits.ts';
import { newCsiNode, nodePatch, nodePatchWithout, withDriver, withoutDriver } from './node-objects.ts';

export interface ReportOptions {
  readonly client: KubeClient;
  readonly nodeName: string;
}

/** Rejects when the API server does not answer, or the driver's topology collides with another's. */
export async function reportDriver(
  { client, nodeName }: ReportOptions,
  name: string,
  info: CsiNodeInfo,
): Promise<void> {
  const node = await client.get(NODES, undefined, nodeName);
  const patch = nodePatch(node, name, info);
  if (patch !== undefined) await client.patch(NODES, undefined, nodeName, 'merge', patch);
  await changeCsiNode({ client, nodeName }, (before) => withDriver(before, name, info), newCsiNode(node));
}

/** The driver is gone. */
export async function reportNoDriver({ client, nodeName }: ReportOptions, name: string): Promise<void> {
  await changeCsiNode({ client, nodeName }, (before) => withoutDriver(before, name));
  const patch = nodePatchWithout(await client.get(NODES, undefined, nodeName), name);
  if (patch !== undefined) await client.patch(NODES, undefined, nodeName, 'merge', patch);
}

/** @param fresh made first if there is none; absent: then there is nothing to change */
async function changeCsiNode(
  { client, nodeName }: ReportOptions,
  change: (before: CSINode) => CSINode | undefined,
  fresh?: CSINode,
): Promise<void> {
  for (let conflicts = 0; ; conflicts++) {
    try {
      const before = await found(client, nodeName);
      const base = before ?? fresh;
      if (base === undefined) return;
      const after = change(base);
      if (before === undefined) await client.create(CSI_NODES, after ?? base);
      else if (after !== undefined) await client.update(CSI_NODES, after);
      return;
    } catch (error) {
      if (conflicts >= MAX_CONFLICTS || (!isConflict(error) && !isAlreadyExists(error))) throw error;
    }
  }
}

async function found(client: KubeClient, nodeName: string): Promise<CSINode | undefined> {
  try {
    return await client.get(CSI_NODES, undefined, nodeName);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
