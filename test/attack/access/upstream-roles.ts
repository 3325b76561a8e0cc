/**
 * The rights of roles by Kubernetes' documentation, from "Using RBAC Authorization" (user-facing roles, core component roles) and
 * "Using Node Authorization". This data is independent of the server's policy.
 */

/** "VERBS: RESOURCES", both lists of words; a resource is "NAME[/SUBRESOURCE][.GROUP]". */
export type Rights = readonly string[];

const read = 'get list watch';
const write = 'create update patch delete deletecollection';
const workloads = 'daemonsets.apps deployments.apps replicasets.apps statefulsets.apps';
const scales = 'deployments/scale.apps replicasets/scale.apps statefulsets/scale.apps replicationcontrollers/scale';
const streams = 'pods/attach pods/exec pods/portforward pods/proxy services/proxy';

/** "Read-only access to see most objects in a namespace. It does not allow viewing roles or role bindings", nor secrets. */
export const VIEW: Rights = [
  `${read}: pods replicationcontrollers serviceaccounts services endpoints persistentvolumeclaims configmaps`,
  `${read}: limitranges resourcequotas events namespaces`,
  `${read}: pods/status pods/log resourcequotas/status namespaces/status replicationcontrollers/status services/status`,
  `${read}: persistentvolumeclaims/status bindings`,
  `${read}: endpointslices.discovery.k8s.io controllerrevisions.apps ${workloads} ${scales}`,
  `${read}: daemonsets/status.apps deployments/status.apps replicasets/status.apps statefulsets/status.apps`,
  `${read}: jobs.batch cronjobs.batch jobs/status.batch cronjobs/status.batch`,
  `${read}: poddisruptionbudgets.policy poddisruptionbudgets/status.policy`,
  `${read}: ingresses.networking.k8s.io ingresses/status.networking.k8s.io networkpolicies.networking.k8s.io`,
  `${read}: horizontalpodautoscalers.autoscaling horizontalpodautoscalers/status.autoscaling`,
  `${read}: resourceclaims.resource.k8s.io resourceclaims/status.resource.k8s.io`,
  `${read}: resourceclaimtemplates.resource.k8s.io`,
  // metrics-server's system:aggregated-metrics-reader.
  `${read}: pods.metrics.k8s.io`,
];

/** "Read/write access to most objects in a namespace", including secrets and pods with any service account; no roles. */
export const EDIT: Rights = [
  ...VIEW,
  `${read} ${write}: secrets ${streams} leases.coordination.k8s.io`,
  `${write}: pods replicationcontrollers serviceaccounts services persistentvolumeclaims configmaps events`,
  `${write}: ${workloads} ${scales} jobs.batch cronjobs.batch poddisruptionbudgets.policy`,
  `${write}: ingresses.networking.k8s.io networkpolicies.networking.k8s.io`,
  `${write}: horizontalpodautoscalers.autoscaling resourceclaims.resource.k8s.io`,
  `${write}: resourceclaimtemplates.resource.k8s.io`,
  'create: pods/eviction serviceaccounts/token',
];

/** "… including the ability to create roles and role bindings within the namespace", not quotas and not the namespace itself. */
export const ADMIN: Rights = [
  ...EDIT,
  `${read} ${write}: roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io`,
  'create: localsubjectaccessreviews.authorization.k8s.io',
];

/** system:basic-user: all authenticated users, in all namespaces. */
export const BASIC: Rights = [
  'create: selfsubjectaccessreviews.authorization.k8s.io selfsubjectrulesreviews.authorization.k8s.io',
  'create: selfsubjectreviews.authentication.k8s.io',
];

const delegated = 'create: tokenreviews.authentication.k8s.io subjectaccessreviews.authorization.k8s.io';

/** system:kube-scheduler and system:volume-scheduler. */
export const SCHEDULER: Rights = [
  'create update patch: events events.events.k8s.io',
  `${read}: nodes namespaces pods replicationcontrollers services persistentvolumeclaims persistentvolumes`,
  `${read}: replicasets.apps statefulsets.apps poddisruptionbudgets.policy storageclasses.storage.k8s.io`,
  `${read}: csidrivers.storage.k8s.io csinodes.storage.k8s.io csistoragecapacities.storage.k8s.io`,
  // The plugin NodeVolumeLimits counts volumes that are still attached though no pod uses them (kubernetes#127757).
  `${read}: volumeattachments.storage.k8s.io`,
  'delete: pods',
  // Upstream's scheduler does not have this right, because it takes a pod's priority only from its spec.
  `${read}: priorityclasses.scheduling.k8s.io`,
  'create: bindings pods/binding leases.coordination.k8s.io',
  'update patch: pods/status persistentvolumeclaims persistentvolumes',
  delegated,
];

/** system:kube-controller-manager itself; each controller has a separate role in addition. */
export const CONTROLLER_MANAGER: Rights = [
  'create update patch: events events.events.k8s.io',
  'create: leases.coordination.k8s.io secrets serviceaccounts serviceaccounts/token',
  'delete: secrets',
  'get: configmaps namespaces secrets serviceaccounts',
  'update: secrets serviceaccounts',
  'list watch: *',
  delegated,
];

/** Whether `rights` include the verb on the resource; "*" means every resource without a subresource. */
export function mayBy(rights: Rights, verb: string, resource: string): boolean {
  return rights.some((line) => {
    const [verbs = '', resources = ''] = line.split(': ');
    const names = resources.split(' ');
    return verbs.split(' ').includes(verb) && (names.includes(resource) || names.includes('*'));
  });
}
