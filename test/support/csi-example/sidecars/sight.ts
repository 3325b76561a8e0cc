/** What the provisioner sees of the cluster, and the topology of nodes in it. */
import { settings } from '../settings.ts';
import type { Followed, KubeObject } from './cluster.ts';
import type { Attachment, Claim, CsiNode, StorageClass, Strings, Volume } from './objects.ts';

export interface Sight {
  readonly claims: Followed<Claim>;
  readonly volumes: Followed<Volume>;
  readonly classes: Followed<StorageClass>;
  readonly nodes: Followed<KubeObject>;
  readonly csiNodes: Followed<CsiNode>;
  readonly attachments: Followed<Attachment>;
}

/** The topology of each node that has the driver. */
export function segmentsOf({
  nodes,
  csiNodes,
}: Sight): readonly { readonly node: string; readonly segments: Strings }[] {
  return csiNodes.list().flatMap(({ metadata: { name }, spec }) => {
    const keys = (spec.drivers ?? []).find((each) => each.name === settings.driver)?.topologyKeys ?? [];
    const labels = nodes.list().find(({ metadata }) => metadata.name === name)?.metadata.labels ?? {};
    const segments = Object.fromEntries(keys.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])));
    return Object.keys(segments).length === 0 ? [] : [{ node: name, segments }];
  });
}

/** What a PersistentVolume says of where it is. */
export function affinityOf(topology: readonly { readonly segments: Strings }[]): object {
  if (topology.length === 0) return {};
  const nodeSelectorTerms = topology.map(({ segments }) => ({
    matchExpressions: Object.entries(segments).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
  }));
  return { nodeAffinity: { required: { nodeSelectorTerms } } };
}
