/** Tests that the finding about a probe tells the cause that the log has beside, below or before its generic words. */
import { ago, event, pod } from '../evidence.fixtures.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
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

tellsEach([
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
    /there is nothing at \/ready \(404\), and its log says that an application was not loaded: One or more listeners failed to start/,
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
    /there is nothing at \/ready \(404\)$/,
  ],
]);
