import { describe, expect, it } from 'vitest';
import type { Service } from '../api/index.ts';
import { diagnoseClaim } from './diagnose-claim.ts';
import { diagnoseCronJob } from './diagnose-cron-job.ts';
import { diagnoseGroup } from './diagnose-group.ts';
import { diagnoseWorkload } from './diagnose-workload.ts';
import { ago, crashed, event, evidence, NOW, pod } from './evidence.fixtures.ts';
import type { GroupEvidence, GroupParts, RemainingObject } from './evidence/group-evidence.ts';
import type { Pod, WorkloadObject } from './evidence/kinds.ts';
import type { ClaimSubjectEvidence, CronJobEvidence, VolumeUsage } from './evidence/object-evidence.ts';
import type { ServiceEvidence } from './evidence/pod-evidence.ts';
import type { ServiceSubjectEvidence } from './evidence/service-evidence.ts';
import type { WorkloadEvidence } from './evidence/workload-evidence.ts';

function group(parts: Partial<GroupParts> = {}, given: Partial<GroupEvidence> = {}): GroupEvidence {
  const all = {
    workloads: [],
    barePods: [],
    cronJobs: [],
    claims: [],
    budgets: [],
    autoscalers: [],
    services: [],
    nodes: [],
    ...parts,
  };
  return {
    now: NOW,
    scope: { kind: 'namespace', namespace: 'shop' },
    pods: [...all.workloads.flatMap(({ pods }) => pods), ...all.barePods.map((one) => one.pod)],
    parts: all,
    notLookedAt: [],
    ...given,
  };
}

function workload(pods: readonly Pod[], spec: object = {}, seconds = 3600): WorkloadEvidence {
  const object = {
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'd', creationTimestamp: ago(seconds) },
    spec: { replicas: pods.length, template: { metadata: { labels: { app: 'web' } } }, ...spec },
  } as WorkloadObject;
  const looked = pods.map((one) => evidence({ pod: one, owners: [object] }));
  return { now: NOW, workload: object, events: [], pods, looked, notLookedAt: [], namespaceFlag: '' };
}

const labels = { labels: { app: 'web' } };
const crashing = (name = 'web-1'): Pod => pod({ name, metadata: labels, status: crashed({ exitCode: 3 }) });

function service(pods: readonly Pod[], spec: Service['spec'] = {}, name = 'front'): ServiceSubjectEvidence {
  return {
    now: NOW,
    name,
    namespace: 'shop',
    service: {
      metadata: { name, namespace: 'shop' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }], ...spec },
    },
    elsewhere: [],
    behind: { pods, slices: [], policies: [], looked: [], listening: {}, readyNodes: [] },
    events: [],
    notLookedAt: [],
    namespaceFlag: '',
  };
}

const headlines = (given: GroupEvidence): readonly string[] =>
  diagnoseGroup(given).findings.map(({ id, severity, says }) => `${severity} ${id}: ${says}`);

