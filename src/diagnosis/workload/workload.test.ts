import { describe, expect, it } from 'vitest';
import type { DeathRecord, LimitRange, Node, PodHistory, Taint } from '../../api/index.ts';
import { diagnoseWorkload } from '../diagnose-workload.ts';
import { ago, crashed, event, evidence, history, NOW, pod } from '../evidence.fixtures.ts';
import type { Pod, WorkloadObject } from '../evidence/kinds.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import type { ServiceEvidence } from '../evidence/pod-evidence.ts';
import { goneServicesOf } from './gone-pods.ts';
import type { WorkloadEvidence } from '../evidence/workload-evidence.ts';

const deployment: WorkloadObject = {
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', uid: 'd' },
  spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: {} },
};

function workload(given: Partial<WorkloadEvidence> & { readonly each?: Partial<PodEvidence> } = {}): WorkloadEvidence {
  const { each, ...rest } = given;
  const pods = rest.pods ?? [];
  const object = rest.workload ?? deployment;
  return {
    now: NOW,
    workload: object,
    events: [],
    pods,
    looked: pods.map((one) =>
      evidence({ pod: one, owners: [object], siblings: pods.filter((other) => other !== one), ...each }),
    ),
    notLookedAt: [],
    namespaceFlag: '-n shop',
    ...rest,
  };
}

const three = (given: Parameters<typeof pod>[0] = {}): readonly Pod[] =>
  ['web-1', 'web-2', 'web-3'].map((name) => pod({ ...given, name }));
const ids = (given: WorkloadEvidence): readonly string[] => diagnoseWorkload(given).findings.map(({ id }) => id);

