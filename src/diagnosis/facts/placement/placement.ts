/** Who has what a pod that no node takes waits for: its claim, its host port, room on a disk. Pure. */
import {
  controllerOf,
  hostPortsClash,
  hostPortsOf,
  type NodeVolumeSpace,
  quantityMilliValue,
  quantityValue,
  VOLUME_SPACE_ANNOTATION,
} from '../../../api/index.ts';
import type { Node, Pod } from '../../evidence/kinds.ts';
import type { ClaimEvidence } from '../../evidence/pod-evidence.ts';
import type { Quote } from '../../finding.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { formatBytes, listed } from '../words/text.ts';

/** Names of other pods told in a sentence. */
const MAX_HOLDERS = 3;

/** Why a claim that waits for the scheduler gets no volume when its pod goes round the scheduler; undefined: it does not. */
export function unplacedText({ pod, name }: PodFacts): string | undefined {
  const nodeName = pod.spec?.nodeName ?? '';
  if (nodeName === '') return undefined;
  return `its StorageClass makes one only for a node that a scheduler has chosen, and pod ${name} is fixed to node ${nodeName} (spec.nodeName)`;
}

/** Other pods that have a node and are not over; without a list of all those of its controller. */
function others({ evidence, pod }: PodFacts): readonly Pod[] {
  return (evidence.placement?.pods ?? evidence.siblings).filter(
    ({ metadata, spec, status }) =>
      metadata?.uid !== pod.metadata?.uid &&
      (spec?.nodeName ?? '') !== '' &&
      status?.phase !== 'Succeeded' &&
      status?.phase !== 'Failed',
  );
}

/** The claims of the pod that one pod alone may use. */
export function exclusiveClaims({ evidence }: PodFacts): readonly ClaimEvidence[] {
  return evidence.claims.filter(({ claim }) => claim?.spec?.accessModes?.includes('ReadWriteOncePod') === true);
}

/** Pods that use one of these claims of the pod's namespace. */
export function usersOf(facts: PodFacts, claims: readonly ClaimEvidence[]): readonly Pod[] {
  return claimUsers(facts, new Set(claims.map(({ name }) => name)));
}

/** @param names of claims of its namespace */
export function claimUsers(facts: PodFacts, names: ReadonlySet<string>): readonly Pod[] {
  const { namespace } = facts.pod.metadata ?? {};
  return others(facts).filter(
    ({ metadata, spec }) =>
      metadata?.namespace === namespace &&
      (spec?.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) =>
        names.has(persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? '' : `${metadata?.name}-${name}`)),
      ),
  );
}

/** Pods that have a host port which the pod wants. */
export function portHolders(facts: PodFacts): readonly Pod[] {
  const wanted = hostPortsOf(facts.pod);
  return others(facts).filter((pod) => {
    const used = hostPortsOf(pod);
    return wanted.some((port) => used.some((each) => hostPortsClash(port, each)));
  });
}

/** "pod shop/edge on node n1 and 2 more"; a fellow is a pod of the same controller or workload. */
export function holdersText({ pod, evidence }: PodFacts, holders: readonly Pod[]): string {
  const maker = controllerOf(pod)?.uid;
  const siblings = new Set(evidence.siblings.map(({ metadata }) => metadata?.uid));
  const texts = holders.slice(0, MAX_HOLDERS).map((each) => {
    const { namespace = '', name = '' } = each.metadata ?? {};
    const isFellow = siblings.has(each.metadata?.uid) || (maker !== undefined && controllerOf(each)?.uid === maker);
    return `pod ${namespace}/${name} on node ${each.spec?.nodeName ?? ''}${isFellow ? ', a fellow of it' : ''}`;
  });
  const left = holders.length - texts.length;
  return listed(left > 0 ? [...texts, `${left} more`] : texts);
}

export interface Room {
  /** "n2 has 10Gi for all its volumes" */
  readonly says: string;
  readonly quote: Quote;
}

/** That of the node with most bytes for volumes; undefined: none says what it has. */
export function mostRoom({ evidence }: PodFacts): Room | undefined {
  const rooms = (evidence.placement?.nodes ?? []).flatMap((node) => {
    const bytes = volumeBytes(node);
    return bytes === undefined ? [] : [{ name: node.metadata?.name ?? '', bytes, node }];
  });
  const [most] = rooms.toSorted((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  if (most === undefined) return undefined;
  const { name, bytes, node } = most;
  const value = node.metadata?.annotations?.[VOLUME_SPACE_ANNOTATION] ?? '';
  return {
    says: `${name} has ${formatBytes(bytes)} for all its volumes`,
    quote: { source: 'field', of: `node/${name}`, path: `metadata.annotations[${VOLUME_SPACE_ANNOTATION}]`, value },
  };
}

/** Resources that are counted in bytes. */
const IN_BYTES = /^(?:memory|ephemeral-storage|hugepages-)/;

/**
 * "the largest node (n2) has 2", "no node has any", of a resource that is asked for in an amount that no node could ever give;
 * undefined: one could, or not all are known.
 */
export function neverFits({ evidence }: PodFacts, resource: string, asked: string): string | undefined {
  const nodes = evidence.placement?.nodes ?? [];
  if (nodes.length === 0 || nodes.length >= MAX_NODES_KNOWN) return undefined;
  const amounts = nodes.map(({ metadata, status }) => {
    const text = status?.allocatable?.[resource] ?? '0';
    return { name: metadata?.name ?? '', text, amount: quantityMilliValue(text) };
  });
  const [most] = amounts.toSorted((a, b) => b.amount - a.amount || (a.name < b.name ? -1 : 1));
  if (most === undefined || most.amount >= quantityMilliValue(asked)) return undefined;
  if (most.amount === 0) return 'no node has any';
  const has = IN_BYTES.test(resource) ? formatBytes(quantityValue(most.text)) : most.text;
  return `the largest node (${most.name}) has ${has}`;
}

/** Of more nodes one that is not listed may be larger. */
const MAX_NODES_KNOWN = 500;

function volumeBytes({ metadata }: Node): number | undefined {
  try {
    const { capacityBytes } = JSON.parse(
      metadata?.annotations?.[VOLUME_SPACE_ANNOTATION] ?? '{}',
    ) as Partial<NodeVolumeSpace>;
    return typeof capacityBytes === 'number' ? capacityBytes : undefined;
  } catch {
    // Nothing is concluded from what cannot be read.
    return undefined;
  }
}
