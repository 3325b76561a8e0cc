/** The healing controller for API servers that are not ours, with all that it needs, as one file: `deploy/mendlet-healer.yaml`. */
import { dump } from 'js-yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { CONTROLLER_ROLES } from '../../src/apiserver/authorization/controller-policy.ts';
import { READ, rule } from '../../src/apiserver/authorization/policy-rows.ts';
import { MENDLET_GROUP, type ClusterRole, type PolicyRule } from '../../src/api/index.ts';
import { crdsYaml } from './crds.ts';

const NAME = 'mendlet-healer';
const NAMESPACE = 'kube-system';
const PORT = 10_261;
const LABELS = { 'app.kubernetes.io/name': NAME };
const RBAC = 'rbac.authorization.k8s.io';

const metadata = { name: NAME, namespace: NAMESPACE, labels: LABELS };
const clusterWide = (name: string, more: object = {}) => ({ name, labels: { ...LABELS, ...more } });
const subjects = [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }];

/** The rights of a built-in one: see the policy of our own server. */
function rulesOfBuiltIn(controller: string): readonly PolicyRule[] {
  const name = `system:controller:${controller}`;
  const role = CONTROLLER_ROLES.find((each: ClusterRole) => each.metadata?.name === name);
  if (!role?.rules) throw new Error(`no role ${name}`);
  return role.rules;
}

const feeds = (...roles: readonly string[]) =>
  Object.fromEntries(roles.map((role) => [`${RBAC}/aggregate-to-${role}`, 'true']));
const WRITE = 'create delete deletecollection patch update';

const probe = (path: string) => ({ httpGet: { path, port: 'http' }, periodSeconds: 10 });

const pod = {
  serviceAccountName: NAME,
  priorityClassName: 'system-cluster-critical',
  securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'healer',
      image: `mendlet:${packageJson.version}`,
      args: ['healer', `--listen=0.0.0.0:${PORT}`],
      ports: [{ name: 'http', containerPort: PORT }],
      livenessProbe: probe('/healthz'),
      readinessProbe: probe('/readyz'),
      resources: { requests: { cpu: '10m', memory: '96Mi' }, limits: { memory: '384Mi' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    },
  ],
};

export const HEALER_OBJECTS: readonly object[] = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: clusterWide(NAME),
    rules: rulesOfBuiltIn('healing-controller'),
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: clusterWide(NAME),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: NAME },
    subjects,
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata,
    rules: [rule('create', 'coordination.k8s.io', 'leases'), rule('get update', 'coordination.k8s.io', 'leases', NAME)],
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: RBAC, kind: 'Role', name: NAME },
    subjects,
  },
  // For users who may restart pods and change nothing else: bound to nobody.
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: clusterWide('mendlet:pod-restarter'),
    rules: [rule(`create ${READ}`, MENDLET_GROUP, 'podrestarts')],
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: clusterWide('mendlet:aggregate-to-edit', feeds('edit', 'admin')),
    rules: [rule(WRITE, MENDLET_GROUP, 'healingpolicies notifications podrestarts')],
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: clusterWide('mendlet:aggregate-to-view', feeds('view', 'edit', 'admin')),
    rules: [rule(READ, MENDLET_GROUP, 'healingpolicies notifications podrestarts')],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 1,
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: pod },
    },
  },
];

const HEAD = `# The healing controller beside an API server that is not mendlet's: its kinds, rights, and itself. The image is made by
# "podman build -f deploy/Containerfile" (or docker) in a checkout, after "npm run bundle".
# Made by "npm run manifests" of tools/manifests/healer.ts: change that.
`;

export function healerYaml(): string {
  const [, ...crds] = crdsYaml().split('---\n');
  const objects = HEALER_OBJECTS.map((object) => dump(object, { lineWidth: -1, noRefs: true }));
  return HEAD + [...crds, ...objects].map((text) => `---\n${text}`).join('');
}

const VOLUMES = 'mendlet-local-volumes';

const volumesMetadata = { ...metadata, name: VOLUMES };

/**
 * What the healer needs beyond that for `--local-volumes`. The kubelets see an account of its own: a token of it opens their
 * volumes, and the healer, who may mint such tokens, cannot prolong the life of its own.
 */
export const LOCAL_VOLUMES_OBJECTS: readonly object[] = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: volumesMetadata, automountServiceAccountToken: false },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: clusterWide(VOLUMES),
    rules: rulesOfBuiltIn('local-volume-controller'),
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: clusterWide(VOLUMES),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: VOLUMES },
    subjects,
  },
  // The agents' kubelets ask for this right.
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: clusterWide(`${VOLUMES}-on-nodes`),
    rules: [rule('get update delete', '-', 'nodes/volumes')],
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: clusterWide(`${VOLUMES}-on-nodes`),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: `${VOLUMES}-on-nodes` },
    subjects: [{ ...subjects[0], name: VOLUMES }],
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: volumesMetadata,
    rules: [rule('create', '-', 'serviceaccounts/token', VOLUMES)],
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: volumesMetadata,
    roleRef: { apiGroup: RBAC, kind: 'Role', name: VOLUMES },
    subjects,
  },
];

const VOLUMES_HEAD = `# What "mendlet healer --local-volumes" needs beyond deploy/mendlet-healer.yaml, beside an API server that is not mendlet's. Then:
#   kubectl -n kube-system patch deployment mendlet-healer --type=json \\
#     -p '[{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--local-volumes"}]'
# Made by "npm run manifests" of tools/manifests/healer.ts: change that.
`;

export function localVolumesYaml(): string {
  const objects = LOCAL_VOLUMES_OBJECTS.map((object) => dump(object, { lineWidth: -1, noRefs: true }));
  return VOLUMES_HEAD + objects.map((text) => `---\n${text}`).join('');
}