describe('workloads', () => {
  it('is silent about a healthy one, and about one that is scaled to 0', () => {
    expect(diagnoseWorkload(workload({ pods: three() }))).toMatchObject({ state: '3/3 ready', findings: [] });
    const none = { ...deployment, spec: { ...deployment.spec, replicas: 0 } } as WorkloadObject;
    expect(diagnoseWorkload(workload({ workload: none }))).toMatchObject({ state: 'scaled to 0', findings: [] });
  });

  it('says how far a rollout is that goes on beside old pods', () => {
    const object = {
      ...deployment,
      metadata: { ...deployment.metadata, creationTimestamp: ago(600) },
      spec: { ...deployment.spec, replicas: 1 },
      status: { replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
    } as WorkloadObject;
    const young = pod({
      name: 'web-2',
      metadata: { creationTimestamp: ago(20) },
      status: { ready: false, started: true, state: { running: { startedAt: ago(18) } } },
    });
    const given = workload({ workload: object, pods: [pod(), young] });
    expect(diagnoseWorkload(given)).toMatchObject({
      state: '1/1 ready, its rollout goes on: 1 of 2 pods new',
      asWanted: false,
      findings: [],
    });
    const over = { ...object, status: { ...object.status, replicas: 1 } } as WorkloadObject;
    expect(diagnoseWorkload(workload({ workload: over, pods: [pod()] }))).toMatchObject({
      state: '1/1 ready',
      asWanted: true,
    });
  });

  it('says that its next pod waits for the old one, which ends slowly', () => {
    const object = {
      ...deployment,
      spec: { replicas: 1, selector: {}, template: {}, strategy: { type: 'Recreate' } },
    } as WorkloadObject;
    const going = (seconds: number): Pod =>
      pod({ metadata: { deletionTimestamp: ago(seconds - 60), deletionGracePeriodSeconds: 60 } });
    const { findings, state } = diagnoseWorkload(workload({ workload: object, pods: [going(20)] }));
    expect(state).toBe('0/1 ready');
    expect(findings[0]?.says).toMatch(
      /^deployment\/web makes its next pod when pod web-1 has ended \(strategy Recreate\), and no pod of it serves meanwhile: container web ends slowly/,
    );
    expect(ids(workload({ workload: object, pods: [going(5)] }))).not.toContain('old-pod-ends');
  });

  it('says what many pods share once', () => {
    const [first, second, third] = three();
    const crashing = pod({ name: 'web-1', status: crashed({ exitCode: 137, reason: 'OOMKilled' }) });
    const too = pod({ name: 'web-2', status: crashed({ exitCode: 137, reason: 'OOMKilled' }) });
    expect(first?.metadata?.name).toBe(crashing.metadata?.name);
    expect(second?.metadata?.name).toBe(too.metadata?.name);
    const { findings } = diagnoseWorkload(workload({ pods: [crashing, too, third!] }));
    expect(findings).toMatchObject([{ id: 'out-of-memory', pods: ['web-1', 'web-2'] }]);
    expect(findings[0]?.says).toMatch(/^2 of 3 pods: container web is killed for memory/);
  });

  it('keeps different exit codes apart', () => {
    const pods = [1, 1, 3].map((exitCode, index) => pod({ name: `web-${index}`, status: crashed({ exitCode }) }));
    expect(diagnoseWorkload(workload({ pods })).findings.map(({ says }) => says)).toEqual([
      '2 of 3 pods: container web ends with exit code 1',
      '1 of 3 pods: container web ends with exit code 3',
    ]);
  });

  it.each<[string, string, RegExp]>([
    [
      'pods "web-" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2',
      'quota-exceeded',
      /quota few of its namespace is used up: each asks for pods 1 more, and 2 of 2 are in use$/,
    ],
    [
      'pods "web-" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0',
      'quota-exceeded',
      /quota none of its namespace allows none of them \(if it has scopes.*\): each asks for pods 1 more/,
    ],
    [
      'pods "web-" is forbidden: exceeded quota: mem, requested: requests.memory=400Mi, used: requests.memory=128Mi, limited: requests.memory=256Mi',
      'quota-exceeded',
      /quota mem of its namespace has not enough left: each asks for requests\.memory 400Mi more, and 128Mi of 256Mi/,
    ],
    [
      'pods "web-" is forbidden: exceeded quota: few, requested: requests.cpu=1,requests.memory=400Mi, used: requests.cpu=3,requests.memory=800Mi, limited: requests.cpu=3,requests.memory=1Gi',
      'quota-exceeded',
      /requests\.cpu 1 more, and 3 of 3 are in use and requests\.memory 400Mi more, and 800Mi of 1Gi are in use$/,
    ],
    [
      'pods "web-" is forbidden: failed quota: cpu: must specify limits.cpu for: web',
      'quota-exceeded',
      /quota cpu wants its pods to name limits\.cpu \(container web\)$/,
    ],
    [
      'pods "web-" is forbidden: maximum memory usage per Pod is 1Gi, but limit is 2Gi',
      'limit-range',
      /a LimitRange .*: maximum memory usage per Pod is 1Gi, but limit is 2Gi$/,
    ],
    [
      'pods "web-" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
      'pod-security',
      /restricted:latest/,
    ],
    [
      'pods "web-" is forbidden: error looking up service account shop/web: serviceaccount "web" not found',
      'service-account-missing',
      /no ServiceAccount web$/,
    ],
    [
      'admission webhook "policy.example.com" denied the request: no',
      'admission-denied',
      /policy\.example\.com denies them/,
    ],
    [
      'Internal error occurred: failed calling webhook "inject.example.com": connection refused',
      'admission-denied',
      /inject\.example\.com does not answer/,
    ],
    [
      'pods "web-" is forbidden: no PriorityClass with name high was found',
      'priority-class-missing',
      /no PriorityClass high/,
    ],
    ['the server is on strike', 'create-failed', /refuses them/],
  ])('%s', (message, id, says) => {
    const refused = event('FailedCreate', `Error creating: ${message}`);
    const { findings } = diagnoseWorkload(workload({ pods: three().slice(0, 1), events: [refused] }));
    expect(findings[0]).toMatchObject({ id, severity: 'critical' });
    expect(findings[0]?.says).toMatch(says);
    expect(findings[0]?.says).toMatch(/^deployment\/web lacks 2 of 3 pods/);
    // All pods exist, so the refusal has been overcome.
    expect(ids(workload({ pods: three(), events: [refused] }))).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    ['without scopes', {}, /quota few of its namespace is used up: each asks/],
    [
      'of pods that ask for nothing',
      { scopes: ['BestEffort'] },
      /quota few of its namespace, which holds for pods without requests and limits alone \(scope BestEffort\), is used up: each asks/,
    ],
    [
      'of jobs with a deadline',
      { scopes: ['Terminating', 'NotBestEffort'] },
      /for pods with activeDeadlineSeconds and with requests or limits alone \(scopes Terminating and NotBestEffort\), is/,
    ],
    [
      'of a priority',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
      /for pods of PriorityClass high alone \(scope PriorityClass\), is used up/,
    ],
    [
      'of any priority',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } },
      /for pods with a PriorityClass alone/,
    ],
  ])('names for which pods a quota holds: one %s', (_, spec, says) => {
    const refused = event(
      'FailedCreate',
      'Error creating: pods "web-" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2',
    );
    const quotas = [{ metadata: { name: 'few', namespace: 'shop' }, spec }];
    const { findings } = diagnoseWorkload(workload({ pods: three().slice(0, 1), events: [refused], quotas }));
    expect(findings[0]?.says).toMatch(says);
  });

  it.each<[string, Record<string, object>, string]>([
    ['the only one', { small: { max: { memory: '512Mi' } }, other: { min: { memory: '1Mi' } } }, 'LimitRange small'],
    ['the only one of its amount', { a: { max: { memory: '0.5Gi' } }, b: { max: { memory: '2Gi' } } }, 'LimitRange a'],
    ['one of several', { a: { max: { memory: '512Mi' } }, b: { max: { memory: '512Mi' } } }, 'a LimitRange'],
    ['one of another type', { a: { type: 'Pod', max: { memory: '512Mi' } } }, 'a LimitRange'],
    ['one that is gone', {}, 'a LimitRange'],
  ])('names the LimitRange that refuses: %s', (_what, ranges, who) => {
    const message =
      'Error creating: pods "web-1" is forbidden: maximum memory usage per Container is 512Mi, but limit is 1Gi';
    const limitRanges = Object.entries(ranges).map(
      ([name, limit]): LimitRange => ({
        metadata: { name, namespace: 'shop' },
        spec: { limits: [{ type: 'Container', ...limit }] },
      }),
    );
    const { findings } = diagnoseWorkload(workload({ events: [event('FailedCreate', message)], limitRanges }));
    expect(findings[0]?.says).toBe(
      `deployment/web lacks 3 of 3 pods, which cannot be made: ${who} of its namespace forbids what they ask for: maximum memory usage per Container is 512Mi, but limit is 1Gi`,
    );
  });

  it('a rollout past its deadline comes after what its pods say', () => {
    const conditions = [
      {
        type: 'Progressing',
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: 'ReplicaSet "web-1" has timed out progressing.',
      },
    ];
    const late = { ...deployment, status: { conditions } } as WorkloadObject;
    expect(ids(workload({ workload: late, pods: three({ status: crashed({ exitCode: 1 }) }) }))).toEqual([
      'exit-code',
      'progress-deadline',
    ]);
  });

  it.each<[string, object, object, RegExp | undefined]>([
    [
      'Deployment',
      { paused: true },
      { updatedReplicas: 1 },
      /deployment\/web is held by hand \(paused\): 1 of 3 pods have its newest template/,
    ],
    ['Deployment', { paused: true }, { updatedReplicas: 3 }, undefined],
    ['Deployment', {}, { updatedReplicas: 1 }, undefined],
    [
      'StatefulSet',
      { updateStrategy: { type: 'OnDelete' } },
      { updatedReplicas: 0 },
      /until somebody deletes the old pods/,
    ],
    [
      'StatefulSet',
      { updateStrategy: { rollingUpdate: { partition: 2 } } },
      { updatedReplicas: 1 },
      /below pod 2 \(its partition\)/,
    ],
  ])('%s %j %j: says that somebody holds its rollout', (kind, spec, status, says) => {
    const object = { ...deployment, kind, spec: { ...deployment.spec, ...spec }, status } as WorkloadObject;
    const { findings } = diagnoseWorkload(workload({ workload: object, pods: three() }));
    expect(findings.map(({ id }) => id)).toEqual(says === undefined ? [] : ['rollout-held']);
    if (says !== undefined) expect(findings[0]?.says).toMatch(says);
  });

  it('does not count pods that were evicted long ago, unless pods are missing', () => {
    const evicted = pod({
      name: 'old',
      podStatus: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
    });
    expect(ids(workload({ pods: [...three(), evicted] }))).toEqual([]);
    expect(ids(workload({ pods: [...three().slice(1), evicted] }))).toEqual(['evicted']);
    // A loop is told although a fresh pod always stands in for the last.
    const loop = [20, 40, 60].map((seconds) => ({
      ...evicted,
      metadata: { ...evicted.metadata, name: `old-${seconds}`, creationTimestamp: ago(seconds) },
    }));
    const { findings } = diagnoseWorkload(workload({ pods: [...three(), ...loop] }));
    expect(findings.map(({ says }) => says)).toEqual([
      '3 pods of deployment/web were evicted one after the other within 60s: The node was low on resource: memory',
    ]);
    // One that was replaced a moment ago is history as well.
    const lately = { ...evicted, metadata: { ...evicted.metadata, creationTimestamp: ago(20) } };
    expect(ids(workload({ pods: [...three(), lately] }))).toEqual([]);
    // What its own limit ended comes again.
    const message = 'Usage of EmptyDir volume "export" exceeds the limit "20Mi".';
    const own = { ...lately, status: { ...lately.status, message } };
    expect(diagnoseWorkload(workload({ pods: [...three(), own] })).findings.map(({ says }) => says)).toEqual([
      'pod old of deployment/web was evicted within 20s: Usage of EmptyDir volume "export" exceeds the limit "20Mi"',
    ]);
  });
});

