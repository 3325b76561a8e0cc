/** The roles and bindings that a cluster has from its first moment (upstream: bootstrappolicy), as a table. */
import {
  BOOTSTRAP_GROUP,
  type ClusterRole,
  type ClusterRoleBinding,
  type KubeObject,
  MENDLET_GROUP,
  NODE_BOOTSTRAP_GROUP,
} from '../../api/index.ts';
import { CONTROLLER_ROLE_BINDINGS, CONTROLLER_ROLES, CONTROLLERS_USER } from './controller-policy.ts';
import {
  aggregatingRole,
  clusterRole,
  clusterRoleBinding,
  EVENTS,
  paths,
  READ,
  role,
  roleBinding,
  rule,
  WRITE,
} from './policy-rows.ts';

const AUTHENTICATED = 'group system:authenticated';
const CERTIFICATES = 'certificates.k8s.io';
const CSR = 'system:certificates.k8s.io:certificatesigningrequests:';
const SCHEDULER_USER = 'system:kube-scheduler';

const DELEGATION = [
  rule('create', 'authentication.k8s.io', 'tokenreviews'),
  rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
];

/** The user of a component of the control plane leads by a lease of its name. */
function leading(name: string): ClusterRole['rules'] & object {
  return [rule('create', 'coordination.k8s.io', 'leases'), rule('get update', 'coordination.k8s.io', 'leases', name)];
}

const APPS = 'daemonsets deployments deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale';
const OWN_KINDS = 'healingpolicies podrestarts';
const CORE_STREAMS = 'pods/attach pods/exec pods/portforward pods/proxy';