describe('services among many objects', () => {
  const well = pod({ metadata: labels });
  const starting = { ready: false, started: false, state: { running: { startedAt: ago(2) } } };
  it.each<[string, GroupEvidence, readonly string[]]>([
    ['one that reaches a ready pod', group({ workloads: [workload([well])], services: [service([well])] }), []],
    [
      'one whose pods all fail: the cause first, then who suffers from it',
      group({ workloads: [workload([crashing()])], services: [service([crashing()])] }),
      [
        'critical exit-code: deployment/web: container web ends with exit code 3',
        'critical no-pod-ready: service/front: it reaches nobody, because none of its 1 pod is ready: deployment/web: container web ends with exit code 3',
      ],
    ],
    [
      'one whose pods are in their normal start',
      group({
        workloads: [workload([pod({ metadata: { ...labels, creationTimestamp: ago(3) }, status: starting })])],
        services: [service([pod({ metadata: labels, status: starting })])],
      }),
      [
        'info pods-starting: deployment/web has 0 of 1 pods ready, and nothing says that the others fail: web-1 (for 3s)',
      ],
    ],
    [
      'one that selects nothing',
      group({ services: [service([pod({ metadata: { labels: { app: 'webs' } } })])] }),
      [
        'warning selector-matches-nothing: service/front: it reaches nobody: its selector matches no pod; the nearest, pod web-1, has app=webs instead of web',
      ],
    ],
    ['one whose workload is scaled to 0', group({ workloads: [workload([])], services: [service([])] }), []],
    [
      'one of the server, and one that names a port that nobody has',
      group({
        workloads: [workload([well])],
        services: [
          { ...service([], { selector: {} }, 'kubernetes'), namespace: 'default' },
          service([well], { ports: [{ port: 80, targetPort: 'http' }] }),
        ],
      }),
      [
        'critical target-port-not-found: service/front: port 80/TCP leads to the port "http", which no container of its pods has; they declare no port',
      ],
    ],
  ])('%s', (_, given, wanted) => {
    expect(headlines(given)).toEqual(wanted);
  });

  it('names objects with their namespaces in a cluster, and still finds the cause', () => {
    const cluster = group(
      { workloads: [workload([crashing()])], services: [service([crashing()])] },
      { scope: { kind: 'cluster' } },
    );
    expect(headlines(cluster)[1]).toContain('shop/service/front: it reaches nobody, because none');
    expect(diagnoseGroup(cluster).findings[1]?.try[0]).toBe('mendlet why service/front -n shop');
  });
});

describe('what is not as wanted', () => {
  it('is said of a workload that lacks pods, even before anything is wrong with it', () => {
    const young = group({ workloads: [workload([], { replicas: 3 }, 5)] });
    expect(diagnoseGroup(young)).toMatchObject({
      asWanted: false,
      state: '0 pods, deployment/web 0/3 ready',
      findings: [],
    });
    expect(diagnoseGroup(group({ workloads: [workload([])] }))).toMatchObject({ asWanted: true, state: '0 pods' });
  });

  it('is a finding when no event says why pods are missing', () => {
    const { findings, asWanted } = diagnoseWorkload(workload([], { replicas: 2 }));
    expect({ asWanted, findings }).toMatchObject({
      asWanted: false,
      findings: [
        {
          id: 'pods-missing',
          severity: 'warning',
          says: 'deployment/web lacks 2 of 2 pods, and no event says why (for 60m)',
          evidence: [{ source: 'field', path: 'spec.replicas', value: '2' }],
        },
      ],
    });
    expect(diagnoseWorkload(workload([], { replicas: 2 }, 10)).findings).toEqual([]);
  });
});

describe('pods whose healing has stopped', () => {
  const stopped = (name: string): Pod => {
    const status = crashed({ exitCode: 3 });
    const condition = { type: 'mendlet.dev/HealingStopped', status: 'True' as const, reason: 'LadderEnded' };
    return pod({ name, metadata: labels, status, podStatus: { conditions: [condition] } });
  };
  it('are one finding, the first, with the cause of each', () => {
    const bare = ['a', 'b'].map((name) => evidence({ pod: stopped(name) }));
    const [first, ...others] = diagnoseGroup(group({ barePods: bare })).findings;
    expect(first).toMatchObject({
      id: 'healing-stopped',
      says: 'healing has stopped for 2 pods, and nothing more is tried until somebody restarts them: a and b',
      pods: ['a', 'b'],
    });
    expect(JSON.stringify(first?.evidence)).toContain('container web ends with exit code 3');
    expect(others.map(({ id }) => id)).not.toContain('healing-stopped');
  });

  it('are no finding where none has stopped', () => {
    const found = diagnoseGroup(group({ barePods: [evidence({ pod: crashing() })] })).findings;
    expect(found.map(({ id }) => id)).toEqual(['exit-code']);
  });
});

