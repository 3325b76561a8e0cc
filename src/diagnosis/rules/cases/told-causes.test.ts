/** Tests that the finding about a probe tells the cause that the log has beside, below or before its generic words. */
import { ago, crashed, event, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { tellsEach } from './cases.fixtures.ts';

interface Given {
  readonly output?: string;
  readonly lines: readonly string[];
  readonly container?: object;
  readonly age?: number;
  readonly volumes?: readonly object[];
}

/** A container that has run for a minute and is not ready, because its probe is answered so. */
function unready({
  output = 'HTTP probe failed with statuscode: 503',
  lines,
  container,
  age = 60,
  volumes,
}: Given): Partial<PodEvidence> {
  const probe = { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5 };
  const one = pod({
    container: { readinessProbe: probe, ...container },
    spec: { volumes },
    status: { ready: false, state: { running: { startedAt: ago(age) } } },
  });
  const conditions = ['ContainersReady', 'Ready'].map((type) => ({
    type,
    status: 'False',
    lastTransitionTime: ago(age),
  }));
  return {
    pod: { ...one, status: { ...one.status, conditions } },
    events: [
      event('Unhealthy', `Readiness probe failed: ${output}`, { container: 'web', seconds: 3, first: 55, count: 12 }),
    ],
    logs: { web: { current: lines } },
  };
}

const again = (...lines: readonly string[]): readonly string[] => Array.from({ length: 6 }, () => lines).flat();
const PKIX = [
  'Jan 31, 2026 11:59:00 AM com.acme.Feed main',
  'SEVERE: rates provider handshake failed',
  'java.lang.RuntimeException: status call failed',
  '\tat Feed.main(Feed.java:6)',
  'Caused by: javax.net.ssl.SSLHandshakeException: (certificate_unknown) PKIX path building failed: sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid certification path to requested target',
  '\tat java.base/sun.security.ssl.Alert.createSSLException(Alert.java:131)',
  '\t... 1 more',
  'Caused by: sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid certification path to requested target',
  '\tat java.base/sun.security.provider.certpath.SunCertPathBuilder.build(SunCertPathBuilder.java:148)',
  '\t... 22 more',
];
const TOMCAT = [
  '31-Jan-2026 12:00:34.366 SEVERE [main] org.apache.catalina.core.StandardContext.startInternal One or more listeners failed to start. Full details will be found in the appropriate container log file',
  '31-Jan-2026 12:00:34.374 SEVERE [main] org.apache.catalina.core.StandardContext.startInternal Context [] startup failed due to previous errors',
  '31-Jan-2026 12:00:34.394 INFO [main] org.apache.catalina.startup.Catalina.start Server startup in [1056] milliseconds',
];

const CONNECTOR = [
  '31-Jan-2026 11:59:06.700 SEVERE [main] org.apache.catalina.util.LifecycleBase.handleSubClassException Failed to initialize component [Connector["https-jsse-nio-9443"]]',
  '\torg.apache.catalina.LifecycleException: Protocol handler initialization failed',
  '\t\tat org.apache.catalina.connector.Connector.initInternal(Connector.java:1085)',
  '\tCaused by: java.lang.IllegalArgumentException: Error creating SSLContext',
  '\t\t... 13 more',
  '\tCaused by: java.io.IOException: keystore password was incorrect',
  '\t\tat java.base/sun.security.pkcs12.PKCS12KeyStore.engineLoad(PKCS12KeyStore.java:2160)',
  '\tCaused by: java.security.UnrecoverableKeyException: failed to decrypt safe contents entry: javax.crypto.BadPaddingException: Given final block not properly padded.',
  '\t\t... 29 more',
  '31-Jan-2026 11:59:09.696 INFO [main] org.apache.catalina.startup.Catalina.start Server startup in [2884] milliseconds',
];
const SERVER_XML =
  '<Server><Connector port="9443"><SSLHostConfig><Certificate certificateKeystoreFile="/stores/web.p12"/></SSLHostConfig></Connector></Server>';
const fromSecret = (name: string, secret: string, key: string): object => ({
  name,
  valueFrom: { secretKeyRef: { name: secret, key } },
});
const ended = (container: object, volumes: readonly object[], ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ container, spec: { volumes }, status: crashed({ exitCode: 1, lived: 0.4 }) }),
  logs: lastWords(...lines),
});

