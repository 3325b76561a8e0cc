import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { Pod, WorkloadObject } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';

const mount = { volumeMounts: [{ name: 'd', mountPath: '/data' }] };
const volumes = [{ name: 'd', persistentVolumeClaim: { claimName: 'kv-data' } }];
const claims: PodEvidence['claims'] = [{ name: 'kv-data', missing: false, events: [] }];
const of = (name: string, hash: string, status: object = {}, uses = volumes): Pod =>
  pod({
    name,
    container: { ...mount, readinessProbe: { httpGet: { path: '/health', port: 2379 } } },
    spec: { volumes: uses },
    metadata: { labels: { app: 'kv', 'pod-template-hash': hash } },
    status,
  });
const unready = { ready: false, state: { running: { startedAt: ago(120) } } };
const old = of('kv-old', 'a');
const deployment = (strategy: object): WorkloadObject => ({
  kind: 'Deployment',
  metadata: { name: 'kv', namespace: 'shop', uid: 'd' },
  spec: { replicas: 1, strategy, selector: {}, template: {} },
});
const waits = (line: string, more: Partial<PodEvidence> = {}): PodEvidence =>
  evidence({
    pod: of('kv-new', 'b', unready),
    logs: { web: { current: ['starting', line] } },
    claims,
    events: [
      event('Unhealthy', 'Readiness probe failed: Get "http://10.1.1.1:2379/health": context deadline exceeded', {
        of: 'kv-new',
        container: 'web',
        count: 30,
        first: 110,
        seconds: 2,
      }),
    ],
    ...more,
  });

const ETCD =
  '{"level":"info","msg":"db file is flocked by another process, or taking too long","path":"/data/etcd/member/snap/db","took":"10.0s"}';

describe('a lock that another pod has', () => {
  it.each<[string, PodEvidence, RegExp]>([
    [
      'an older one of the same rollout, which keeps it',
      waits(ETCD, { owners: [deployment({ type: 'RollingUpdate' })], siblings: [old] }),
      /^container web waits for a lock that another pod has, and is not ready: db file is flocked by another process, or taking too long \(\/data\/etcd\/member\/snap\/db\); pod kv-old has it: both mount claim kv-data, and the rolling update of deployment\/kv keeps the old pod until the new one is ready, which it cannot be \(strategy: Recreate ends the old one first\)$/,
    ],
    [
      'of another workload that has the claim',
      waits('level=warn msg="opening storage: lock DB directory: resource temporarily unavailable"', {
        placement: { pods: [of('other-1', 'x')] },
      }),
      /; pod other-1 has it: both mount claim kv-data$/,
    ],
    [
      'of nobody who is known',
      waits('database is locked'),
      /^container web waits for a lock that another process has, and is not ready: database is locked$/,
    ],
    [
      'for which it ends',
      waits('', {
        pod: of('kv-new', 'b', crashed({ exitCode: 1 })),
        events: [],
        logs: lastWords('[ERROR] [InnoDB] Unable to lock ./ibdata1 error: 11'),
        owners: [deployment({})],
        siblings: [old],
      }),
      /finds a lock that says that another process uses its data: .*Unable to lock \.\/ibdata1 error: 11; pod kv-old has it: both mount claim kv-data, and the rolling update/,
    ],
  ])('%s', (_, given, says) => {
    const { findings } = diagnosePod(given);
    expect(findings[0]).toMatchObject({ id: 'already-running', severity: 'critical' });
    expect(findings[0]?.says).toMatch(says);
    // More time for its probe would not help.
    expect(findings.map(({ id }) => id)).not.toContain('probe-timeout');
  });

  it.each<[string, string]>([
    [
      'MariaDB',
      "2026-01-31 11:59:42 0 [ERROR] mariadbd: Got error 'Could not get an exclusive lock; file is probably in use by another process' when trying to use aria control file '/data/aria_log_control'",
    ],
    ['MariaDB', "[ERROR] mariadbd: Can't lock aria control file '/data/aria_log_control' for exclusive use, error: 11"],
    ['SQLite', 'sqlite3.OperationalError: database is locked'],
    [
      'H2',
      'org.h2.jdbc.JdbcSQLNonTransientConnectionException: Database may be already in use: "/data/app.mv.db". Possible solutions: close all other connection(s); use the server mode [90020-214]',
    ],
    ['H2', 'Caused by: org.h2.mvstore.MVStoreException: The file is locked: /data/app.mv.db [2.1.214/7]'],
    ['Derby', 'ERROR XSDB6: Another instance of Derby may have already booted the database /data/store.'],
    [
      'HSQLDB',
      'java.sql.SQLException: Database lock acquisition failure: lockFile: org.hsqldb.persist.LockFile@1[/data/db.lck]',
    ],
    ['RocksDB', 'IO error: While lock file: /data/LOCK: Resource temporarily unavailable'],
    ['LevelDB', 'Error: IO error: lock /data/LOCK: Resource temporarily unavailable'],
    [
      'OpenSearch',
      'java.lang.IllegalStateException: failed to obtain node locks, tried [[/data]]; maybe these locations are not writable or multiple nodes were started without increasing [node.max_local_storage_nodes]',
    ],
    ['Solr', "Index dir '/data/core/index/' of core 'core' is already locked."],
    [
      'Kafka',
      'org.apache.kafka.common.KafkaException: Failed to acquire lock on file .lock in /data/kafka. A Kafka instance in another process or thread is using this directory.',
    ],
    [
      'Neo4j',
      'Lock file has been locked by another process: /data/databases/store_lock. Please ensure no other process is using this database',
    ],
    ['Bitcoin', 'Error: Cannot obtain a lock on data directory /data. Bitcoin Core is probably already running.'],
    ['IPFS', 'Error: lock /data/repo.lock: someone else has the lock'],
  ])('%s ends for it: %s', (_, line) => {
    const given = waits('', {
      pod: of('kv-new', 'b', crashed({ exitCode: 1 })),
      events: [],
      logs: lastWords(line),
      owners: [deployment({})],
      siblings: [old],
    });
    const [first] = diagnosePod(given).findings;
    expect(first?.id).toBe('already-running');
    expect(first?.says).toMatch(/; pod kv-old has it: both mount claim kv-data, and the rolling update .*Recreate/);
  });

  it.each([
    'ERROR: could not obtain lock on row in relation "orders"',
    'ERROR: could not obtain exclusive lock on row in relation "orders"',
    'deadlock detected: Process 1 waits for ShareLock on transaction 7',
    'the account is locked: too many logins of ann',
  ])('is not meant by %s', (line) => {
    const given = waits('', {
      pod: of('kv-new', 'b', crashed({ exitCode: 1 })),
      events: [],
      logs: lastWords(line),
      owners: [deployment({})],
      siblings: [old],
    });
    expect(diagnosePod(given).findings[0]?.says).not.toContain('kv-old has it');
  });

  it('offers the strategy that ends the old pod first', () => {
    const given = waits(ETCD, { owners: [deployment({})], siblings: [old] });
    expect(diagnosePod(given).findings[0]?.try[0]).toMatch(/^kubectl patch deployment\/kv -p .*Recreate/);
  });

  it.each<[string, PodEvidence]>([
    ['that is ready', waits(ETCD, { pod: of('kv-new', 'b'), events: [] })],
    ['that has said more since', waits('x', { logs: { web: { current: [ETCD, ...Array(8).fill('working on it')] } } })],
  ])('is no matter for a container %s', (_, given) => {
    expect(diagnosePod(given).findings.map(({ id }) => id)).not.toContain('already-running');
  });
});