describe('workloads that one service keeps from working', () => {
  const nobody = { scaledToZero: ['deployment/redis'] };
  const service = (name: string) => ({
    namespace: 'shop',
    name,
    missing: false,
    clusterIPs: ['10.0.0.7'],
    ports: [6379],
    ready: 0,
    notReady: 0,
    nobody,
  });
  const worker = (name: string, host = 'redis'): WorkloadEvidence => {
    const one = workload([pod({ name: `${name}-x`, status: crashed({ exitCode: 1 }) })]);
    const line = `connect ECONNREFUSED: dial tcp: connect to ${host}:6379: connection refused`;
    return {
      ...one,
      workload: { ...one.workload, metadata: { ...one.workload.metadata, name } },
      looked: one.looked.map((each) => ({ ...each, logs: { web: { previous: [line] } }, services: [service(host)] })),
    };
  };

  it('are told once, and each by its name', () => {
    const given = group({ workloads: [worker('image'), worker('mail'), worker('invoice')] });
    expect(headlines(given)).toEqual([
      'critical dependency-refused: 3 workloads (deployment/image, deployment/mail and deployment/invoice) are refused by one service: service redis has no endpoint that is ready, because deployment/redis is scaled to 0',
    ]);
    const [first] = diagnoseGroup(given).findings;
    expect(first?.pods).toEqual(['image-x', 'mail-x', 'invoice-x']);
    for (const name of ['image', 'mail', 'invoice']) expect(first?.try).toContain(`mendlet why deployment/${name}`);
    expect(Object.keys(first ?? {})).not.toContain('target');
  });

  it('are told apart when it is another service, or one alone', () => {
    const two = group({ workloads: [worker('image'), worker('mail', 'queue')] });
    expect(headlines(two)).toEqual([
      'critical dependency-refused: deployment/image: container web is refused by redis:6379 and ends: service redis has no endpoint that is ready, because deployment/redis is scaled to 0',
      'critical dependency-refused: deployment/mail: container web is refused by queue:6379 and ends: service queue has no endpoint that is ready, because deployment/redis is scaled to 0',
    ]);
  });
});

describe('pods with one cause', () => {
  const asker = (name: string, line: string, services: readonly ServiceEvidence[] = []): WorkloadEvidence => {
    const one = workload([pod({ name: `${name}-x`, status: crashed({ exitCode: 1 }) })]);
    return {
      ...one,
      workload: { ...one.workload, metadata: { ...one.workload.metadata, name } },
      looked: one.looked.map((each) => ({ ...each, logs: { web: { previous: [line] } }, services })),
    };
  };
  const full = (name: string): string =>
    `${name} no database: connection to server at "maindb" (10.0.0.8), port 5432 failed: FATAL: sorry, too many clients already`;
  const well = workload([pod({ name: 'static-x' })]);

  it('that a peer gives to all are one finding, which leads to the peer', () => {
    const given = group({ workloads: [well, ...['crm', 'fx'].map((name) => asker(name, full(name)))] });
    expect(headlines(given)).toEqual([
      'critical connections-exhausted: 2 of 3 pods (deployment/crm and deployment/fx) have one cause: maindb:5432 gives no connection any more: sorry, too many clients already',
    ]);
    expect(diagnoseGroup(given).findings[0]?.try).toEqual([
      'mendlet why service/maindb',
      'mendlet why deployment/crm',
      'mendlet why deployment/fx',
    ]);
  });

  it('that a peer outside of the cluster gives to all lead to no service', () => {
    const line = 'cannot reach the ledger: connect ETIMEDOUT ledger.example:5432';
    const given = group({ workloads: ['crm', 'fx'].map((name) => asker(name, line)) });
    expect(headlines(given)).toEqual([
      expect.stringMatching(
        /^critical dependency-times-out: 2 of 2 pods .* have one cause: ledger\.example:5432 does not/,
      ),
    ]);
    expect(diagnoseGroup(given).findings[0]?.try.join(' ')).not.toContain('service/');
  });

  it('are not those whom a peer refuses for different users', () => {
    const refused = (user: string): string =>
      `connection to server at "maindb", port 5432 failed: FATAL: password authentication failed for user "${user}"`;
    const given = group({ workloads: ['crm', 'fx'].map((name) => asker(name, refused(name))) });
    expect(headlines(given)).toHaveLength(2);
    expect(headlines(group({ workloads: ['crm', 'fx'].map((name) => asker(name, refused('app'))) }))).toEqual([
      expect.stringMatching(/^critical authentication-refused: 2 of 2 pods .* have one cause: maindb:5432/),
    ]);
  });

  it('come after it, whatever way leads to it', () => {
    const away = (name: string, cause: ServiceEvidence['cause']): ServiceEvidence => ({
      namespace: 'shop',
      name,
      missing: false,
      clusterIPs: ['10.0.0.7'],
      ports: [80],
      ready: 0,
      notReady: 1,
      selector: { app: name },
      ...(cause && { cause }),
    });
    const root = { pod: 'redis-x', says: 'container web ends: boom (exit code 1)' };
    const through = [{ pod: 'api-x', service: 'redis' }];
    const refused = (host: string): string => `connect to ${host}:80: connection refused`;
    const given = group({
      workloads: [
        asker('web', refused('api'), [away('api', { ...root, root: 'shop/redis', through })]),
        asker('api', refused('redis'), [away('redis', root)]),
        asker('redis', 'boom'),
      ],
    });
    expect(headlines(given)).toEqual([
      expect.stringMatching(/^critical exit-code: deployment\/redis: container web ends .*boom/),
      'critical dependency-refused: 2 workloads (deployment/web and deployment/api) need one service: service redis has no endpoint that is ready: of its pod redis-x, container web ends: boom (exit code 1)',
    ]);
  });
});