it('notes that pods are ready and not yet available', () => {
  const slow = (availableReplicas: number): WorkloadObject =>
    ({
      ...deployment,
      spec: { ...deployment.spec, minReadySeconds: 600 },
      status: { availableReplicas },
    }) as WorkloadObject;
  expect(ids(workload({ workload: slow(0), pods: three() }))).toEqual(['pods-starting']);
  expect(ids(workload({ workload: slow(3), pods: three() }))).toEqual([]);
});

describe('a template that is fixed to a node', () => {
  const fixed = {
    ...deployment,
    spec: { ...deployment.spec, template: { spec: { nodeName: 'worker-3', containers: [] } } },
  } as WorkloadObject;
  const gone = pod({
    name: 'web-0',
    spec: { nodeName: 'worker-3' },
    podStatus: { phase: 'Failed', reason: 'NodeGone', message: 'PodGC: node no longer exists' },
  });

  it.each<[string, readonly Pod[]]>([
    ['whose pods are collected', []],
    ['whose last pod is seen as it goes', [gone]],
  ])('that is not there, %s', (_, pods) => {
    const given = workload({ workload: fixed, pods, fixedNode: { name: 'worker-3', missing: true } });
    const [first] = diagnoseWorkload(given).findings;
    expect(first).toMatchObject({
      id: 'no-such-node',
      severity: 'critical',
      says: 'the template of deployment/web is fixed to node worker-3 (spec.nodeName), and there is no such node: its pods never run, and are removed and made again',
    });
    expect(first?.try).toEqual(['kubectl get nodes', 'kubectl -n shop edit deployment/web']);
  });

  it('is told once, by its pods where they are', () => {
    const node = { name: 'worker-3', missing: true };
    const pods = [{ ...pod({ spec: { nodeName: 'worker-3' } }), status: { phase: 'Pending' } }];
    const given = workload({ workload: fixed, pods, fixedNode: node, each: { node } });
    expect(ids(given)).toEqual(['no-such-node']);
  });

  it('that is there', () => {
    expect(ids(workload({ workload: fixed, pods: three(), fixedNode: { name: 'worker-3', node: {} } }))).toEqual([]);
  });
});