const NO_ANSWER =
  'Get "http://10.0.0.9:8080/ready": context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

/** A proxy that gets no answer for its probe, with PHP-FPM beside it. */
function beside(lines: readonly string[], others: readonly string[]): Partial<PodEvidence> {
  const given = unready({ output: NO_ANSWER, lines, age: 60 });
  const one = given.pod ?? pod();
  const [own] = one.status?.containerStatuses ?? [];
  const fpm = { name: 'fpm', image: 'registry.example/fpm:1' };
  const fpmStatus = own === undefined ? [] : [own, { ...own, name: 'fpm', ready: true }];
  return {
    ...given,
    pod: {
      ...one,
      spec: { ...one.spec, containers: [...(one.spec?.containers ?? []), fpm] },
      status: { ...one.status, containerStatuses: fpmStatus },
    },
    logs: { ...given.logs, fpm: { current: others } },
  };
}

tellsEach([
  [
    'the password of a key store, whose connector is left out while the server goes on',
    {
      ...unready({
        output: 'Get "http://10.0.0.9:8080/ready": dial tcp 10.0.0.9:8080: connect: connection refused',
        lines: CONNECTOR,
        container: {
          env: [fromSecret('KEYSTORE_PASSWORD', 'web-ks', 'password')],
          volumeMounts: [{ name: 'conf', mountPath: '/conf' }],
        },
        volumes: [{ name: 'conf', configMap: { name: 'web-xml' } }],
      }),
      configs: [
        {
          kind: 'ConfigMap',
          name: 'web-xml',
          state: 'found',
          keys: ['server.xml'],
          texts: { 'server.xml': SERVER_XML },
        },
      ],
    },
    'key-password-wrong',
    /^container web cannot open \/stores\/web\.p12, because the password for it is wrong \(variable KEYSTORE_PASSWORD of Secret web-ks, key password\): java\.io\.IOException: keystore password was incorrect \(Failed to initialize component \[Connector\["https-jsse-nio-9443"\]\]\).*; so nothing listens on port 8080, and it is not ready$/,
  ],
  [
    'the password of a key that Go opens',
    ended(
      { args: ['--tls-key', '/etc/tls/tls.key'] },
      [],
      '2026/01/31 11:59:00 cannot load key: x509: decryption password incorrect',
    ),
    'key-password-wrong',
    /cannot open \/etc\/tls\/tls\.key, because the password for it is wrong: cannot load key: x509: decryption password incorrect/,
  ],
  [
    'of OpenSSL, with the file in the log',
    ended(
      {},
      [],
      '[emerg] 1#1: cannot load certificate key "/etc/tls/tls.key": PEM_read_bio_PrivateKey() failed (SSL: error:1C800064:Provider routines::bad decrypt)',
    ),
    'key-password-wrong',
    /cannot open \/etc\/tls\/tls\.key, because/,
  ],
  [
    'a system call in the context of a structured line, above an error that says less',
    ended(
      { securityContext: { runAsUser: 1000 }, volumeMounts: [{ name: 't', mountPath: '/etc/tls' }] },
      [{ name: 't', secret: { secretName: 'edge-tls', defaultMode: 256 } }],
      '{"severity":"CRITICAL","message":"TLS bootstrap failed","context":{"errno":-13,"syscall":"open","code":"EACCES","path":"/etc/tls/tls.key"}}',
      '/srv/edge.js:3',
      "throw new Error('cannot start listener');",
      '^',
      '',
      'Error: cannot start listener',
      '    at Object.<anonymous> (/srv/edge.js:3:186)',
      '    at node:internal/main/run_main_module:28:49',
    ),
    'permission-denied',
    /may not use \/etc\/tls\/tls\.key as user 1000, as volume t \(Secret edge-tls\) has the mode 0400/,
  ],
  [
    'the detail of a structured line',
    unready({
      lines: again(
        String.raw`{"ts":"2026-01-31T11:59:31.8Z","level":"error","event":"db.connect.failed","service":"stock","detail":"(psycopg2.OperationalError) connection to server at \"pg.data.svc.cluster.local\" (10.96.19.195), port 5432 failed: FATAL:  database \"stock_prod\" does not exist\n\n(Background on this error at: https://sqlalche.me/e/14/e3q8)"}`,
      ),
    }),
    'missing-data',
    /db\.connect\.failed: .*"pg\.data\.svc\.cluster\.local".*database "stock_prod" does not exist; so \/ready on port 8080 answers 503/,
  ],
  [
    'the end of a long error in another field',
    unready({
      lines: again(
        `{"lvl":"E","t":1769860740.5,"m":"tile check failed","upstream":"tiles","x":"HTTPSConnectionPool(host='tiles', port=8443): Max retries exceeded with url: /v2 (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:992)')))"}`,
      ),
    }),
    'certificate-expired',
    /refuses the certificate of tiles:8443, which has expired: tile check failed: .*; so \/ready on port 8080 answers 503/,
  ],
  [
    'the root of a chain',
    unready({ lines: again(...PKIX) }),
    'certificate-not-trusted',
    /whose authority it does not know: \S+: .*unable to find valid certification path to requested target \(rates provider handshake failed\).*; so \/ready on port 8080 answers 503/,
  ],
  [
    'with the only peer that a file of a ConfigMap names',
    {
      ...unready({
        lines: again(...PKIX),
        container: { volumeMounts: [{ name: 'conf', mountPath: '/conf' }] },
        volumes: [{ name: 'conf', configMap: { name: 'feed' } }],
      }),
      configs: [
        {
          kind: 'ConfigMap',
          name: 'feed',
          state: 'found',
          keys: ['application.properties'],
          texts: { 'application.properties': 'rates.url=https://rates:8443/v1\nserver.port=8080\n' },
        },
      ],
    },
    'certificate-not-trusted',
    /refuses the certificate of rates:8443 \(ConfigMap feed, key application\.properties\), whose authority it does not know/,
  ],
  [
    'what the start said, of a request that only points to it',
    unready({
      output: 'HTTP probe failed with statuscode: 500',
      lines: [
        'unable to find "application" callable in file /srv/wsgi.py',
        "unable to load app 0 (mountpoint='') (callable not found or import error)",
        '*** no app loaded. going in full dynamic mode ***',
        'spawned uWSGI worker 1 (pid: 7, cores: 1)',
        ...again('--- no python application found, check your startup logs for errors ---'),
      ],
    }),
    'readiness-failing',
    /answers 500, and its log says: unable to find "application" callable in file \/srv\/wsgi\.py$/,
  ],
  [
    'a page that is not there, as its application was not loaded',
    unready({ output: 'HTTP probe failed with statuscode: 404', lines: TOMCAT }),
    'application-not-loaded',
    /there is nothing at \/ready(?: on port \d+)? \(404\), and its log says that an application was not loaded: One or more listeners failed to start/,
  ],
  [
    'with the class that it lacks',
    unready({
      output: 'HTTP probe failed with statuscode: 404',
      lines: [
        '31-Jan-2026 12:00:34.300 SEVERE [main] org.apache.catalina.core.StandardContext.listenerStart Error configuring application listener of class [com.acme.StartListener]',
        '\tjava.lang.ClassNotFoundException: com.acme.StartListener',
        '\t\tat org.apache.catalina.loader.WebappClassLoaderBase.loadClass(WebappClassLoaderBase.java:1332)',
        ...TOMCAT,
      ],
    }),
    'application-not-loaded',
    /\(404\), and its log says that an application was not loaded: .*com\.acme\.StartListener/,
  ],
  [
    'a page that is not there, of a server that is well',
    unready({ output: 'HTTP probe failed with statuscode: 404', lines: TOMCAT.slice(2) }),
    'probe-path',
    /there is nothing at \/ready(?: on port \d+)? \(404\)$/,
  ],
  [
    'the timeout of workers, and where it is set',
    {
      ...unready({
        output: NO_ANSWER,
        lines: [1, 2, 3, 4].flatMap((pid) => [
          `[2026-01-31 11:59:${pid}0 +0000] [${pid}] [INFO] Booting worker with pid: ${pid}`,
          'INFO:root:loading model from /models/v3',
          `[2026-01-31 11:59:${pid}5 +0000] [1] [CRITICAL] WORKER TIMEOUT (pid:${pid})`,
          `[2026-01-31 11:59:${pid}5 +0000] [${pid}] [INFO] Worker exiting (pid: ${pid})`,
        ]),
        container: { envFrom: [{ configMapRef: { name: 'model-env' } }] },
      }),
      configs: [
        {
          kind: 'ConfigMap',
          name: 'model-env',
          state: 'found',
          keys: ['GUNICORN_CMD_ARGS'],
          texts: { GUNICORN_CMD_ARGS: '--bind=0.0.0.0:8080 --workers=1 --timeout=5' },
        },
      ],
    },
    'worker-timeout',
    /^container web kills its own workers, .*gunicorn's timeout \(--timeout=5 of variable GUNICORN_CMD_ARGS of ConfigMap model-env, key GUNICORN_CMD_ARGS\): WORKER TIMEOUT \(pid:4\); so its readiness probe gets no answer, and it is not ready$/,
  ],
  [
    'by default',
    unready({
      output: NO_ANSWER,
      lines: [1, 2, 3].map((pid) => `[2026-01-31 11:59:${pid}5 +0000] [1] [CRITICAL] WORKER TIMEOUT (pid:${pid})`),
    }),
    'worker-timeout',
    /gunicorn's timeout \(30 s by default\)/,
  ],
  [
    'the workers of another container of its pod, and not what the proxy said in its first second',
    beside(
      [
        '2026/01/31 11:59:01 [error] 6#6: *1 connect() failed (111: Connection refused) while connecting to upstream, client: 10.244.0.1, server: , request: "GET /ready HTTP/1.1", upstream: "fastcgi://127.0.0.1:9000", host: "10.0.0.9:8080"',
      ],
      [
        '[31-Jan-2026 11:59:01] NOTICE: fpm is running, pid 1',
        '[31-Jan-2026 11:59:01] NOTICE: ready to handle connections',
        '[31-Jan-2026 11:59:02] WARNING: [pool www] server reached pm.max_children setting (1), consider raising it',
      ],
    ),
    'workers-busy',
    /^container fpm has no worker left for a request, as all that pm\.max_children allows are busy .*: .*server reached pm\.max_children setting \(1\).*; so its readiness probe gets no answer, and it is not ready$/,
  ],
  [
    'no workers that were busy hours before',
    beside(
      ['2026/01/31 11:59:00 [notice] 1#1: start worker processes'],
      ['[31-Jan-2026 04:59:02] WARNING: [pool www] server reached pm.max_children setting (1), consider raising it'],
    ),
    'probe-timeout',
    /no answer from \/ready on port 8080 within its timeout of 1s \(12 times\)$/,
  ],
  [
    'what the proxy still says',
    beside(
      [1, 21, 41].map(
        (second) =>
          `2026/01/31 11:59:${String(second).padStart(2, '0')} [error] 6#6: *${second} connect() failed (111: Connection refused) while connecting to upstream, client: 10.244.0.1, server: , request: "GET /ready HTTP/1.1", upstream: "fastcgi://127.0.0.1:9000", host: "10.0.0.9:8080"`,
      ),
      ['[31-Jan-2026 11:59:01] NOTICE: fpm is running, pid 1'],
    ),
    'dependency-refused',
    /is refused by 127\.0\.0\.1:9000/,
  ],
]);
