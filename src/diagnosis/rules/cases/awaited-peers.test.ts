/** Tests what is said of pods that wait for others, by their commands, probes and environment: and of pods that wait for each other. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, event, evidence, pod, waiting } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { environmentOf } from '../../facts/variables/environment.ts';
import { awaitedPeers, awaitedThing, environmentPeers } from '../../facts/peers/spec-peers.ts';
import { namedServicesOf } from '../../wanted.ts';

const service = (name: string, given: Partial<ServiceEvidence> = {}): ServiceEvidence => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: ['10.0.0.7'],
  ports: [80, 5432],
  ready: 0,
  notReady: 1,
  ...given,
});
const init = (command: readonly string[], seconds = 20, lines: readonly string[] = []): Partial<PodEvidence> => ({
  pod: pod({
    metadata: { creationTimestamp: ago(seconds + 2), labels: { app: 'a' } },
    spec: { initContainers: [{ name: 'wait', image: 'busybox', command: [...command] }] },
    status: waiting('PodInitializing'),
    podStatus: {
      phase: 'Pending',
      initContainerStatuses: [
        {
          name: 'wait',
          ready: false,
          restartCount: 0,
          image: 'busybox',
          imageID: 'i',
          state: { running: { startedAt: ago(seconds) } },
        },
      ],
    },
  }),
  logs: { wait: { current: lines } },
});
const says = (given: Partial<PodEvidence>) =>
  diagnosePod(evidence(given)).findings.map((one) => `${one.id}: ${one.says}`);
const LOOP = ['sh', '-c', 'until nc -z db 5432; do sleep 2; done'];

describe('a command that waits', () => {
  it.each<[string, readonly string[], string[]]>([
    ['nc', LOOP, ['db:5432']],
    ['nc with flags', ['sh', '-c', 'while ! nc -w 2 -z db.shop 5432; do sleep 1; done'], ['db.shop:5432']],
    ['bash', ['bash', '-c', 'until (echo > /dev/tcp/db/5432) 2>/dev/null; do sleep 1; done'], ['db:5432']],
    ['pg_isready', ['sh', '-c', 'until pg_isready -h db -p 5432; do sleep 1; done'], ['db:5432']],
    [
      'nslookup',
      ['sh', '-c', 'until nslookup db.shop.svc.cluster.local; do sleep 2; done'],
      ['db.shop.svc.cluster.local'],
    ],
    ['wget', ['sh', '-c', 'until wget -qO- http://api:8080/ready; do sleep 2; done'], ['api:8080']],
    ['wait-for-it', ['./wait-for-it.sh', 'db:5432', '--', 'true'], ['db:5432']],
    ['quoted words', ['sh', '-c', `while ! nc -z "db" '5432'; do sleep 1; done`], ['db:5432']],
    ['long options', ['sh', '-c', 'until pg_isready --host=db --port "5432"; do sleep 1; done'], ['db:5432']],
    ['a variable of the script', ['sh', '-c', 'H=mq; P=5672\nuntil nc -z "$H" "$P"; do sleep 1; done'], ['mq:5672']],
    ['a default', ['sh', '-c', 'until nc -z "${DB_HOST:-db}" "${DB_PORT:-5432}"; do sleep 1; done'], ['db:5432']],
    ['ncat with options', ['sh', '-c', 'until ncat -w2 --send-only db 5432 </dev/null; do sleep 1; done'], ['db:5432']],
    [
      'Python',
      [
        'python3',
        '-c',
        'import socket\nwhile True:\n  try: socket.create_connection(("db", 5432)); break\n  except OSError: pass',
      ],
      ['db:5432'],
    ],
    ['no loop', ['sh', '-c', 'wget http://api:8080/data.tgz && tar xf data.tgz'], []],
  ])('%s', (_, command, peers) => {
    expect(
      awaitedPeers({ name: 'a', command: [...command] }).map(({ host, port }) =>
        port === undefined ? host : `${host}:${port}`,
      ),
    ).toEqual(peers);
  });

  it('for something else than a peer', () => {
    expect(awaitedThing({ name: 'a', command: ['sh', '-c', 'until [ -f /shared/ready ]; do sleep 1; done'] })).toBe(
      '/shared/ready',
    );
    expect(awaitedThing({ name: 'a', command: ['kubectl', 'wait', '--for=condition=complete', 'job/migrate'] })).toBe(
      'job/migrate',
    );
    expect(awaitedThing({ name: 'a', command: ['cat', '/etc/hosts'] })).toBeUndefined();
  });

  it('fills in variables, and keeps no password', () => {
    const env = [
      { name: 'DB_HOST', value: 'db' },
      { name: 'DB_PORT', value: '5432' },
      { name: 'URL', value: 'amqp://user:secret@mq:5672/v' },
    ];
    const command = ['sh', '-c', 'until nc -z $DB_HOST ${DB_PORT}; do sleep 1; done'];
    expect(awaitedPeers({ name: 'a', env, command })).toMatchObject([{ host: 'db', port: 5432 }]);
    for (const loop of [
      'until nc -z -w 2 "$DB_HOST" "${DB_PORT}" 2>/dev/null; do echo "$(date +%T) not up yet"; sleep 2; done',
      'until pg_isready -q -h "$DB_HOST" -p "$DB_PORT"; do sleep 1; done',
      'until </dev/tcp/"$DB_HOST"/"$DB_PORT"; do sleep 1; done',
      'while ! timeout 1 bash -c "</dev/tcp/${DB_HOST:-x}/$DB_PORT"; do sleep 1; done',
      'python3 -c \'while True:\n try: connect((os.environ["DB_HOST"], int(os.environ["DB_PORT"]))); break\n except OSError: pass\'',
      'ruby -e \'until (TCPSocket.new(ENV.fetch("DB_HOST"), ENV["DB_PORT"]) rescue nil) do sleep 1 end\'',
    ])
      expect(awaitedPeers({ name: 'a', env, command: ['sh', '-c', loop] }), loop).toMatchObject([
        { host: 'db', port: 5432 },
      ]);
    expect(environmentPeers(environmentOf({ name: 'a', env }))).toEqual([
      { host: 'db', port: 5432, at: 'env[0] (DB_HOST)' },
      { host: 'mq', port: 5672, at: 'env[2] (URL)' },
    ]);
  });
});

describe('an init container that says nothing', () => {
  it('waits for the peer of its command, whose service is told', () => {
    expect(namedServicesOf(evidence(init(LOOP)))).toEqual([{ namespace: 'shop', name: 'db' }]);
    const given = { ...init(LOOP), services: [service('db', { notReady: 0 })] };
    expect(says(given)).toEqual([
      'init-waits: init container wait has waited for db:5432 for 20s, and the containers after it wait for its end: service db has no endpoint that is ready',
    ]);
  });

  it('waits for a service that does not exist', () => {
    expect(says({ ...init(LOOP), services: [service('db', { missing: true, notReady: 0 })] })).toEqual([
      expect.stringMatching(/for db:5432 for 20s.*: there is no service db$/),
    ]);
  });

  it.each<[string, readonly string[], ServiceEvidence, RegExp]>([
    [
      'a port that its service does not have',
      LOOP,
      service('db', { ready: 1, ports: [5433] }),
      /for db:5432 for 20s.*: service db has no port 5432, but 5433$/,
    ],
    [
      'a namespace that does not exist',
      ['sh', '-c', 'until nc -z db.dta 5432; do sleep 2; done'],
      service('db', { namespace: 'dta', missing: true, noNamespace: true, similarNamespaces: ['data'] }),
      /for db\.dta:5432 for 20s.*: there is no namespace dta; there is data$/,
    ],
    [
      'a name that may be one outside',
      ['sh', '-c', 'until nc -z db.example 5432; do sleep 2; done'],
      service('db', { namespace: 'example', missing: true, noNamespace: true }),
      /for db\.example:5432 for 20s, and the containers after it wait for its end$/,
    ],
  ])('waits for %s', (_, command, given, text) => {
    expect(says({ ...init(command), services: [given] })).toEqual([expect.stringMatching(text)]);
  });

  it('waits for an address that no service has', () => {
    const given = init(['sh', '-c', 'until nc -z 10.96.7.7 5432; do sleep 2; done']);
    expect(says({ ...given, unservedAddresses: ['10.96.7.7'] })).toEqual([
      expect.stringMatching(/for 10\.96\.7\.7:5432 for 20s.*: no service has the address 10\.96\.7\.7$/),
    ]);
  });

  it.each<[string, readonly string[], { name: string; value: string }[], readonly string[], RegExp]>([
    [
      'the loop names in quotes',
      [
        'sh',
        '-c',
        'until nc -z -w 2 "$PG_HOST" 5432 2>/dev/null; do echo "$(date +%T) database not up yet"; sleep 2; done',
      ],
      [{ name: 'PG_HOST', value: 'pgg' }],
      ['09:48:13 database not up yet'],
      /for pgg:5432 for 20s.*: there is no service pgg, which its variable PG_HOST names; there is pg: .*database not up yet$/,
    ],
    [
      'only a script of the image knows, which waits with words of its own',
      ['/wait.sh'],
      [{ name: 'PG_HOST', value: 'pgg' }],
      ['waiting for the database'],
      /for pgg for 20s.*: there is no service pgg, which its variable PG_HOST names; there is pg: waiting for the database$/,
    ],
  ])('waits for a host of a variable that %s', (_, command, env, lines, text) => {
    const given = init(command, 20, lines);
    given.pod?.spec?.initContainers?.forEach((each) => Object.assign(each, { env }));
    expect(namedServicesOf(evidence(given))).toEqual([{ namespace: 'shop', name: 'pgg' }]);
    const services = [service('pgg', { missing: true, notReady: 0, similar: ['pg'] })];
    expect(says({ ...given, services })).toEqual([expect.stringMatching(text)]);
  });

  it('waits for what a query finds, of a server whose service is well: the Job is told', () => {
    const given = init(
      ['sh', '-c', 'until psql -Atc "select max(v) from versions"; do echo "waiting for migrations"; sleep 3; done'],
      20,
      ['waiting for migrations'],
    );
    given.pod?.spec?.initContainers?.forEach((each) => Object.assign(each, { env: [{ name: 'PGHOST', value: 'pg' }] }));
    const failedJob = { name: 'migrate', says: 'container m is not allowed: permission denied for schema public' };
    expect(says({ ...given, services: [service('pg', { ready: 1 })], failedJob })).toEqual([
      expect.stringMatching(
        /for pg for 20s.*: waiting for migrations; job\/migrate, .* has failed: .* permission denied for schema public$/,
      ),
    ]);
  });

  it('waits with its own words beside variables of services that are well', () => {
    const given = init(['/wait.sh'], 20, ['waiting for the database']);
    given.pod?.spec?.initContainers?.forEach((each) =>
      Object.assign(each, { env: [{ name: 'PG_HOST', value: 'pg' }] }),
    );
    expect(says({ ...given, services: [service('pg', { ready: 1 })] })).toEqual([
      expect.stringMatching(
        /has waited for 20s, and the containers after it wait for its end: waiting for the database$/,
      ),
    ]);
  });

  it('waits for a file', () => {
    expect(says(init(['sh', '-c', 'until [ -f /shared/ready ]; do sleep 1; done']))).toEqual([
      expect.stringMatching(/^init-waits: .*for \/shared\/ready for 20s/),
    ]);
  });

  it.each<[string, Partial<PodEvidence>]>([
    ['has only begun', init(LOOP, 5)],
    ['works', init(['sh', '-c', 'tar xf /data.tgz'], 60)],
    ['waited, and goes on', init(LOOP, 60, ['db is up', 'copying'])],
  ])('is well when it %s', (_, given) => {
    expect(says(given)).toEqual([]);
  });
});

describe('init containers that wait for each other', () => {
  const behind = { pod: 'b-1', container: 'wait-a', services: [{ namespace: 'shop', name: 'a' }] };
  const own = { pod: 'web-1', container: 'wait', services: [{ namespace: 'shop', name: 'b' }] };
  const a = service('a', { selector: { app: 'a' }, waiting: [own] });
  const b = service('b', { selector: { app: 'b' }, waiting: [behind] });
  const toB = init(['sh', '-c', 'until nc -z b 80; do sleep 1; done']);

  it('are told as a deadlock', () => {
    expect(says({ ...toB, services: [b, a] })[0]).toBe(
      'init-deadlock: init container wait of pod web-1 waits for service b, whose pod b-1 waits in its init container wait-a for service a, which is of pod web-1: they wait for each other, and none ever starts',
    );
  });

  it('also over a third, and of a single pod that waits for itself', () => {
    const viaC = { ...behind, services: [{ namespace: 'shop', name: 'c' }] };
    const c = service('c', {
      waiting: [{ pod: 'c-1', container: 'wait-a', services: [{ namespace: 'shop', name: 'a' }] }],
    });
    expect(says({ ...toB, services: [service('b', { waiting: [viaC] }), c, a] })[0]).toMatch(
      /service b, .* service c, .* service a/,
    );
    const self = service('b', { selector: { app: 'a' }, waiting: [own] });
    expect(says({ ...toB, services: [self] })[0]).toMatch(/init-deadlock: .*service b, which is of its own pod web-1/);
  });

  it.each<[string, readonly ServiceEvidence[]]>([
    ['one of them is ready', [{ ...b, ready: 1 }, a]],
    ['another pod of the service only starts', [{ ...b, notReady: 2 }, a]],
    ['the other waits for something else', [service('b', { waiting: [{ ...behind, services: [] }] }), a]],
  ])('are no deadlock when %s', (_, services) => {
    expect(says({ ...toB, services }).join()).not.toContain('deadlock');
  });
});

describe('a container that is not ready for what it depends on', () => {
  const unready = (container: object, message: string, labels = {}): Partial<PodEvidence> => ({
    pod: pod({
      container,
      metadata: { labels },
      status: { ready: false, state: { running: { startedAt: ago(300) } } },
    }),
    events: [event('Unhealthy', message, { container: 'web', count: 20, first: 280, seconds: 5 })],
  });
  const exec = { readinessProbe: { exec: { command: ['check'] } } };
  const http = {
    readinessProbe: { httpGet: { path: '/ready', port: 80 } },
    env: [{ name: 'DATABASE_URL', value: 'postgres://app:pw@db:5432/x' }],
  };

  it('by what its probe says', () => {
    const given = unready(exec, 'Readiness probe failed: dial tcp: connect to db:5432: connection refused');
    expect(namedServicesOf(evidence(given))).toEqual([{ namespace: 'shop', name: 'db' }]);
    expect(says({ ...given, services: [service('db')] })[0]).toMatch(
      /^dependency-refused: container web is not ready: its readiness probe is refused by db:5432: service db has no endpoint that is ready/,
    );
  });

  it('by its environment, when the probe gives a bare 503', () => {
    const given = unready(http, 'Readiness probe failed: HTTP probe failed with statuscode: 503');
    const [first, ...others] = says({ ...given, services: [service('db')] });
    expect(first).toBe(
      'dependency-not-ready: container web is not ready, and service db, which its variable DATABASE_URL names, has no endpoint that is ready',
    );
    expect(others).toEqual([]);
  });

  it.each([
    'Readiness probe failed: Get "http://10.0.0.9:80/ready": context deadline exceeded (Client.Timeout exceeded)',
    'Readiness probe failed: Get "http://10.0.0.9:80/ready": dial tcp 10.0.0.9:80: connect: connection refused',
  ])('by its environment, whatever its probe gives: %s', (output) => {
    expect(says({ ...unready(http, output), services: [service('db')] })).toEqual([
      'dependency-not-ready: container web is not ready, and service db, which its variable DATABASE_URL names, has no endpoint that is ready',
    ]);
  });

  it('with the reason why nobody is behind it', () => {
    const given = unready(http, 'Readiness probe failed: HTTP probe failed with statuscode: 503');
    const db = (nobody: ServiceEvidence['nobody']) => service('db', { notReady: 0, selector: { app: 'db' }, nobody });
    expect(says({ ...given, services: [db({ scaledToZero: ['deployment/db'] })] })[0]).toMatch(
      /service db, which its variable DATABASE_URL names, has no endpoint that is ready, because deployment\/db is scaled to 0$/,
    );
    expect(says({ ...given, services: [db({ scaledToZero: [], unlabelled: true })] })[0]).toMatch(
      /has no endpoint that is ready, because no pod has its labels app=db$/,
    );
    const refused = unready(exec, 'Readiness probe failed: dial tcp: connect to db:5432: connection refused');
    const all = { ...refused, services: [db({ scaledToZero: ['deployment/db', 'statefulset/db'] })] };
    expect(says(all)[0]).toMatch(
      /is refused by db:5432: service db has no endpoint that is ready, because deployment\/db and statefulset\/db are scaled to 0$/,
    );
    expect(diagnosePod(evidence(all)).findings[0]?.try[0]).toBe('kubectl scale deployment/db --replicas=1 -n shop');
  });

  it.each<[string, ServiceEvidence]>([
    ['is ready', service('db', { ready: 1, ports: [5432] })],
    ['is its own', service('db', { selector: { app: 'web' } })],
    ['is only another name', service('db', { ready: 1, externalName: 'db.example' })],
  ])('but not for a service that %s', (_, db) => {
    const given = unready(http, 'Readiness probe failed: HTTP probe failed with statuscode: 503', { app: 'web' });
    expect(says({ ...given, services: [db] })[0]).toMatch(/^readiness-failing/);
  });

  it('nor for its own port', () => {
    const given = unready(exec, 'Readiness probe failed: connect to 127.0.0.1:8080: connection refused');
    expect(says(given)[0]).not.toMatch(/^dependency/);
  });
});
