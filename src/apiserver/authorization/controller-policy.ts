/**
 * The rights of the controllers (upstream: buildControllerRoles), for those that exist here. Ours act as one user, so each of
 * these roles is bound to that user, and to the service account that upstream's controller has.
 */
import { type ClusterRole, type ClusterRoleBinding, NOTIFICATION_SECRET, type PolicyRule } from '../../api/index.ts';
import { CHANGE, clusterRole, clusterRoleBinding, EVENTS, READ, rule } from './policy-rows.ts';

export const CONTROLLERS_USER = 'system:kube-controller-manager';
const PREFIX = 'system:controller:';
const CERTIFICATES = 'certificates.k8s.io';
const SIGNER = 'kubernetes.io/';

const PODS_OF_OWNER = rule('list watch create delete patch', '-', 'pods');

/** By name of the controller. */
const ROLES: Readonly<Record<string, PolicyRule[]>> = {
  'attachdetach-controller': [
    rule('list watch', '-', 'persistentvolumes persistentvolumeclaims pods'),
    rule(READ, '-', 'nodes'),
    rule(CHANGE, '-', 'nodes/status'),
    rule(READ, 'storage.k8s.io', 'csidrivers csinodes'),
    rule(`${READ} create delete`, 'storage.k8s.io', 'volumeattachments'),
    EVENTS,
  ],
  'certificate-controller': [
    rule(`${READ} delete`, CERTIFICATES, 'certificatesigningrequests'),
    rule(CHANGE, CERTIFICATES, 'certificatesigningrequests/status certificatesigningrequests/approval'),
    // The second is our own: upstream leaves serving certificates to another component.
    rule('approve', CERTIFICATES, 'signers', `${SIGNER}kube-apiserver-client-kubelet ${SIGNER}kubelet-serving`),
    rule(
      'sign',
      CERTIFICATES,
      'signers',
      `${SIGNER}legacy-unknown ${SIGNER}kube-apiserver-client ${SIGNER}kube-apiserver-client-kubelet ${SIGNER}kubelet-serving`,
    ),
    rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    rule(READ, '-', 'nodes'),
    EVENTS,
  ],
  'clusterrole-aggregation-controller': [
    rule(`escalate ${READ} ${CHANGE}`, 'rbac.authorization.k8s.io', 'clusterroles'),
  ],
  'cronjob-controller': [
    rule(`${READ} update`, 'batch', 'cronjobs'),
    rule(`${READ} create delete ${CHANGE}`, 'batch', 'jobs'),
    rule(CHANGE, 'batch', 'cronjobs/status'),
    rule('update', 'batch', 'cronjobs/finalizers'),
    rule('list watch delete', '-', 'pods'),
    EVENTS,
  ],
  'daemon-set-controller': [
    rule(READ, 'apps', 'daemonsets'),
    rule(CHANGE, 'apps', 'daemonsets/status'),
    rule('update', 'apps', 'daemonsets/finalizers'),
    rule('list watch', '-', 'nodes'),
    PODS_OF_OWNER,
    rule('create', '-', 'pods/binding'),
    rule(`${READ} create delete ${CHANGE}`, 'apps', 'controllerrevisions'),
    EVENTS,
  ],
  'deployment-controller': [
    rule(`${READ} update`, 'apps', 'deployments'),
    rule(CHANGE, 'apps', 'deployments/status'),
    rule('update', 'apps', 'deployments/finalizers'),
    rule(`${READ} create delete ${CHANGE}`, 'apps', 'replicasets'),
    rule(`${READ} update`, '-', 'pods'),
    EVENTS,
  ],
  'disruption-controller': [
    rule(READ, 'apps', 'deployments replicasets statefulsets'),
    rule(READ, '-', 'replicationcontrollers'),
    rule(READ, '-', 'pods'),
    rule(READ, 'policy', 'poddisruptionbudgets'),
    rule(CHANGE, 'policy', 'poddisruptionbudgets/status'),
    rule(CHANGE, '-', 'pods/status'),
    rule('get', '*', '*/scale'),
    EVENTS,
  ],
  'endpoint-controller': [
    rule(READ, '-', 'services pods'),
    rule(`${READ} create delete ${CHANGE}`, '-', 'endpoints'),
    rule('create', '-', 'endpoints/restricted'),
    EVENTS,
  ],
  'endpointslice-controller': [
    rule(READ, '-', 'services pods nodes'),
    rule('update', '-', 'services/finalizers'),
    rule(`${READ} create delete ${CHANGE}`, 'discovery.k8s.io', 'endpointslices'),
    EVENTS,
  ],
  'endpointslicemirroring-controller': [
    rule(READ, '-', 'services endpoints'),
    rule('update', '-', 'services/finalizers endpoints/finalizers'),
    rule(`${READ} create delete ${CHANGE}`, 'discovery.k8s.io', 'endpointslices'),
    EVENTS,
  ],
  'ephemeral-volume-controller': [
    rule('update', '-', 'pods/finalizers'),
    rule(READ, '-', 'pods'),
    rule(`${READ} create`, '-', 'persistentvolumeclaims'),
    EVENTS,
  ],
  'generic-garbage-collector': [rule(`${READ} delete ${CHANGE}`, '*', '*'), EVENTS],
  // Our own. deploy/mendlet-healer.yaml has the same for a controller that runs apart.
  'healing-controller': [
    rule(`${READ} delete`, 'mendlet.dev', 'podrestarts'),
    rule(READ, 'mendlet.dev', 'healingpolicies'),
    rule(CHANGE, 'mendlet.dev', 'podrestarts/status healingpolicies/status'),
    rule(READ, 'mendlet.dev', 'notifications clusternotifications'),
    rule(CHANGE, 'mendlet.dev', 'notifications/status clusternotifications/status'),
    // The Secret of notifications in each namespace, and no other.
    rule('get', '-', 'secrets', NOTIFICATION_SECRET),
    rule(`${READ} patch`, '-', 'pods'),
    rule('create', '-', 'pods/eviction'),
    rule(READ, '-', 'nodes'),
    rule(READ, '-', 'namespaces persistentvolumeclaims'),
    rule('get', '-', 'persistentvolumes'),
    rule('get patch', 'apps', 'deployments replicasets statefulsets'),
    rule('list watch', 'apps', 'deployments statefulsets'),
    rule(READ, 'apps', 'daemonsets'),
    rule(READ, '-', 'services'),
    rule(READ, 'discovery.k8s.io', 'endpointslices'),
    rule('get patch', '-', 'replicationcontrollers'),
    rule('get patch', 'batch', 'jobs'),
    EVENTS,
  ],
  'horizontal-pod-autoscaler': [
    rule(READ, 'autoscaling', 'horizontalpodautoscalers'),
    rule(CHANGE, 'autoscaling', 'horizontalpodautoscalers/status'),
    rule('get update', '*', '*/scale'),
    rule('list', '-', 'pods'),
    rule('list', 'metrics.k8s.io', 'pods'),
    rule('get list', 'custom.metrics.k8s.io external.metrics.k8s.io', '*'),
    EVENTS,
  ],
  'job-controller': [
    rule(`${READ} ${CHANGE}`, 'batch', 'jobs'),
    rule(CHANGE, 'batch', 'jobs/status'),
    rule('update', 'batch', 'jobs/finalizers'),
    PODS_OF_OWNER,
    EVENTS,
  ],
  // Our own. It asks the nodes directly, with the server's way to their kubelets, and so needs no rights on nodes/proxy.
  'local-volume-controller': [
    rule(`${READ} create delete patch`, '-', 'persistentvolumes'),
    // Claims of volumes that are given up are made anew, and the pods of lost nodes that have them deleted.
    rule(`${READ} create delete patch`, '-', 'persistentvolumeclaims'),
    rule('patch', '-', 'persistentvolumeclaims/status'),
    rule(`${READ} delete`, '-', 'pods'),
    rule(READ, 'mendlet.dev', 'healingpolicies'),
    rule(READ, '-', 'nodes namespaces'),
    rule(`${READ} create`, 'storage.k8s.io', 'storageclasses'),
    EVENTS,
  ],
  'namespace-controller': [
    rule(`${READ} delete`, '-', 'namespaces'),
    rule(CHANGE, '-', 'namespaces/finalize namespaces/status'),
    rule(`${READ} delete deletecollection`, '*', '*'),
  ],
  'node-controller': [
    rule(`${READ} delete ${CHANGE}`, '-', 'nodes'),
    rule(CHANGE, '-', 'nodes/status'),
    rule(CHANGE, '-', 'pods/status'),
    rule(`${READ} delete`, '-', 'pods'),
    rule(READ, 'coordination.k8s.io', 'leases'),
    EVENTS,
  ],
  'persistent-volume-binder': [
    rule(`${READ} create delete ${CHANGE}`, '-', 'persistentvolumes'),
    rule(CHANGE, '-', 'persistentvolumes/status persistentvolumeclaims/status'),
    rule(`${READ} ${CHANGE}`, '-', 'persistentvolumeclaims'),
    rule(`${READ} create delete`, '-', 'pods'),
    rule(READ, 'storage.k8s.io', 'storageclasses'),
    rule('list watch', '-', 'nodes'),
    EVENTS,
  ],
  'pod-garbage-collector': [
    rule('list watch delete', '-', 'pods'),
    rule(READ, '-', 'nodes'),
    rule(CHANGE, '-', 'pods/status'),
  ],
  'pvc-protection-controller': [
    rule(`${READ} ${CHANGE}`, '-', 'persistentvolumeclaims'),
    rule(READ, '-', 'pods'),
    EVENTS,
  ],
  'pv-protection-controller': [rule(`${READ} ${CHANGE}`, '-', 'persistentvolumes'), EVENTS],
  'replicaset-controller': [
    rule(`${READ} update`, 'apps', 'replicasets'),
    rule(CHANGE, 'apps', 'replicasets/status'),
    rule('update', 'apps', 'replicasets/finalizers'),
    PODS_OF_OWNER,
    EVENTS,
  ],
  'replication-controller': [
    rule(`${READ} update`, '-', 'replicationcontrollers'),
    rule(CHANGE, '-', 'replicationcontrollers/status'),
    rule('update', '-', 'replicationcontrollers/finalizers'),
    PODS_OF_OWNER,
    EVENTS,
  ],
  'resourcequota-controller': [rule('list watch', '*', '*'), rule(CHANGE, '-', 'resourcequotas/status'), EVENTS],
  'root-ca-cert-publisher': [rule('create update', '-', 'configmaps'), EVENTS],
  'service-account-controller': [rule('create', '-', 'serviceaccounts'), EVENTS],
  'service-cidrs-controller': [
    rule(`${READ} ${CHANGE}`, 'networking.k8s.io', 'servicecidrs'),
    rule(CHANGE, 'networking.k8s.io', 'servicecidrs/finalizers servicecidrs/status'),
    rule(READ, 'networking.k8s.io', 'ipaddresses'),
    EVENTS,
  ],
  // Upstream's has more rights on nodes and services, for a cloud's load balancers.
  'service-controller': [
    rule(READ, '-', 'services nodes'),
    rule(CHANGE, '-', 'services/status'),
    rule(READ, 'discovery.k8s.io', 'endpointslices'),
    EVENTS,
  ],
  'statefulset-controller': [
    rule('list watch', '-', 'pods'),
    rule(READ, 'apps', 'statefulsets'),
    rule(CHANGE, 'apps', 'statefulsets/status'),
    rule('update', 'apps', 'statefulsets/finalizers'),
    rule(`get create delete ${CHANGE}`, '-', 'pods'),
    rule(`${READ} create delete ${CHANGE}`, 'apps', 'controllerrevisions'),
    rule(`${READ} create delete update`, '-', 'persistentvolumeclaims'),
    rule('update', '-', 'pods/finalizers'),
    EVENTS,
  ],
  'ttl-after-finished-controller': [rule(`${READ} delete`, 'batch', 'jobs'), EVENTS],
  'ttl-controller': [rule(`list watch ${CHANGE}`, '-', 'nodes'), EVENTS],
};

export const CONTROLLER_ROLES: readonly ClusterRole[] = Object.entries(ROLES).map(([name, rules]) =>
  clusterRole(`${PREFIX}${name}`, rules),
);

export const CONTROLLER_ROLE_BINDINGS: readonly ClusterRoleBinding[] = Object.keys(ROLES).map((name) =>
  clusterRoleBinding(`${PREFIX}${name}`, `${PREFIX}${name}`, `account kube-system/${name}`, `user ${CONTROLLERS_USER}`),
);