describe('a namespace that is being deleted', () => {
  const going = (
    seconds: number,
    conditions: readonly object[] = [],
    remaining?: readonly RemainingObject[],
  ): GroupEvidence =>
    group(
      {},
      {
        scope: {
          kind: 'namespace',
          namespace: 'shop',
          object: { metadata: { name: 'shop', deletionTimestamp: ago(seconds) }, status: { conditions } },
          ...(remaining && { remaining }),
        } as GroupEvidence['scope'],
      },
    );
  const tenant = {
    kind: 'ConfigMap',
    resource: 'configmaps',
    name: 'tenant-state',
    finalizers: ['acme.io/tenant-cleanup'],
  };
  const held = { type: 'NamespaceFinalizersRemaining', status: 'True', message: 'widgets.example.com: 2 resources' };
  it.each<[string, GroupEvidence, readonly string[]]>([
    ['just now', going(5), []],
    [
      'for long, and why',
      going(300, [held, { ...held, type: 'NamespaceContentRemaining', status: 'False' }]),
      ['critical namespace-terminating: namespace shop has been going for 5m: widgets.example.com: 2 resources'],
    ],
    [
      'for long, and nobody says why',
      going(300),
      ['critical namespace-terminating: namespace shop has been going for 5m, and nothing says what it waits for'],
    ],
    [
      'for long, and which objects hold it',
      going(300, [held, { ...held, type: 'NamespaceContentRemaining' }], [tenant]),
      [
        'critical namespace-terminating: namespace shop has been going for 5m: ConfigMap tenant-state holds the namespace: its finalizer acme.io/tenant-cleanup is still there',
      ],
    ],
    [
      'for long, for several objects and a group that does not answer',
      going(
        300,
        [held, { ...held, type: 'NamespaceDeletionDiscoveryFailure', message: 'metrics.k8s.io: stale' }],
        [tenant, { ...tenant, kind: 'Widget', name: 'w', finalizers: ['acme.io/w'] }],
      ),
      [
        'critical namespace-terminating: namespace shop has been going for 5m: ConfigMap tenant-state and Widget w hold the namespace: their finalizers acme.io/tenant-cleanup and acme.io/w are still there; metrics.k8s.io: stale',
      ],
    ],
  ])('%s', (_, given, wanted) => {
    expect(headlines(given)).toEqual(wanted);
    expect(diagnoseGroup(given).state).toBe('Terminating');
    // What the headline says of conditions is not told again.
    const [first] = diagnoseGroup(given).findings;
    const quoted = JSON.stringify(first?.evidence ?? []);
    for (const text of ['widgets.example.com: 2 resources', 'stale'])
      expect(first?.says.includes(text) === true && quoted.includes(text)).toBe(false);
  });
});