describe('jobs', () => {
  const job = (condition: object, spec: object = {}): WorkloadObject =>
    ({
      kind: 'Job',
      metadata: { name: 'import', namespace: 'shop', uid: 'j' },
      spec: { backoffLimit: 2, activeDeadlineSeconds: 30, maxFailedIndexes: 1, template: {}, ...spec },
      status: { failed: 3, failedIndexes: '2,4', conditions: [condition] },
    }) as WorkloadObject;
  const failed = pod({
    name: 'import-x',
    spec: { restartPolicy: 'Never' },
    podStatus: { phase: 'Failed' },
    status: {
      ready: false,
      state: { terminated: { exitCode: 4, reason: 'Error', startedAt: ago(7300), finishedAt: ago(7200) } },
    },
  });

  it.each<[string, RegExp]>([
    [
      'BackoffLimitExceeded',
      /^job\/import has given up after more failures of its pods than its backoffLimit of 2 allows$/,
    ],
    ['DeadlineExceeded', /^job\/import took longer than its activeDeadlineSeconds of 30s$/],
    ['MaxFailedIndexesExceeded', /after more failed indexes than its maxFailedIndexes of 1 allows/],
    ['FailedIndexes', /ended with failed indexes 2,4$/],
    ['PodFailurePolicy', /its pod failure policy/],
  ])('%s', (reason, says) => {
    const given = workload({ workload: job({ type: 'Failed', status: 'True', reason, message: 'x' }), pods: [failed] });
    const { findings, state } = diagnoseWorkload(given);
    expect(state).toBe(`Failed (${reason})`);
    expect(findings.map(({ id }) => id)).toEqual(['exit-code', 'job-failed']);
    expect(findings[1]?.says).toMatch(says);
  });

  it('of which one index fails names that', () => {
    const indexed = (name: string, index: string): typeof failed => ({
      ...failed,
      metadata: {
        ...failed.metadata,
        name,
        uid: name,
        annotations: { 'batch.kubernetes.io/job-completion-index': index },
      },
    });
    const given = workload({
      workload: job(
        { type: 'Failed', status: 'True', reason: 'FailedIndexes', message: 'x' },
        { completionMode: 'Indexed' },
      ),
      pods: [indexed('import-2-a', '2'), indexed('import-2-b', '2')],
    });
    expect(diagnoseWorkload(given).findings[0]?.says).toMatch(/^index 2 \(2 pods\): container web ends/);
  });

  const gone = (...deaths: readonly Partial<DeathRecord>[]): PodHistory => ({
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'PodHistory',
    metadata: { namespace: 'shop', name: 'import-x', uid: 'x' },
    nodeName: 'n1',
    goneAt: ago(20),
    containers: history(...deaths),
  });
  const log = { tail: "starting\nKeyError: 'S3_BUCKET'\n", truncated: false, says: "KeyError: 'S3_BUCKET'" };
  const template = { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'web', image: 'web:1' }] } };

  it.each<[string, PodHistory, RegExp]>([
    [
      'BackoffLimitExceeded',
      gone({ exitCode: 1, log }, { exitCode: 143, requested: { scope: 'pod' } }),
      /than its backoffLimit of 2 allows: container web lacks the environment variable S3_BUCKET$/,
    ],
    [
      'DeadlineExceeded',
      gone({
        exitCode: 143,
        requested: { scope: 'pod' },
        log: { tail: 'starting\nfetching rates\n', truncated: false },
      }),
      /took longer than its activeDeadlineSeconds of 30s; the last that container web said: fetching rates$/,
    ],
    [
      'DeadlineExceeded',
      gone({ exitCode: 137, requested: { scope: 'pod' } }),
      /took longer than its activeDeadlineSeconds of 30s$/,
    ],
  ])('%s, of which only the node remembers a pod', (reason, life, says) => {
    const object = job({ type: 'Failed', status: 'True', reason, message: 'x' }, { template });
    const { findings } = diagnoseWorkload(workload({ workload: object, gone: [life] }));
    expect(findings).toMatchObject([{ id: 'job-failed', try: ['mendlet history job/import -n shop'] }]);
    expect(findings[0]?.says).toMatch(says);
  });

  const waits = {
    spec: {
      restartPolicy: 'Never',
      initContainers: [
        {
          name: 'web',
          image: 'a',
          command: ['sh', '-c', 'until nc -z sql 3306; do echo waiting for sql:3306; sleep 2; done'],
        },
      ],
      containers: [{ name: 'seed', image: 'a' }],
    },
  };
  const missing = { namespace: 'shop', name: 'sql', missing: true, clusterIPs: [], ports: [], ready: 0, notReady: 0 };
  const requested = { exitCode: 137, requested: { scope: 'pod' as const } };

  it.each<[string, PodHistory, readonly ServiceEvidence[], RegExp]>([
    [
      'that is not there',
      gone({ ...requested, log: { tail: 'waiting for sql:3306\n', truncated: false } }),
      [{ ...missing, similar: ['mysql'] }],
      /activeDeadlineSeconds of 30s; the last that container web said: waiting for sql:3306: there is no service sql; there is mysql$/,
    ],
    [
      'that is not there, without a word',
      gone(requested),
      [missing],
      /activeDeadlineSeconds of 30s; its container web waited for sql:3306: there is no service sql$/,
    ],
    [
      'that has come since',
      gone({ ...requested, log: { tail: 'waiting for sql:3306\n', truncated: false } }),
      [{ ...missing, missing: false, ready: 1, ports: [3306], clusterIPs: ['10.96.0.7'] }],
      /said: waiting for sql:3306$/,
    ],
  ])('its deadline is told with the service for which it waited, %s', (_, life, goneServices, says) => {
    const object = job(
      { type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: 'x' },
      { template: waits },
    );
    const given = workload({ workload: object, gone: [life], goneServices });
    expect(goneServicesOf(given)).toEqual([{ namespace: 'shop', name: 'sql' }]);
    expect(diagnoseWorkload(given).findings[0]?.says).toMatch(says);
  });

  it('what ended its last pod comes first, and nothing replaces that', () => {
    const evicted = pod({
      podStatus: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
      metadata: { ownerReferences: [{ kind: 'Job', name: 'import', controller: true }] },
    });
    const failedJob = job({ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'x' });
    const { findings } = diagnoseWorkload(workload({ workload: failedJob, pods: [evicted] }));
    expect(findings.map(({ id, severity }) => [id, severity])).toEqual([
      ['evicted', 'critical'],
      ['job-failed', 'critical'],
    ]);
    expect(findings[0]?.says).toMatch(/low on memory, and job\/import has given up$/);
  });

  it('nothing is wrong with one that is done, whatever it took, nor with one that is suspended', () => {
    const done = job({ type: 'Complete', status: 'True', reason: 'CompletionsReached' });
    expect(diagnoseWorkload(workload({ workload: done, pods: [failed] })).findings).toEqual([]);
    const suspended = job({ type: 'Suspended', status: 'True' }, { suspend: true });
    expect(diagnoseWorkload(workload({ workload: suspended }))).toMatchObject({
      state: 'Suspended',
      findings: [{ id: 'job-held', severity: 'info' }],
    });
  });

  it('tells as a note what failed in a pod that ended well', () => {
    const done = job({ type: 'Complete', status: 'True', reason: 'CompletionsReached' });
    const pod = {
      ...failed,
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            name: 'web',
            ready: false,
            restartCount: 0,
            image: '',
            imageID: '',
            state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: ago(30), finishedAt: ago(20) } },
          },
        ],
      },
    };
    const given = workload({ workload: done, pods: [pod] });
    const looked = given.looked.map((one) => ({
      ...one,
      logs: {
        web: { current: ['dumping', 'pg_dump: error: FATAL:  database "shop" does not exist', 'wrote 20 bytes'] },
      },
    }));
    const { findings, asWanted } = diagnoseWorkload({ ...given, looked });
    expect(asWanted).toBe(true);
    expect(findings).toMatchObject([{ severity: 'info' }]);
    expect(findings[0]?.says).toMatch(
      /has ended with exit code 0, as if all were well, but failed: .*"shop" does not exist/,
    );
  });

  it('says of one that may start no pod that nothing goes on', () => {
    const none = job({}, { parallelism: 0, completions: 3 });
    const { findings, state, asWanted } = diagnoseWorkload(workload({ workload: none }));
    expect([state, asWanted]).toEqual(['Held (parallelism 0), 0/3 completions', true]);
    expect(findings).toMatchObject([
      {
        id: 'job-held',
        severity: 'info',
        says: 'job/import is held: spec.parallelism is 0, so it starts no pod, with 3 of 3 completions left',
        try: ['kubectl -n shop patch job/import -p \'{"spec":{"parallelism":1}}\''],
      },
    ]);
    const both = job({}, { parallelism: 0, suspend: true });
    expect(diagnoseWorkload(workload({ workload: both }))).toMatchObject({
      state: 'Suspended',
      findings: [{ id: 'job-held', severity: 'info' }],
    });
    const done = job({ type: 'Complete', status: 'True' }, { parallelism: 0 });
    expect(diagnoseWorkload(workload({ workload: done })).findings).toEqual([]);
  });
});

