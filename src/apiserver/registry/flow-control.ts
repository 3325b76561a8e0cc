/**
 * The FlowSchemas and PriorityLevelConfigurations that a cluster has from its first moment (upstream: the bootstrap configuration of
 * API priority and fairness). They are there for clients that expect them: requests are let in by turns, and not sorted by these.
 */
import {
  type FlowSchema,
  MANDATORY_FLOW_SCHEMAS,
  MANDATORY_PRIORITY_LEVELS,
  type PolicyRulesWithSubjects,
  type PriorityLevelConfiguration,
} from '../../api/index.ts';
import type { Strategy } from './registration.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io/v1';
const AUTOUPDATE = 'apf.kubernetes.io/autoupdate-spec';

/** A change of the spec is a new generation; the status is written by whoever looks at them. */
export const flowControlStrategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...object, status: {} }),
};

function metadata(name: string) {
  return { name, annotations: { [AUTOUPDATE]: 'true' } };
}

interface Queues {
  readonly queues: number;
  readonly handSize: number;
}

const QUEUE_LENGTH = 50;

/** `queues`: absent, what is too much is refused. */
function limited(name: string, shares: number, lendablePercent: number, queues?: Queues): PriorityLevelConfiguration {
  const limitResponse =
    queues === undefined
      ? { type: 'Reject' }
      : { type: 'Queue', queuing: { ...queues, queueLengthLimit: QUEUE_LENGTH } };
  return {
    apiVersion: GROUP,
    kind: 'PriorityLevelConfiguration',
    metadata: metadata(name),
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: shares, lendablePercent, limitResponse } },
  };
}

const SMALL: Queues = { queues: 16, handSize: 4 };
const MIDDLE: Queues = { queues: 64, handSize: 6 };
const LARGE: Queues = { queues: 128, handSize: 6 };

export const PRIORITY_LEVEL_OBJECTS: readonly PriorityLevelConfiguration[] = [
  ...[...MANDATORY_PRIORITY_LEVELS].map(
    ([name, spec]): PriorityLevelConfiguration => ({
      apiVersion: GROUP,
      kind: 'PriorityLevelConfiguration',
      metadata: metadata(name),
      spec,
    }),
  ),
  limited('node-high', 40, 25, MIDDLE),
  limited('system', 30, 33, MIDDLE),
  limited('leader-election', 10, 0, SMALL),
  limited('workload-high', 40, 50, LARGE),
  limited('workload-low', 100, 90, LARGE),
  limited('global-default', 20, 50, LARGE),
];

type Subjects = PolicyRulesWithSubjects['subjects'];

/** Written "user NAME", "group NAME" or "account NAMESPACE/NAME". */
function subjects(...words: readonly string[]): Subjects {
  return words.map((text) => {
    const [kind, name = ''] = text.split(' ');
    if (kind === 'user') return { kind: 'User', user: { name } };
    if (kind === 'group') return { kind: 'Group', group: { name } };
    const [namespace = '', account = ''] = name.split('/');
    return { kind: 'ServiceAccount', serviceAccount: { namespace, name: account } };
  });
}

const EVERYTHING: Omit<PolicyRulesWithSubjects, 'subjects'> = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

function inNamespaces(verbs: string[], group: string, resources: string[], clusterScope = false) {
  return { verbs, apiGroups: [group], resources, namespaces: ['*'], ...(clusterScope ? { clusterScope } : {}) };
}

interface SchemaRow {
  readonly name: string;
  readonly level: string;
  readonly precedence: number;
  /** Absent: its requests are one flow. */
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly subjects: Subjects;
  /** Absent: all that they ask. */
  readonly rules?: Omit<PolicyRulesWithSubjects, 'subjects'>;
}

const LEASING = { resourceRules: [inNamespaces(['get', 'create', 'update'], 'coordination.k8s.io', ['leases'])] };
const ALL_USERS = ['group system:unauthenticated', 'group system:authenticated'];
const SYSTEM_ACCOUNTS = 'account kube-system/*';

const SCHEMAS: readonly SchemaRow[] = [
  {
    name: 'probes',
    level: 'exempt',
    precedence: 2,
    subjects: subjects(...ALL_USERS),
    rules: { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] },
  },
  {
    name: 'system-leader-election',
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    subjects: subjects('user system:kube-controller-manager', 'user system:kube-scheduler', SYSTEM_ACCOUNTS),
    rules: LEASING,
  },
  {
    name: 'endpoint-controller',
    level: 'workload-high',
    precedence: 150,
    by: 'ByUser',
    subjects: subjects(
      'user system:kube-controller-manager',
      'account kube-system/endpoint-controller',
      'account kube-system/endpointslicemirroring-controller',
    ),
    rules: { resourceRules: [inNamespaces(['get', 'create', 'update'], '', ['endpoints'])] },
  },
  {
    name: 'workload-leader-election',
    level: 'leader-election',
    precedence: 200,
    by: 'ByUser',
    subjects: subjects(SYSTEM_ACCOUNTS),
    rules: LEASING,
  },
  {
    name: 'system-node-high',
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    subjects: subjects('group system:nodes'),
    rules: {
      resourceRules: [
        inNamespaces(['*'], '', ['nodes', 'nodes/status'], true),
        inNamespaces(['*'], 'coordination.k8s.io', ['leases']),
      ],
    },
  },
  { name: 'system-nodes', level: 'system', precedence: 500, by: 'ByUser', subjects: subjects('group system:nodes') },
  {
    name: 'kube-controller-manager',
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: subjects('user system:kube-controller-manager'),
  },
  {
    name: 'kube-scheduler',
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: subjects('user system:kube-scheduler'),
  },
  {
    name: 'kube-system-service-accounts',
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    subjects: subjects(SYSTEM_ACCOUNTS),
  },
  {
    name: 'service-accounts',
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    subjects: subjects('group system:serviceaccounts'),
  },
  { name: 'global-default', level: 'global-default', precedence: 9900, by: 'ByUser', subjects: subjects(...ALL_USERS) },
];

const SUGGESTED_SCHEMAS = SCHEMAS.map((row): [string, FlowSchema['spec']] => [
  row.name,
  {
    priorityLevelConfiguration: { name: row.level },
    matchingPrecedence: row.precedence,
    ...(row.by === undefined ? {} : { distinguisherMethod: { type: row.by } }),
    rules: [{ subjects: row.subjects, ...(row.rules ?? EVERYTHING) }],
  },
]);

export const FLOW_SCHEMA_OBJECTS: readonly FlowSchema[] = [...MANDATORY_FLOW_SCHEMAS, ...SUGGESTED_SCHEMAS].map(
  ([name, spec]): FlowSchema => ({
    apiVersion: GROUP,
    kind: 'FlowSchema',
    metadata: metadata(name),
    ...(spec && { spec }),
  }),
);