describe('a cron job that does not start', () => {
  const cron = (given: Partial<CronJobEvidence> = {}, spec: object = {}): CronJobEvidence => ({
    now: NOW,
    cronJob: {
      metadata: { name: 'tidy', namespace: 'shop', creationTimestamp: ago(9000) },
      spec: { schedule: '*/5 * * * *', jobTemplate: {}, ...spec },
      status: { lastScheduleTime: ago(600) },
    },
    events: [],
    jobs: [],
    notLookedAt: [],
    namespaceFlag: '',
    ...given,
  });
  const running = (seconds: number): WorkloadEvidence => ({
    ...workload([crashing('tidy-1-x')], { parallelism: 1, completions: 1 }),
    workload: {
      kind: 'Job',
      metadata: { name: 'tidy-1', namespace: 'shop', uid: 'j', creationTimestamp: ago(seconds) },
      spec: { template: {} },
    },
  });
  const found = (given: CronJobEvidence): readonly string[] =>
    diagnoseCronJob(given).findings.map(({ id, says }) => `${id}: ${says}`);

  it('is suspended, with a command that a shell hands over as it is written', () => {
    const [held] = diagnoseCronJob(cron({}, { suspend: true })).findings;
    expect([held?.id, held?.try]).toEqual([
      'cron-suspended',
      ['kubectl patch cronjob/tidy -p \'{"spec":{"suspend":false}}\''],
    ]);
  });

  it('has missed a start', () => {
    const missed = event('MissSchedule', 'Missed scheduled time to start a job', { seconds: 60 });
    expect(found(cron({ events: [missed] }, { startingDeadlineSeconds: 10 }))).toEqual([
      'missed-start: cronjob/tidy has missed a start, which may be at most 10s late',
    ]);
    expect(found(cron({ events: [{ ...missed, lastTimestamp: ago(900) }] }))).toEqual([]);
    expect(found(cron())).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      'names no time',
      { schedule: '0 3 31 2 *' },
      'cronjob/tidy starts nothing: its schedule "0 3 31 2 *" names no time that ever comes',
    ],
    [
      'names no time, in a zone',
      { schedule: '0 3 31 2 *', timeZone: 'Europe/Berlin' },
      'cronjob/tidy starts nothing: its schedule "0 3 31 2 *" in Europe/Berlin names no time that ever comes',
    ],
    ['cannot be read', { schedule: 'at noon' }, 'cronjob/tidy starts nothing: its schedule "at noon" means nothing: '],
  ])('has a schedule that %s', (_what, spec, says) => {
    const [first] = found(cron({}, spec));
    expect(first?.startsWith(`cron-schedule: ${says}`)).toBe(true);
  });

  it('tells what several of its jobs share once, with their number', () => {
    const job = (name: string): WorkloadEvidence => ({
      ...workload([]),
      workload: {
        kind: 'Job',
        metadata: { name, namespace: 'shop', uid: name, creationTimestamp: ago(300) },
        spec: { template: {} },
      },
      events: [
        {
          ...event(
            'FailedCreate',
            'Error creating: pods "x-" is forbidden: error looking up service account shop/sa: serviceaccount "sa" not found',
          ),
          involvedObject: { kind: 'Job', namespace: 'shop', name },
        },
      ],
    });
    const three = ['tidy-3', 'tidy-2', 'tidy-1'].map(job);
    expect(found(cron({ jobs: three }))).toEqual([
      'service-account-missing: 3 jobs (tidy-3, tidy-2 and tidy-1): each lacks 1 of 1 pods, which cannot be made: there is no ServiceAccount sa',
    ]);
    expect(found(cron({ jobs: three.slice(0, 1) }))).toEqual([
      'service-account-missing: job/tidy-3 lacks 1 of 1 pods, which cannot be made: there is no ServiceAccount sa',
    ]);
    const mixed = found(cron({ jobs: [...three, { ...running(400), pods: [], looked: [] }] }));
    expect(mixed[0]).toMatch(/^service-account-missing: 3 jobs \(tidy-3, tidy-2 and tidy-1\)/);
    const crash = (name: string): WorkloadEvidence => ({
      ...running(400),
      ...job(name),
      events: [],
      pods: [crashing(`${name}-x`)],
      looked: [evidence({ pod: crashing(`${name}-x`) })],
    });
    expect(found(cron({ jobs: ['tidy-2', 'tidy-1'].map(crash) }))).toEqual([
      'exit-code: 2 jobs (tidy-2 and tidy-1): container web ends with exit code 3',
    ]);
  });

  it('waits for the job before, whose trouble is named', () => {
    const active = event('JobAlreadyActive', 'Not starting job because prior execution is running', { seconds: 60 });
    const given = cron({ events: [active], jobs: [running(400)] }, { concurrencyPolicy: 'Forbid' });
    expect(found(given)).toContain(
      'job-still-active: cronjob/tidy starts no further job while job tidy-1 runs (concurrencyPolicy Forbid), which has taken 6m40s',
    );
    const allowed = cron({ events: [active], jobs: [running(400)] }, { concurrencyPolicy: 'Allow' });
    expect(found(allowed).some((text) => text.startsWith('job-still-active'))).toBe(false);
    // Its event may be forgotten.
    const silent = cron({ jobs: [running(700)] }, { concurrencyPolicy: 'Forbid' });
    expect(found(silent)[1]).toMatch(/^job-still-active: /);
    const younger = cron({ events: [active], jobs: [running(30)] }, { concurrencyPolicy: 'Forbid' });
    expect(found(younger).some((text) => text.startsWith('job-still-active'))).toBe(false);
  });
});