describe('a stateful set', () => {
  const set = (policy: string): WorkloadObject => ({
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: 'shop', uid: 's' },
    spec: { replicas: 3, podManagementPolicy: policy, selector: {}, template: {}, serviceName: 'db' },
  });

  it('names the pod that is ill, where it is one of several', () => {
    const object = set('Parallel');
    const pods = ['db-0', 'db-1', 'db-2'].map((name) =>
      pod({ name, ...(name === 'db-2' && { status: crashed({ exitCode: 1 }) }) }),
    );
    const says = (given: WorkloadObject): string | undefined =>
      diagnoseWorkload(workload({ workload: given, pods })).findings[0]?.says;
    expect(says(object)).toMatch(/^1 of 3 pods \(db-2\): container web ends with exit code 1/);
    expect(says({ ...object, kind: 'ReplicaSet' })).toMatch(/^1 of 3 pods: container web ends/);
  });

  it('waits for its first pod', () => {
    const pods = [pod({ name: 'db-0', status: crashed({ exitCode: 1 }) })];
    expect(ids(workload({ workload: set('OrderedReady'), pods }))).toEqual(['exit-code', 'ordered-start']);
    expect(ids(workload({ workload: set('Parallel'), pods }))).toEqual(['exit-code']);
  });

  const renewed = (policy: string, spec: object = {}): WorkloadObject =>
    ({
      ...set(policy),
      spec: { ...set(policy).spec, ...spec },
      status: { replicas: 1, updateRevision: 'db-new' },
    }) as WorkloadObject;
  const ofRevision = (name: string, hash: string, given: Parameters<typeof pod>[0] = {}): Pod =>
    pod({
      name,
      metadata: { labels: { 'controller-revision-hash': hash, 'apps.kubernetes.io/pod-index': name.slice(-1) } },
      ...given,
    });
  const ill = { status: crashed({ exitCode: 1 }) };
  const rollout = {
    workload: 'statefulset/db',
    revision: 1,
    changes: [],
    changesSince: ['container web env DIR: /a → /b'],
    makers: ['db-old'],
  };

  it('never comes to a pod of an older template that is not ready', () => {
    const pods = [ofRevision('db-0', 'db-old', ill)];
    const given = workload({ workload: renewed('OrderedReady'), pods, each: { rollout } });
    const [first, second] = diagnoseWorkload(given).findings;
    expect(first).toMatchObject({
      id: 'older-template',
      severity: 'critical',
      says: 'pod db-0 still has the older template of statefulset/db (container web env DIR: /a → /b), and is not replaced while it is not ready: it has to be deleted',
    });
    expect(first?.try[0]).toBe('kubectl delete pod db-0');
    expect(second?.id).toBe('exit-code');
    expect(JSON.stringify(first?.evidence)).toMatch(/db-old.*db-new/);
  });

  it.each<[string, WorkloadObject, readonly Pod[], boolean]>([
    ['of the newest template', renewed('OrderedReady'), [ofRevision('db-0', 'db-new', ill)], false],
    ['that is ready', renewed('OrderedReady'), [ofRevision('db-0', 'db-old')], false],
    [
      'below the partition',
      renewed('OrderedReady', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }),
      [ofRevision('db-0', 'db-old', ill)],
      false,
    ],
    [
      'that somebody has to delete anyway',
      renewed('OrderedReady', { updateStrategy: { type: 'OnDelete' } }),
      [ofRevision('db-0', 'db-old', ill)],
      true,
    ],
    ['that the rollout comes to', renewed('Parallel'), [ofRevision('db-0', 'db-old', ill)], false],
    [
      'behind a newer one that is not ready',
      renewed('Parallel'),
      [ofRevision('db-0', 'db-old', ill), ofRevision('db-1', 'db-new', ill)],
      true,
    ],
  ])('and a pod %s', (_, object, pods, isTold) => {
    expect(ids(workload({ workload: object, pods })).includes('older-template')).toBe(isTold);
  });

  it('has no trouble while its first pod is only beginning', () => {
    const begun = { ready: false, state: { running: { startedAt: ago(10) } } };
    const container = { readinessProbe: { exec: { command: ['true'] }, initialDelaySeconds: 60 } };
    const pods = [pod({ name: 'db-0', container, status: begun })];
    expect(ids(workload({ workload: set('OrderedReady'), pods }))).toEqual([]);
  });
});

