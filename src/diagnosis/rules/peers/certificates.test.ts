/** Tests what is said of certificates that programs refuse, with the words of real programs. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import { type Case, crash, tellsEach } from '../cases/cases.fixtures.ts';

const node = (message: string, code: string): readonly string[] => [
  'node:events:502',
  "      throw er; // Unhandled 'error' event",
  '      ^',
  '',
  message,
  '    at TLSSocket.onConnectSecure (node:_tls_wrap:1679:34)',
  "Emitted 'error' event on ClientRequest instance at:",
  '    at TLSSocket.socketErrorListener (node:_http_client:518:5) {',
  `  code: '${code}'`,
  '}',
  '',
  'Node.js v20.20.2',
];
const java = (...causes: readonly string[]): readonly string[] => [
  'Exception in thread "main" javax.net.ssl.SSLHandshakeException: PKIX path validation failed: java.security.cert.CertPathValidatorException: validity check failed',
  '\tat java.base/sun.security.ssl.Alert.createSSLException(Alert.java:131)',
  'Caused by: java.security.cert.CertPathValidatorException: validity check failed',
  '\tat java.base/sun.security.provider.certpath.PKIXMasterCertPathValidator.validate(PKIXMasterCertPathValidator.java:135)',
  '\t... 23 more',
  ...causes.map((cause) => `Caused by: ${cause}`),
  '\tat java.base/sun.security.x509.CertificateValidity.valid(CertificateValidity.java:277)',
  '\t... 28 more',
];
const withUrl = (value: string, ...lines: readonly string[]) => ({
  pod: pod({ container: { env: [{ name: 'API_URL', value }] }, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(...lines),
});

const certificates: readonly Case[] = [
  [
    'curl: expired',
    crash(60, 'curl: (60) SSL certificate problem: certificate has expired'),
    'certificate-expired',
    /refuses the certificate of its peer, which has expired: curl/,
  ],
  [
    'node: expired, and the environment names the only peer',
    withUrl('https://user:pass@api.shop.svc:8443/v1', ...node('Error: certificate has expired', 'CERT_HAS_EXPIRED')),
    'certificate-expired',
    /refuses the certificate of api\.shop\.svc:8443, which has expired/,
    [/env\[0\] \(API_URL\): api\.shop\.svc:8443/],
  ],
  [
    'node: made for another name',
    crash(
      1,
      ...node(
        "Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames: Host: localhost. is not in the cert's altnames: DNS:db.shop.svc",
        'ERR_TLS_CERT_ALTNAME_INVALID',
      ),
    ),
    'certificate-wrong-name',
    /certificate of localhost, which is made for another host name: .*DNS:db\.shop\.svc/,
  ],
  [
    'python: another name',
    crash(
      1,
      'Traceback (most recent call last):',
      '  File "/app/main.py", line 3, in <module>',
      "urllib.error.URLError: <urlopen error [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: Hostname mismatch, certificate is not valid for 'db.shop.svc'. (_ssl.c:1006)>",
    ),
    'certificate-wrong-name',
    /certificate of db\.shop\.svc, which is made for another host name/,
  ],
  [
    'python: not yet valid, by the clock of its node',
    crash(
      1,
      'Traceback (most recent call last):',
      '  File "/app/main.py", line 3, in <module>',
      'urllib.error.URLError: <urlopen error [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate is not yet valid (_ssl.c:1006)>',
    ),
    'certificate-not-yet-valid',
    /which is not valid yet by the clock of node n1/,
  ],
  [
    'go: expired, with the day',
    crash(
      1,
      '2026/01/31 11:59:00 Get "https://api.shop.svc:8443/": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-01-31T11:59:00Z is after 2025-12-24T00:00:00Z',
    ),
    'certificate-expired',
    /certificate of api\.shop\.svc:8443, which expired on 2025-12-24T00:00:00Z/,
  ],
  [
    'go: a clock that is ahead',
    crash(
      1,
      '2027/01/31 11:59:00 Get "https://api.shop.svc:8443/": x509: certificate has expired or is not yet valid: current time 2027-01-31T11:59:00Z is after 2026-12-24T00:00:00Z',
    ),
    'certificate-expired',
    /which is valid until 2026-12-24T00:00:00Z, so the clock of node n1 is ahead/,
  ],
  [
    'go: a clock that is behind',
    crash(
      1,
      'Get "https://api.shop.svc/": x509: certificate has expired or is not yet valid: current time 1970-01-01T00:03:00Z is before 2025-12-24T00:00:00Z',
    ),
    'certificate-not-yet-valid',
    /certificate of api\.shop\.svc, which is valid since 2025-12-24T00:00:00Z, so the clock of node n1 was behind/,
  ],
  [
    'go: another name',
    crash(
      1,
      'dial: Get "https://localhost:8443/": tls: failed to verify certificate: x509: certificate is valid for db.shop.svc, not localhost',
    ),
    'certificate-wrong-name',
    /certificate of localhost:8443, which is made for another host name/,
  ],
  [
    'go: an authority that it does not know',
    crash(1, 'Get "https://127.0.0.1:8443/": x509: certificate signed by unknown authority'),
    'certificate-not-trusted',
    /certificate of 127\.0\.0\.1:8443, whose authority it does not know/,
  ],
  [
    'java: expired, with the day',
    crash(1, ...java('java.security.cert.CertificateExpiredException: NotAfter: Fri Jan 01 00:00:00 UTC 2021')),
    'certificate-expired',
    /which expired on 2021-01-01T00:00:00Z/,
  ],
  [
    'java: valid only later',
    crash(1, ...java('java.security.cert.CertificateNotYetValidException: NotBefore: Tue Jan 01 00:00:00 UTC 2030')),
    'certificate-not-yet-valid',
    /which is valid only from 2030-01-01T00:00:00Z on/,
  ],
  [
    'java: another name',
    crash(
      1,
      'Exception in thread "main" javax.net.ssl.SSLHandshakeException: No subject alternative DNS name matching localhost found.',
      '\tat java.base/sun.security.ssl.Alert.createSSLException(Alert.java:131)',
      'Caused by: java.security.cert.CertificateException: No subject alternative DNS name matching localhost found.',
      '\t... 18 more',
    ),
    'certificate-wrong-name',
    /certificate of localhost, which is made for another host name/,
  ],
  [
    'self-signed',
    crash(1, ...node('Error: self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT')),
    'certificate-not-trusted',
    /which is signed by itself/,
  ],
];

describe('certificates', () => {
  tellsEach(certificates);

  it.each<[string, readonly string[]]>([
    ['its own file', ['nginx: [emerg] cannot load certificate "/tls/a.crt": PEM_read_bio_X509_AUX() failed']],
    ['a session', ['Error: session has expired for user 4711']],
    ['a token', ['jwt is not yet valid']],
  ])('no certificate of a peer: %s', (_, lines) => {
    const ids = diagnosePod(evidence(crash(1, ...lines))).findings.map(({ id }) => id);
    expect(ids.filter((id) => id.startsWith('certificate'))).toEqual([]);
  });
});