describe('a cron job that waits for a job at which nothing fails', () => {
  const says = (lines: readonly string[], container: object = {}): string | undefined => {
    const own = pod({ name: 'tidy-1-x', container });
    const active: WorkloadEvidence = {
      ...workload([own], { parallelism: 1, completions: 1 }),
      looked: [evidence({ pod: own, logs: { web: { current: lines } } })],
      workload: {
        kind: 'Job',
        metadata: { name: 'tidy-1', namespace: 'shop', uid: 'j', creationTimestamp: ago(400) },
        spec: { template: {} },
      },
    };
    const { findings } = diagnoseCronJob({
      now: NOW,
      cronJob: {
        metadata: { name: 'tidy', namespace: 'shop', creationTimestamp: ago(9000) },
        spec: { schedule: '* * * * *', concurrencyPolicy: 'Forbid', jobTemplate: {} },
        status: { lastScheduleTime: ago(400), lastSuccessfulTime: ago(460) },
      },
      events: [],
      jobs: [active],
      notLookedAt: [],
      namespaceFlag: '',
    });
    return findings.find(({ id }) => id === 'job-still-active')?.says;
  };
  const peer = { env: [{ name: 'ERP_URL', value: 'http://erp:8080/export' }] };

  it.each<[string, string | undefined, RegExp]>([
    [
      'with what that said last',
      says(['starting', 'fetching http://erp:8080/export']),
      /which has taken 6m40s; the last that its container web said: fetching http:\/\/erp:8080\/export$/,
    ],
    [
      'with the peer that its specification names',
      says(['loading rates ...'], peer),
      /; the last that its container web said: loading rates; its variable ERP_URL names erp:8080$/,
    ],
    [
      'with that peer alone, where it has said nothing',
      says([], peer),
      /which has taken 6m40s; of its container web, its variable ERP_URL names erp:8080$/,
    ],
    ['with nothing, where nothing is known', says([]), /which has taken 6m40s$/],
    [
      'without a secret',
      says(['fetching http://sync:hunter2@erp:8080/export']),
      /fetching http:\/\/\*\*\*@erp:8080\/export$/,
    ],
  ])('is told %s', (_, given, expected) => {
    expect(given).toMatch(expected);
  });
});