describe('a liveness cascade', () => {
  const killedAt = (seconds: readonly number[]): WorkloadEvidence => {
    const container = { livenessProbe: { exec: { command: ['ask-database'] } } };
    const pods = seconds.map((ended, index) =>
      pod({ name: `web-${index}`, container, status: crashed({ exitCode: 137, ended: Math.max(1, ended - 1) }) }),
    );
    const events = seconds.flatMap((at, index) => {
      const of = { of: `web-${index}`, container: 'web', seconds: at };
      return [
        event('Killing', 'Container web failed liveness probe, will be restarted', of),
        event('Unhealthy', 'Liveness probe failed: timeout of the database', of),
      ];
    });
    const given = workload({ pods });
    const looked = given.looked.map((one) => ({
      ...one,
      events: events.filter(({ involvedObject }) => involvedObject.uid === one.pod.metadata?.uid),
      siblingEvents: events,
    }));
    return { ...given, looked };
  };

  it('most fell within a minute', () => {
    const { findings } = diagnoseWorkload(killedAt([60, 50, 45, 40]));
    expect(findings[0]).toMatchObject({ id: 'liveness-cascade', pods: ['web-0', 'web-1', 'web-2', 'web-3'] });
    expect(findings[0]?.says).toMatch(
      /^4 of 4 pods of deployment\/web were killed by their liveness probes within 20s/,
    );
  });

  it.each<[string, readonly number[]]>([
    ['two only', [60, 50]],
    ['one after another', [500, 380, 260, 140]],
    ['long ago', [1000, 1000, 1000, 1000]],
  ])('none: %s', (_, seconds) => {
    expect(ids(killedAt(seconds))).not.toContain('liveness-cascade');
  });
});

