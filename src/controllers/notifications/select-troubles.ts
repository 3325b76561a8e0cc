/** Which troubles a Notification is about. Pure. */
import { matchesLabels, type Pod, type ResolvedNotification } from '../../api/index.ts';
import { isPodActive } from '../pods/pod-state.ts';
import { type SeenTrouble, troubleId } from './trouble.ts';

/** What is known of the cluster beside its troubles. */
export interface ClusterFacts {
  readonly podsOnNode: (node: string) => readonly Pod[];
  /** @param key NAMESPACE/NAME */
  readonly podsOfClaim: (key: string) => readonly Pod[];
  readonly labelsOfNamespace: (namespace: string) => Readonly<Record<string, string>>;
}

export interface SelectedTroubles {
  readonly troubles: readonly SeenTrouble[];
  /** Ids of those that are there, and that it is not about. */
  readonly unselected: ReadonlySet<string>;
}

/** @param namespace undefined: a ClusterNotification */
export function selectTroubles(
  all: readonly SeenTrouble[],
  settings: Pick<ResolvedNotification, 'selector' | 'namespaceSelector' | 'triggers'>,
  namespace: string | undefined,
  facts: ClusterFacts,
): SelectedTroubles {
  const troubles = all.flatMap((each) => {
    if (!settings.triggers.has(each.trigger)) return [];
    const found =
      each.subject.kind === 'Node' ? ofNode(each, settings, namespace, facts) : ofPods(each, settings, facts);
    return found === undefined ? [] : [found];
  });
  const ids = new Set(troubles.map(({ trigger, subject }) => troubleId(trigger, subject)));
  const rest = all.map(({ trigger, subject }) => troubleId(trigger, subject)).filter((id) => !ids.has(id));
  return { troubles, unselected: new Set(rest) };
}

/**
 * In one namespace a lost node matters while pods of it are there. They are evicted after a while, which does not bring the node
 * back: then it only holds.
 */
function ofNode(
  trouble: SeenTrouble,
  { selector }: Pick<ResolvedNotification, 'selector'>,
  namespace: string | undefined,
  { podsOnNode }: ClusterFacts,
): SeenTrouble | undefined {
  if (namespace === undefined) return trouble;
  if (trouble.trigger !== 'NodeLost') return undefined;
  const concerned = podsOnNode(trouble.subject.name).some(
    (pod) =>
      pod.metadata?.namespace === namespace && isPodActive(pod) && matchesLabels(selector, pod.metadata.labels ?? {}),
  );
  return concerned ? trouble : { ...trouble, weight: 'hold' };
}

function ofPods(
  trouble: SeenTrouble,
  { selector, namespaceSelector }: Pick<ResolvedNotification, 'selector' | 'namespaceSelector'>,
  { podsOfClaim, labelsOfNamespace }: ClusterFacts,
): SeenTrouble | undefined {
  const { kind, namespace } = trouble.subject;
  if (namespaceSelector !== undefined && !matchesLabels(namespaceSelector, labelsOfNamespace(namespace)))
    return undefined;
  if (matchesLabels(selector, trouble.labels)) return trouble;
  if (kind !== 'PersistentVolumeClaim') return undefined;
  const isUsed = podsOfClaim(trouble.key).some((pod) => matchesLabels(selector, pod.metadata?.labels ?? {}));
  return isUsed ? trouble : undefined;
}