describe('a cron job of which no job succeeds', () => {
  const running = (seconds: number): WorkloadEvidence => ({
    ...workload([pod({ name: 'tidy-1-x' })], { parallelism: 1, completions: 1 }),
    workload: {
      kind: 'Job',
      metadata: { name: 'tidy-1', namespace: 'shop', uid: 'j', creationTimestamp: ago(seconds) },
      spec: { template: {} },
    },
  });
  const removed = event('SuccessfulDelete', 'Deleted job tidy-0', { seconds: 30, count: 3 });
  const told = (policy: string, given: Partial<CronJobEvidence>, status: object = {}): readonly string[] =>
    diagnoseCronJob({
      now: NOW,
      cronJob: {
        metadata: { name: 'tidy', namespace: 'shop', creationTimestamp: ago(9000) },
        spec: { schedule: '* * * * *', concurrencyPolicy: policy, jobTemplate: {} },
        status: { lastScheduleTime: ago(20), ...status },
      },
      events: [],
      jobs: [running(20)],
      notLookedAt: [],
      namespaceFlag: '',
      ...given,
    }).findings.map(({ id, says }) => `${id}: ${says}`);

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'because each is replaced by the next',
      told('Replace', { events: [removed] }),
      [
        'job-replaced: cronjob/tidy never completes a job: concurrencyPolicy Replace ends each run after 60s, when the next one is due (3 and more ended so)',
      ],
    ],
    [
      'for some starts, and nothing says why',
      told('Allow', {}),
      [
        'no-success: cronjob/tidy has never succeeded, although it starts a job each 60s, and 1 job of it runs, the oldest for 20s',
      ],
    ],
    ['but lately', told('Allow', {}, { lastSuccessfulTime: ago(90) }), []],
    [
      'but lately, although one was replaced',
      told('Replace', { events: [removed] }, { lastSuccessfulTime: ago(25) }),
      [],
    ],
  ])('%s', (_, found, wanted) => {
    expect(found).toEqual(wanted);
  });
});

describe('the volume of a claim', () => {
  const claim = (usage?: VolumeUsage): ClaimSubjectEvidence => ({
    now: NOW,
    namespace: 'shop',
    claim: {
      name: 'data',
      missing: false,
      claim: {
        metadata: { name: 'data', creationTimestamp: ago(900) },
        spec: { volumeName: 'pv-1', resources: { requests: { storage: '1Gi' } } },
        status: { phase: 'Bound', capacity: { storage: '1Gi' } },
      },
      volume: { metadata: { name: 'pv-1' } },
      events: [],
    },
    users: ['db-0'],
    ...(usage === undefined ? {} : { usage }),
    notLookedAt: [],
    namespaceFlag: '',
  });
  const Gi = 1024 ** 3;
  it.each<[string, VolumeUsage | undefined, readonly string[]]>([
    [
      'full',
      { capacityBytes: Gi, availableBytes: 1024 },
      ['claim-full: the volume of claim data is full: 1Ki of 1Gi are free; 1 pod uses it: db-0'],
    ],
    [
      'full of files',
      { capacityBytes: Gi, availableBytes: Gi / 2, inodes: 1000, inodesFree: 0 },
      ['claim-full: the volume of claim data is full: all but 0 of its 1000 inodes are used; 1 pod uses it: db-0'],
    ],
    [
      'nearly full',
      { capacityBytes: 100 * Gi, availableBytes: 8 * Gi },
      ['claim-nearly-full: the volume of claim data is nearly full: 8Gi of 100Gi are free; 1 pod uses it: db-0'],
    ],
    ['half full', { capacityBytes: Gi, availableBytes: Gi / 2 }, []],
    ['of an unknown size', { usedBytes: 7 }, []],
    ['that nobody measured', undefined, []],
  ])('%s', (_, usage, wanted) => {
    expect(diagnoseClaim(claim(usage)).findings.map(({ id, says }) => `${id}: ${says}`)).toEqual(wanted);
  });
});