describe('a daemon set that runs nowhere', () => {
  const set = (spec: object, desired = 0): WorkloadObject =>
    ({
      kind: 'DaemonSet',
      metadata: { name: 'agent', namespace: 'shop', uid: 's' },
      spec: { selector: {}, template: { spec: { containers: [], ...spec } } },
      status: { desiredNumberScheduled: desired },
    }) as WorkloadObject;
  const node = (name: string, labels: Record<string, string> = {}, taints: readonly Taint[] = []): Node => ({
    metadata: { name, labels },
    spec: { taints: [...taints] },
  });
  const selects = { nodeSelector: { 'node-role.kubernetes.io/worker': '' } };
  const affinity = {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] }],
        },
      },
    },
  };
  const gpu = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };

  it.each<[string, object, readonly Node[], string]>([
    [
      'by its selector',
      selects,
      [node('n1')],
      'its nodeSelector node-role.kubernetes.io/worker= matches none of the 1 nodes, so it runs nowhere',
    ],
    [
      'by its affinity',
      affinity,
      [node('n1'), node('n2', { zone: 'c' })],
      'its node affinity zone in a|b matches none of the 2 nodes, so it runs nowhere',
    ],
    [
      'by both',
      { ...selects, ...affinity },
      [node('n1', { zone: 'a' })],
      'its nodeSelector node-role.kubernetes.io/worker= with its node affinity zone in a|b matches none of the 1 nodes, so it runs nowhere',
    ],
    [
      'by a taint',
      {},
      [node('n1', {}, [gpu])],
      'the only node has a taint that it does not tolerate (dedicated=gpu:NoSchedule), so it runs nowhere',
    ],
    [
      'by a taint of the nodes that it selects',
      affinity,
      [node('n1'), node('n2', { zone: 'a' }, [gpu]), node('n3', { zone: 'b' }, [gpu])],
      'all 2 nodes that it selects have a taint that it does not tolerate (dedicated=gpu:NoSchedule), so it runs nowhere',
    ],
  ])('%s', (_what, spec, nodes, says) => {
    const { findings } = diagnoseWorkload(workload({ workload: set(spec), nodes }));
    expect(findings).toMatchObject([{ id: 'no-node-matches', severity: 'info', says }]);
  });

  it.each<[string, WorkloadEvidence]>([
    ['a node suits it', workload({ workload: set({}), nodes: [node('n1')] })],
    [
      'it tolerates the taint',
      workload({ workload: set({ tolerations: [{ operator: 'Exists' }] }), nodes: [node('n1', {}, [gpu])] }),
    ],
    [
      'the node is only not ready',
      workload({
        workload: set({}),
        nodes: [node('n1', {}, [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }])],
      }),
    ],
    ['nodes could not be read', workload({ workload: set(selects) })],
    ['it is wanted somewhere', workload({ workload: set(selects, 1), nodes: [node('n1')] })],
  ])('is none when %s', (_what, given) => {
    expect(ids(given)).not.toContain('no-node-matches');
  });
});

