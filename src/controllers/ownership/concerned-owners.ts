/** Which owners a change of a pod (or of anything that owners adopt) concerns, as work queue keys. */
import {
  apiVersionOf,
  controllerOf,
  type KubeObject,
  matchesLabels,
  namespaceOf,
  type OwnerReference,
  type ParsedLabelSelector,
  type Resource,
} from '../../api/index.ts';
import { type Change, keyOf, type Lister, objectKey } from '../../client/index.ts';

/**
 * The controller of the object, now and before; for an orphan all that would adopt it.
 * @param selectorOf undefined: the owner selects nothing; called often, so it should be cheap (see `cachedSelector`)
 */
export function concernedOwners<T extends KubeObject>(
  resource: Resource<T>,
  owners: Lister<T>,
  selectorOf: (owner: T) => ParsedLabelSelector | undefined,
  change: Change<KubeObject>,
): readonly string[] {
  const { object } = change;
  const controller = controllerOf(object);
  const former = change.type === 'apply' && change.previous !== undefined ? controllerOf(change.previous) : undefined;
  const keys = [controller, former?.uid === controller?.uid ? undefined : former].flatMap((reference) =>
    reference !== undefined && isOf(resource, reference) ? [keyOf(namespaceOf(object), reference.name)] : [],
  );
  if (controller !== undefined || change.type === 'delete') return keys;
  for (const owner of owners.list(namespaceOf(object))) {
    const selector = selectorOf(owner);
    if (selector !== undefined && matchesLabels(selector, object.metadata?.labels)) keys.push(objectKey(owner));
  }
  return keys;
}

function isOf(resource: Resource<KubeObject>, { apiVersion, kind }: OwnerReference): boolean {
  return kind === resource.kind && apiVersion === apiVersionOf(resource);
}

/** `selectorOf`, once per version of an owner. */
export function cachedSelector<T extends KubeObject>(
  selectorOf: (owner: T) => ParsedLabelSelector | undefined,
): (owner: T) => ParsedLabelSelector | undefined {
  const known = new WeakMap<T, ParsedLabelSelector | 'none'>();
  return (owner) => {
    let selector = known.get(owner);
    if (selector === undefined) {
      selector = selectorOf(owner) ?? 'none';
      known.set(owner, selector);
    }
    return selector === 'none' ? undefined : selector;
  };
}