describe('one whom others need', () => {
  const WAITS = Array.from({ length: 6 }, (_, at) => [
    `${ago(50 - at)} [12${at}] shop@shop LOG:  process 12${at} still waiting for AccessShareLock on relation 16387 of database 16385 after 1000.254 ms`,
    `${ago(50 - at)} [12${at}] shop@shop DETAIL:  Process holding the lock: 60. Wait queue: 12${at}.`,
  ]).flat();
  const running = (name: string, container: object): Pod =>
    pod({
      name: `${name}-1`,
      metadata: { labels: { app: name } },
      container,
      status: { state: { running: { startedAt: ago(300) } } },
    });
  const of = (one: Pod, name: string, given: object): WorkloadEvidence => {
    const object = {
      kind: 'Deployment',
      metadata: { name, namespace: 'shop', uid: name, creationTimestamp: ago(3600) },
      spec: { replicas: 1 },
    } as WorkloadObject;
    return {
      now: NOW,
      workload: object,
      events: [],
      pods: [one],
      looked: [evidence({ pod: one, owners: [object], ...given })],
      notLookedAt: [],
      namespaceFlag: '',
    };
  };
  const db = (): WorkloadEvidence => of(running('db', {}), 'db', { logs: { web: { current: WAITS } } });
  const front = (): WorkloadEvidence =>
    of(running('front', { env: [{ name: 'DB_HOST', value: 'db' }] }), 'front', {
      logs: {
        web: { current: Array.from({ length: 12 }, () => 'ERROR: canceling statement due to statement timeout') },
      },
      services: [
        {
          namespace: 'shop',
          name: 'db',
          missing: false,
          clusterIPs: ['10.96.0.9'],
          ports: [5432],
          ready: 1,
          notReady: 0,
          selector: { app: 'db' },
        },
      ],
    });
  it('comes first, and is as severe as what follows from it', () => {
    const found = headlines(group({ workloads: [front(), db()] }));
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^warning fails-again: deployment\/db: .*wait for a lock.*process 60 holds it$/);
    expect(found[1]).toMatch(
      /^warning fails-again: deployment\/front: .*statement timeout.*; it needs deployment\/db, of which is told above$/,
    );
  });
  it('is told with the queue that nobody else names', () => {
    const env = (queue: string, value: string): object => ({
      env: [
        { name: 'REDIS_HOST', value: 'redis' },
        { name: queue, value },
      ],
    });
    const api = of(running('api', env('ORDERS_QUEUE', 'orders.v2')), 'api', {
      logs: {
        web: {
          current: Array.from({ length: 6 }, () => 'ERROR celery.exceptions.TimeoutError: The operation timed out.'),
        },
      },
    });
    const worker = of(running('worker', env('WORK_QUEUE', 'orders')), 'worker', {});
    expect(headlines(group({ workloads: [api, worker] }))[0]).toMatch(
      /operation timed out.*; its variable ORDERS_QUEUE is "orders\.v2", which no other pod here names; pod worker-1, which uses redis as well, has "orders" \(its variable WORK_QUEUE\)$/,
    );
  });
  it('is not named where it is well', () => {
    const [only, ...more] = headlines(group({ workloads: [front()] }));
    expect(more).toEqual([]);
    expect(only).not.toMatch(/told above/);
  });
});
