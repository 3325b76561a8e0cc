/** Objects of kinds that users define, fields with several owners, and an autoscaler: what a server stores of them before an upgrade. */
const GROUP = 'upgrade.example.com';

export const BOOKS = `books.${GROUP}`;

function version(name: string, storage: boolean): object {
  const spec = {
    type: 'object',
    required: ['title'],
    properties: {
      title: { type: 'string', maxLength: 100 },
      copies: { type: 'integer', minimum: 0, default: 3 },
      tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string', maxLength: 20 }, maxItems: 5 },
    },
    'x-kubernetes-validations': [{ rule: "self.title != 'none'", message: 'it needs a title' }],
  };
  const status = { type: 'object', properties: { lent: { type: 'integer' }, phase: { type: 'string' } } };
  return {
    name,
    served: true,
    storage,
    subresources: { status: {}, scale: { specReplicasPath: '.spec.copies', statusReplicasPath: '.status.lent' } },
    additionalPrinterColumns: [{ name: 'Title', type: 'string', jsonPath: '.spec.title' }],
    selectableFields: [{ jsonPath: '.spec.title' }],
    schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
  };
}

/** Two versions, of which the second is stored. */
export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: BOOKS },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'books', kind: 'Book', shortNames: ['bk'] },
    versions: [version('v1', false), version('v2', true)],
  },
};

export const HOLD = `${GROUP}/hold`;

/** One in each version, one that a finalizer holds while it is deleted. */
export const objects: readonly object[] = [
  book('v1', 'old', { title: 'Old', tags: ['a', 'b'] }),
  book('v2', 'new', { title: 'New', copies: 7 }),
  book('v2', 'going', { title: 'Going' }, { finalizers: [HOLD] }),
];

function book(name: string, of: string, spec: object, metadata: object = {}): object {
  return {
    apiVersion: `${GROUP}/${name}`,
    kind: 'Book',
    metadata: { name: of, namespace: 'default', ...metadata },
    spec,
  };
}

/** What two managers apply on the server, one field each, and one that both want to be the same. */
export const shared = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'shared', namespace: 'default' },
  data: { both: 'x' },
};

export function applied(manager: 'first' | 'second', value = manager as string): object {
  return { ...shared, data: { ...shared.data, [manager]: value } };
}

/** Of workloads that have no pods, so that its status is quiet. */
export const autoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'idle', namespace: 'default' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'idle' },
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
    behavior: { scaleDown: { stabilizationWindowSeconds: 5 } },
  },
};