describe('a rollout whose new pod finds no room', () => {
  const object = (rollingUpdate: object, replicas = 1): WorkloadObject =>
    ({
      ...deployment,
      spec: { ...deployment.spec, replicas, strategy: { type: 'RollingUpdate', rollingUpdate } },
    }) as WorkloadObject;
  const asks = (memory: string) => ({ resources: { requests: { memory } } });
  const older = (memory: string, more: object = {}): Pod =>
    pod({ name: 'web-old', container: asks(memory), metadata: { labels: { 'pod-template-hash': 'a' }, ...more } });
  const newer = (memory: string, spec: object = {}): Pod => {
    const metadata = { labels: { 'pod-template-hash': 'b' }, creationTimestamp: ago(100) };
    const one = pod({ name: 'web-new', container: asks(memory), metadata, spec: { ...spec, nodeName: undefined } });
    const message =
      '0/1 nodes are available: 1 Insufficient memory. preemption: 0/1 nodes are available: 1 Insufficient cpu.';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    return { ...one, status: { phase: 'Pending', conditions } };
  };
  const firstOf = (workloadObject: WorkloadObject, ...pods: readonly Pod[]) =>
    diagnoseWorkload(workload({ workload: workloadObject, pods })).findings[0];

  it.each<[string, object, RegExp]>([
    ['0', { maxUnavailable: 0, maxSurge: 1 }, /and maxUnavailable 0 does not let it go first$/],
    ['a share that is none', {}, /and maxUnavailable 25% \(none of 1\) does not let it go first$/],
  ])('because an older pod has it, which may not go first: %s', (_what, rollingUpdate, says) => {
    const first = firstOf(object(rollingUpdate), older('13Gi'), newer('13Gi'));
    expect(first?.says).toMatch(
      /^1 of 2 pods: no node takes the pod: 1 node has not enough memory left for the 13Gi that it asks for; pod web-old of the older template holds 13Gi there, /,
    );
    expect(first?.says).toMatch(says);
    expect(first?.try[0]).toBe(
      `kubectl -n shop patch deployment/web -p '{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":1}}}}'`,
    );
  });

  it.each<[string, WorkloadObject, readonly Pod[]]>([
    ['it may go first', object({ maxUnavailable: 1 }), [older('13Gi'), newer('13Gi')]],
    ['its strategy lets it go', object({ maxUnavailable: 0, maxSurge: 0 }), [older('13Gi'), newer('13Gi')]],
    ['it holds less than is asked for', object({ maxUnavailable: 0 }), [older('1Gi'), newer('13Gi')]],
    ['it goes already', object({ maxUnavailable: 0 }), [older('13Gi', { deletionTimestamp: ago(5) }), newer('13Gi')]],
    [
      'it may run elsewhere',
      object({ maxUnavailable: 0 }),
      [older('13Gi'), newer('13Gi', { nodeSelector: { gpu: '1' } })],
    ],
  ])('for another reason: %s', (_what, workloadObject, pods) => {
    expect(firstOf(workloadObject, ...pods)?.says).toMatch(/left for the 13Gi that it asks for$/);
  });
});
