/** What a registered driver changes in the CSINode and in the Node (upstream: nodeinfomanager). Pure. */
import type { CSINode, CSINodeDriver, Node } from '../../api/index.ts';
import type { CsiNodeInfo } from '../../csi/index.ts';

export const NODE_ID_ANNOTATION = 'csi.volume.kubernetes.io/nodeid';

/** Upstream counts a limit of 32 bits. */
const MAX_COUNT = 2 ** 31 - 1;

export function newCsiNode(node: Node): CSINode {
  const { name = '', uid = '' } = node.metadata ?? {};
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
    spec: { drivers: [] },
  };
}

/** `undefined`: it says so already. */
export function withDriver(node: CSINode, name: string, info: CsiNodeInfo): CSINode | undefined {
  const entry = driverEntry(name, info);
  const before = driversOf(node);
  const known = before.find((each) => each.name === name);
  if (known !== undefined && isSame(known, entry)) return undefined;
  return { ...node, spec: { ...node.spec, drivers: [...before.filter((each) => each.name !== name), entry] } };
}

/** `undefined`: it does not name the driver. */
export function withoutDriver(node: CSINode, name: string): CSINode | undefined {
  const drivers = driversOf(node).filter((each) => each.name !== name);
  if (drivers.length === driversOf(node).length) return undefined;
  return { ...node, spec: { ...node.spec, drivers } };
}

/** An empty list is `null` in the answers of servers. */
function driversOf({
  spec,
}: {
  readonly spec: { readonly drivers?: readonly CSINodeDriver[] | null };
}): readonly CSINodeDriver[] {
  return spec.drivers ?? [];
}

function driverEntry(name: string, { nodeId, maxVolumes, topology }: CsiNodeInfo): CSINodeDriver {
  const keys = Object.keys(topology).toSorted();
  return {
    name,
    nodeID: nodeId,
    ...(keys.length > 0 && { topologyKeys: keys }),
    ...(maxVolumes > 0 && { allocatable: { count: Math.min(maxVolumes, MAX_COUNT) } }),
  };
}

function isSame(one: CSINodeDriver, other: CSINodeDriver): boolean {
  const { nodeID, topologyKeys, allocatable } = one;
  return (
    nodeID === other.nodeID &&
    (topologyKeys ?? []).toSorted().join() === (other.topologyKeys ?? []).join() &&
    allocatable?.count === other.allocatable?.count
  );
}

/**
 * The change of the Node for a driver's id and topology, as a merge patch; `undefined`: it says so already. Throws when another
 * driver, or somebody, gave the node another value of a topology label (upstream's words).
 */
export function nodePatch({ metadata }: Node, name: string, { nodeId, topology }: CsiNodeInfo): object | undefined {
  const labels = metadata?.labels ?? {};
  for (const [key, value] of Object.entries(topology)) {
    const there = labels[key];
    if (there !== undefined && there !== value) {
      throw new Error(
        `detected topology value collision: driver reported "${key}":"${value}" but existing label is "${key}":"${there}"`,
      );
    }
  }
  const missing = Object.entries(topology).filter(([key]) => labels[key] === undefined);
  const ids = nodeIds(metadata?.annotations?.[NODE_ID_ANNOTATION]);
  const isNamed = ids[name] === nodeId;
  if (missing.length === 0 && isNamed) return undefined;
  return {
    metadata: {
      ...(missing.length > 0 && { labels: Object.fromEntries(missing) }),
      ...(!isNamed && { annotations: { [NODE_ID_ANNOTATION]: JSON.stringify({ ...ids, [name]: nodeId }) } }),
    },
  };
}

/** The change of the Node when the driver is gone; its topology labels stay, as upstream. `undefined`: none. */
export function nodePatchWithout({ metadata }: Node, name: string): object | undefined {
  const { [name]: own, ...ids } = nodeIds(metadata?.annotations?.[NODE_ID_ANNOTATION]);
  if (own === undefined) return undefined;
  const left = Object.keys(ids).length === 0 ? null : JSON.stringify(ids);
  return { metadata: { annotations: { [NODE_ID_ANNOTATION]: left } } };
}

/** An annotation that cannot be read names no driver. */
function nodeIds(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  try {
    const ids: unknown = JSON.parse(text);
    return typeof ids === 'object' && ids !== null ? (ids as Record<string, string>) : {};
  } catch {
    return {};
  }
}
