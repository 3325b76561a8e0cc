/**
 * Empties a namespace that is being deleted: pods first, gracefully, because they may need the rest until they end
 * (KEP-5080); then everything else; then the `kubernetes` finalizer, with which the namespace goes. Pure.
 */
import {
  type KubeObject,
  NAMESPACES,
  type Namespace,
  type NamespaceCondition,
  PODS,
  type Pod,
  type Resource,
} from '../../api/index.ts';
import type { Operation } from '../operation.ts';
import { type ContentState, namespaceConditions } from './namespace-conditions.ts';

const FINALIZER = 'kubernetes';
/** How soon to look again at objects that wait for a finalizer (upstream's estimate). */
const FINALIZER_WAIT_SECONDS = 15;

/** The objects of one resource in the namespace. */
export interface NamespaceContent {
  readonly resource: Resource<KubeObject>;
  readonly items: readonly KubeObject[];
}

export interface NamespaceDeletionPlan {
  readonly deletes: readonly Operation[];
  /** Set when the conditions changed. */
  readonly status?: Operation;
  /** Set when the namespace is empty. */
  readonly finalize?: Operation;
  /** Look again after this long, ms, if nothing happens before. */
  readonly requeueAfterMs?: number;
}

/** `failures`: errors of the last round's deletes, as text. `now`: RFC 3339, for changed conditions. */
export function planNamespaceDeletion(
  namespace: Namespace,
  contents: readonly NamespaceContent[],
  failures: readonly string[],
  now: string,
): NamespaceDeletionPlan {
  const finalizers = namespace.spec?.finalizers ?? [];
  if (namespace.metadata?.deletionTimestamp === undefined || !finalizers.includes(FINALIZER)) return { deletes: [] };
  const left = contents.filter(({ items }) => items.length > 0);
  const pods = left.find(({ resource }) => resource.resource === PODS.resource && resource.group === PODS.group);
  const turn = pods === undefined ? left : [pods];
  const status = statusOperation(namespace, namespaceConditions(contentState(left, failures)), now);
  const withStatus = status === undefined ? {} : { status };
  if (left.length > 0) {
    return { deletes: turn.flatMap(deletesOf), requeueAfterMs: waitSeconds(left) * 500 + 1000, ...withStatus };
  }
  const object = {
    ...namespace,
    spec: { ...namespace.spec, finalizers: finalizers.filter((name) => name !== FINALIZER) },
  };
  return {
    deletes: [],
    finalize: { verb: 'update', resource: NAMESPACES, object, subresource: 'finalize' },
    ...withStatus,
  };
}

function deletesOf({ resource, items }: NamespaceContent): readonly Operation[] {
  return items
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .map(({ metadata }) => ({
      verb: 'delete',
      resource,
      namespace: metadata?.namespace ?? '',
      name: metadata?.name ?? '',
      options: { propagationPolicy: 'Background', ...(metadata?.uid === undefined ? {} : { uid: metadata.uid }) },
    }));
}

function contentState(left: readonly NamespaceContent[], failures: readonly string[]): ContentState {
  const finalizers = new Map<string, number>();
  for (const { items } of left) {
    for (const { metadata } of items) {
      for (const name of metadata?.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    }
  }
  const remaining = left.map(({ resource, items }) => ({
    name: `${resource.resource}.${resource.group}`,
    count: items.length,
  }));
  return { remaining, finalizers, failures };
}

function waitSeconds(left: readonly NamespaceContent[]): number {
  let longest = 0;
  for (const { resource, items } of left) {
    for (const item of items) {
      if ((item.metadata?.finalizers ?? []).length > 0) longest = Math.max(longest, FINALIZER_WAIT_SECONDS);
      if (resource.resource !== PODS.resource) continue;
      const grace =
        (item as Pod).metadata?.deletionGracePeriodSeconds ?? (item as Pod).spec?.terminationGracePeriodSeconds;
      longest = Math.max(longest, grace ?? 30);
    }
  }
  return longest;
}

function statusOperation(
  namespace: Namespace,
  wanted: readonly NamespaceCondition[],
  now: string,
): Operation | undefined {
  const before = namespace.status?.conditions ?? [];
  let changed = false;
  const conditions = wanted.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const same =
      old?.status === condition.status && old.reason === condition.reason && old.message === condition.message;
    if (same) return old;
    changed = true;
    const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now;
    return { ...condition, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) };
  });
  if (!changed) return undefined;
  const others = before.filter(({ type }) => !wanted.some((condition) => condition.type === type));
  const object = { ...namespace, status: { ...namespace.status, conditions: [...others, ...conditions] } };
  return { verb: 'update', resource: NAMESPACES, object, subresource: 'status' };
}