/** For people and their programs. */
const USER_ROLES: readonly ClusterRole[] = [
  clusterRole('cluster-admin', [rule('*', '*', '*'), paths('*', '*')]),
  aggregatingRole('admin'),
  aggregatingRole('edit', ['admin']),
  aggregatingRole('view', ['edit']),
  clusterRole(
    'system:aggregate-to-admin',
    [
      rule('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
      rule(`${READ} ${WRITE}`, 'rbac.authorization.k8s.io', 'rolebindings roles'),
    ],
    ['admin'],
  ),
  clusterRole(
    'system:aggregate-to-edit',
    [
      rule(READ, '-', `${CORE_STREAMS} secrets services/proxy`),
      rule('impersonate', '-', 'serviceaccounts'),
      rule(WRITE, '-', `pods ${CORE_STREAMS}`),
      rule('create', '-', 'pods/eviction'),
      rule('create', '-', 'pods/restart'),
      rule(WRITE, MENDLET_GROUP, OWN_KINDS),
      rule(
        WRITE,
        '-',
        'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      ),
      rule('create', '-', 'serviceaccounts/token'),
      rule(WRITE, 'apps', `${APPS} deployments/rollback`),
      rule(WRITE, 'autoscaling', 'horizontalpodautoscalers'),
      rule(WRITE, 'batch', 'cronjobs jobs'),
      rule(WRITE, 'policy', 'poddisruptionbudgets'),
      rule(WRITE, 'networking.k8s.io', 'ingresses networkpolicies'),
      rule(`${READ} ${WRITE}`, 'coordination.k8s.io', 'leases'),
      rule(WRITE, 'resource.k8s.io', 'resourceclaims resourceclaimtemplates'),
    ],
    ['edit'],
  ),
  clusterRole(
    'system:aggregate-to-view',
    [
      rule(
        READ,
        '-',
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ),
      rule(
        READ,
        '-',
        'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ),
      rule(READ, '-', 'namespaces'),
      rule('get', '-', 'pods/history'),
      rule('list', MENDLET_GROUP, 'workloaddays'),
      rule(READ, MENDLET_GROUP, `${OWN_KINDS} healingpolicies/status podrestarts/status`),
      rule(READ, 'discovery.k8s.io', 'endpointslices'),
      rule(
        READ,
        'apps',
        `controllerrevisions ${APPS} daemonsets/status deployments/status replicasets/status statefulsets/status`,
      ),
      rule(READ, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
      rule(READ, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
      rule(READ, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
      rule(READ, 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'),
      rule(READ, 'resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
    ],
    ['view'],
  ),
  // For users who may restart pods and change nothing else: bound to nobody.
  clusterRole('mendlet:pod-restarter', [
    rule(`create ${READ}`, MENDLET_GROUP, 'podrestarts'),
    rule('create', '-', 'pods/restart'),
  ]),
  // Usage figures are for users who see the pods: these feed the roles for people. metrics-server's manifest has a role of
  // its own for that, `system:aggregated-metrics-reader`, whose name must be free.
  clusterRole(
    'mendlet:aggregated-metrics-reader',
    [rule(READ, 'metrics.k8s.io', 'nodes pods')],
    ['admin', 'edit', 'view'],
  ),
  // A link to the live page shows, and does, what its user may: whoever is known may have one.
  clusterRole('mendlet:dashboard', [paths('post', '/mendlet/v1/dashboard')]),
  clusterRole('system:discovery', [
    paths('get', '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'),
  ]),
  clusterRole('system:public-info-viewer', [paths('get', '/healthz /livez /readyz /version /version/')]),
  clusterRole('system:basic-user', [
    rule('create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
    rule('create', 'authentication.k8s.io', 'selfsubjectreviews'),
  ]),
  clusterRole('system:monitoring', [
    paths('get', '/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*'),
  ]),
  clusterRole('system:auth-delegator', DELEGATION),
  clusterRole('system:service-account-issuer-discovery', [
    paths('get', '/.well-known/openid-configuration /openid/v1/jwks'),
  ]),
];

/** For the parts of a cluster. */
const COMPONENT_ROLES: readonly ClusterRole[] = [
  // Bound to nobody: the node authorizer knows more than a role can express.
  clusterRole('system:node', [
    rule('create', 'authentication.k8s.io', 'tokenreviews'),
    rule('create', 'authorization.k8s.io', 'localsubjectaccessreviews subjectaccessreviews'),
    rule(READ, '-', 'services'),
    rule('create get list watch patch update', '-', 'nodes'),
    rule('patch update', '-', 'nodes/status'),
    rule('create patch update', '- events.k8s.io', 'events'),
    rule(`${READ} create delete`, '-', 'pods'),
    rule('patch update', '-', 'pods/status'),
    rule('create', '-', 'pods/eviction'),
    rule(READ, '-', 'configmaps secrets'),
    rule('get', '-', 'persistentvolumeclaims persistentvolumes endpoints'),
    rule('create get list watch', CERTIFICATES, 'certificatesigningrequests'),
    rule('create delete get patch update', 'coordination.k8s.io', 'leases'),
    rule('create', '-', 'serviceaccounts/token'),
    rule('get', '-', 'serviceaccounts'),
    rule('get patch update', '-', 'persistentvolumeclaims/status'),
    rule('get', 'storage.k8s.io', 'volumeattachments'),
    rule(READ, 'storage.k8s.io', 'csidrivers'),
    rule('create delete get patch update', 'storage.k8s.io', 'csinodes'),
    rule(READ, 'node.k8s.io', 'runtimeclasses'),
    rule('get', 'resource.k8s.io', 'resourceclaims'),
    rule(`create delete deletecollection ${READ} patch update`, 'resource.k8s.io', 'resourceslices'),
  ]),
  clusterRole('system:node-bootstrapper', [rule('create get list watch', CERTIFICATES, 'certificatesigningrequests')]),
  clusterRole('system:node-proxier', [
    rule('list watch', '-', 'endpoints services'),
    rule(READ, '-', 'nodes'),
    rule('list watch', 'discovery.k8s.io', 'endpointslices'),
    rule('list watch', 'networking.k8s.io', 'servicecidrs'),
    EVENTS,
  ]),
  clusterRole('system:node-problem-detector', [rule('get', '-', 'nodes'), rule('patch', '-', 'nodes/status'), EVENTS]),
  clusterRole('system:kubelet-api-admin', [
    rule(READ, '-', 'nodes'),
    rule('proxy', '-', 'nodes'),
    rule(
      '*',
      '-',
      'nodes/checkpoint nodes/configz nodes/healthz nodes/log nodes/metrics nodes/pods nodes/proxy nodes/stats',
    ),
  ]),
  clusterRole('system:kube-dns', [rule('list watch', '-', 'endpoints services')]),
  clusterRole(CONTROLLERS_USER, [
    EVENTS,
    ...leading('kube-controller-manager'),
    rule('create', '-', 'secrets serviceaccounts serviceaccounts/token'),
    rule('delete', '-', 'secrets'),
    rule('get', '-', 'configmaps namespaces secrets serviceaccounts'),
    rule('update', '-', 'secrets serviceaccounts'),
    ...DELEGATION,
    rule('list watch', '*', '*'),
  ]),
  clusterRole(SCHEDULER_USER, [
    EVENTS,
    ...leading('kube-scheduler'),
    rule(READ, '-', 'nodes namespaces replicationcontrollers services persistentvolumeclaims persistentvolumes'),
    rule(`${READ} delete`, '-', 'pods'),
    rule('create', '-', 'bindings pods/binding'),
    rule('patch update', '-', 'pods/status'),
    rule(READ, 'apps', 'replicasets statefulsets'),
    rule(READ, 'policy', 'poddisruptionbudgets'),
    rule(READ, 'scheduling.k8s.io', 'priorityclasses'),
    rule(READ, 'storage.k8s.io', 'csidrivers csinodes csistoragecapacities volumeattachments'),
    ...DELEGATION,
  ]),
  clusterRole('system:volume-scheduler', [
    rule(`${READ} patch update`, '-', 'persistentvolumes persistentvolumeclaims'),
    rule(READ, 'storage.k8s.io', 'storageclasses'),
  ]),
  clusterRole('system:persistent-volume-provisioner', [
    rule(`${READ} create delete`, '-', 'persistentvolumes'),
    rule(`${READ} update`, '-', 'persistentvolumeclaims'),
    rule(READ, 'storage.k8s.io', 'storageclasses'),
    rule('watch', '-', 'events'),
    EVENTS,
  ]),
  clusterRole(`${CSR}nodeclient`, [rule('create', CERTIFICATES, 'certificatesigningrequests/nodeclient')]),
  clusterRole(`${CSR}selfnodeclient`, [rule('create', CERTIFICATES, 'certificatesigningrequests/selfnodeclient')]),
  ...['kube-apiserver-client', 'kube-apiserver-client-kubelet', 'kubelet-serving', 'legacy-unknown'].map((signer) =>
    clusterRole(`system:certificates.k8s.io:${signer}-approver`, [
      rule('approve', CERTIFICATES, 'signers', `kubernetes.io/${signer}`),
    ]),
  ),
];

const CLUSTER_ROLE_BINDINGS: readonly ClusterRoleBinding[] = [
  clusterRoleBinding('cluster-admin', 'cluster-admin', 'group system:masters'),
  // Unknown users see only health, so none of these names their group.
  clusterRoleBinding('system:discovery', 'system:discovery', AUTHENTICATED),
  clusterRoleBinding('system:basic-user', 'system:basic-user', AUTHENTICATED),
  clusterRoleBinding('system:public-info-viewer', 'system:public-info-viewer', AUTHENTICATED),
  clusterRoleBinding('system:monitoring', 'system:monitoring', 'group system:monitoring'),
  clusterRoleBinding('system:node-proxier', 'system:node-proxier', 'user system:kube-proxy'),
  // Each agent routes services and answers DNS itself, as its own user. A binding of its own can be switched off alone.
  clusterRoleBinding('mendlet:dashboard', 'mendlet:dashboard', 'group system:authenticated'),
  clusterRoleBinding('mendlet:node-proxier', 'system:node-proxier', 'group system:nodes'),
  clusterRoleBinding(CONTROLLERS_USER, CONTROLLERS_USER, `user ${CONTROLLERS_USER}`),
  clusterRoleBinding(SCHEDULER_USER, SCHEDULER_USER, `user ${SCHEDULER_USER}`),
  clusterRoleBinding('system:volume-scheduler', 'system:volume-scheduler', `user ${SCHEDULER_USER}`),
  // This server itself, when it asks kubelets for logs, streams and figures.
  clusterRoleBinding('system:kubelet-api-admin', 'system:kubelet-api-admin', 'user kube-apiserver-kubelet-client'),
  clusterRoleBinding('system:kube-dns', 'system:kube-dns', 'account kube-system/kube-dns'),
  clusterRoleBinding(
    'system:service-account-issuer-discovery',
    'system:service-account-issuer-discovery',
    'group system:serviceaccounts',
  ),
  // How machines join, as kubeadm binds it.
  clusterRoleBinding('kubeadm:kubelet-bootstrap', 'system:node-bootstrapper', `group ${BOOTSTRAP_GROUP}`),
  clusterRoleBinding('kubeadm:node-autoapprove-bootstrap', `${CSR}nodeclient`, `group ${NODE_BOOTSTRAP_GROUP}`),
  clusterRoleBinding('kubeadm:node-autoapprove-certificate-rotation', `${CSR}selfnodeclient`, 'group system:nodes'),
];

const LEADER = [rule('create get list update watch', 'coordination.k8s.io', 'leases')];
const LOCKING = 'system::leader-locking-';

const NAMESPACED: readonly KubeObject[] = [
  // Machines that join by a token may read the server's address.
  role('kube-public', 'kubeadm:bootstrap-signer-clusterinfo', [rule('get', '-', 'configmaps', 'cluster-info')]),
  roleBinding('kube-public', 'kubeadm:bootstrap-signer-clusterinfo', `group ${BOOTSTRAP_GROUP}`),
  role('kube-system', 'extension-apiserver-authentication-reader', [
    rule(READ, '-', 'configmaps', 'extension-apiserver-authentication'),
  ]),
  // The routes to the others' pods, and nothing else about other nodes.
  role('kube-system', 'mendlet:node-routes', [rule(READ, '-', 'configmaps', 'mendlet-node-routes')]),
  roleBinding('kube-system', 'mendlet:node-routes', 'group system:nodes'),
  role('kube-system', `${LOCKING}kube-controller-manager`, LEADER),
  role('kube-system', `${LOCKING}kube-scheduler`, LEADER),
  role('kube-system', 'system:controller:bootstrap-signer', [rule(READ, '-', 'secrets')]),
  role('kube-system', 'system:controller:token-cleaner', [rule(`${READ} delete`, '-', 'secrets'), EVENTS]),
  role('kube-public', 'system:controller:bootstrap-signer', [
    rule(READ, '-', 'configmaps'),
    rule('update', '-', 'configmaps', 'cluster-info'),
    EVENTS,
  ]),
  roleBinding(
    'kube-system',
    'extension-apiserver-authentication-reader',
    `user ${CONTROLLERS_USER}`,
    `user ${SCHEDULER_USER}`,
  ),
  roleBinding(
    'kube-system',
    `${LOCKING}kube-controller-manager`,
    `user ${CONTROLLERS_USER}`,
    'account kube-system/kube-controller-manager',
  ),
  roleBinding(
    'kube-system',
    `${LOCKING}kube-scheduler`,
    `user ${SCHEDULER_USER}`,
    'account kube-system/kube-scheduler',
  ),
  roleBinding('kube-system', 'system:controller:bootstrap-signer', 'account kube-system/bootstrap-signer'),
  roleBinding(
    'kube-system',
    'system:controller:token-cleaner',
    'account kube-system/token-cleaner',
    `user ${CONTROLLERS_USER}`,
  ),
  roleBinding('kube-public', 'system:controller:bootstrap-signer', 'account kube-system/bootstrap-signer'),
];

/** Roles before the bindings that name them. */
export const BOOTSTRAP_POLICY: readonly (readonly KubeObject[])[] = [
  [...USER_ROLES, ...COMPONENT_ROLES, ...CONTROLLER_ROLES, ...NAMESPACED.filter(({ kind }) => kind === 'Role')],
  [...CLUSTER_ROLE_BINDINGS, ...CONTROLLER_ROLE_BINDINGS, ...NAMESPACED.filter(({ kind }) => kind === 'RoleBinding')],
];
