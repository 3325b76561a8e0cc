/** The five conditions of a namespace that is being deleted, with upstream's types, reasons and messages. Pure. */
import type { NamespaceCondition } from '../../api/index.ts';

export interface ContentState {
  /** `name`: "pods." or "leases.coordination.k8s.io". */
  readonly remaining: readonly { readonly name: string; readonly count: number }[];
  /** Finalizer → how many objects wait for it. */
  readonly finalizers: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
}

export function namespaceConditions(state: ContentState): readonly NamespaceCondition[] {
  return [
    fine('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    fine(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    deletionFailure(state.failures),
    contentRemaining(state.remaining),
    finalizersRemaining(state.finalizers),
  ];
}

function fine(type: string, reason: string, message: string): NamespaceCondition {
  return { type, status: 'False', reason, message };
}

function deletionFailure(failures: readonly string[]): NamespaceCondition {
  const type = 'NamespaceDeletionContentFailure';
  if (failures.length === 0) {
    return fine(type, 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization');
  }
  const message = `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`;
  return { type, status: 'True', reason: 'ContentDeletionFailed', message };
}

function contentRemaining(remaining: ContentState['remaining']): NamespaceCondition {
  const type = 'NamespaceContentRemaining';
  if (remaining.length === 0) return fine(type, 'ContentRemoved', 'All content successfully removed');
  const parts = remaining.map(({ name, count }) => `${name} has ${count} resource instances`).toSorted();
  return {
    type,
    status: 'True',
    reason: 'SomeResourcesRemain',
    message: `Some resources are remaining: ${parts.join(', ')}`,
  };
}

function finalizersRemaining(finalizers: ContentState['finalizers']): NamespaceCondition {
  const type = 'NamespaceFinalizersRemaining';
  if (finalizers.size === 0) {
    return fine(type, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished');
  }
  const parts = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`).toSorted();
  const message = `Some content in the namespace has finalizers remaining: ${parts.join(', ')}`;
  return { type, status: 'True', reason: 'SomeFinalizersRemain', message };
}
