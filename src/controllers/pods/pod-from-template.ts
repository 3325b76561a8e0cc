/** The pod that a workload makes from its template. Pure. Upstream: GetPodFromTemplate. */
import {
  checkDns1123Subdomain,
  controllerReference,
  forPrefix,
  type KubeObject,
  nameOf,
  namespaceOf,
  type Pod,
  type PodTemplateSpec,
  type Resource,
} from '../../api/index.ts';

/** With a generated name; the owner is its controller. */
export function podFromTemplate<T extends KubeObject>(
  resource: Resource<T>,
  owner: T,
  template: PodTemplateSpec | undefined,
): Pod {
  const { labels = {}, annotations = {}, finalizers = [] } = template?.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: namespaceOf(owner),
      generateName: podPrefix(nameOf(owner)),
      labels: { ...labels },
      annotations: { ...annotations },
      ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [controllerReference(resource, owner)],
    },
    spec: structuredClone(template?.spec ?? { containers: [] }),
  };
}

/** "web-", or the bare name where the dash would spoil it. */
function podPrefix(owner: string): string {
  const prefix = `${owner}-`;
  return forPrefix(checkDns1123Subdomain)(prefix).length === 0 ? prefix : owner;
}
