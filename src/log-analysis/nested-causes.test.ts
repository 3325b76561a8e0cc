/** Tests that of errors within errors the one is told that says what is wrong, and not what was wrapped around it. */
import { describe, expect, it } from 'vitest';
import { lastFailure } from './last-failure.ts';
import { readLog } from './read-log.ts';

const TOMCAT = [
  '31-Jan-2026 12:00:46.700 SEVERE [main] org.apache.catalina.util.LifecycleBase.handleSubClassException Failed to initialize component [Connector["https-jsse-nio-9443"]]',
  '\torg.apache.catalina.LifecycleException: Protocol handler initialization failed',
  '\t\tat org.apache.catalina.connector.Connector.initInternal(Connector.java:1085)',
  '\tCaused by: java.lang.IllegalArgumentException: Error creating SSLContext',
  '\t\tat org.apache.tomcat.util.net.AbstractJsseEndpoint.createSSLContext(AbstractJsseEndpoint.java:121)',
  '\t\t... 13 more',
  '\tCaused by: java.io.IOException: keystore password was incorrect',
  '\t\tat java.base/sun.security.pkcs12.PKCS12KeyStore.engineLoad(PKCS12KeyStore.java:2160)',
  '\t\t... 20 more',
  '\tCaused by: java.security.UnrecoverableKeyException: failed to decrypt safe contents entry: javax.crypto.BadPaddingException: Given final block not properly padded. Such issues can arise if a bad key is used during decryption.',
  '\t\t... 29 more',
];

describe('the cause of a chain', () => {
  it.each<[string, readonly string[], RegExp]>([
    [
      'below what java.util.logging calls severe',
      [
        'Jan 31, 2026 12:20:00 PM com.acme.Feed main',
        'SEVERE: rates provider handshake failed',
        'java.lang.RuntimeException: status call failed',
        '\tat Feed.main(Feed.java:6)',
        'Caused by: javax.net.ssl.SSLHandshakeException: (certificate_unknown) PKIX path building failed: sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid certification path to requested target',
        '\tat java.base/sun.security.ssl.Alert.createSSLException(Alert.java:131)',
        '\t... 1 more',
        'Caused by: sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid certification path to requested target',
        '\tat java.base/sun.security.provider.certpath.SunCertPathBuilder.build(SunCertPathBuilder.java:148)',
        '\t... 22 more',
      ],
      /^(?:sun|javax)\S+: .*unable to find valid certification path to requested target \(rates provider handshake failed\)$/,
    ],
    [
      'below a trace that Twisted indents as a whole, and not its last word',
      [
        '2026-01-31 12:00:02+0000 [-] pool start failed',
        '\tTraceback (most recent call last):',
        '\t  File "/usr/lib/python3/dist-packages/twisted/_threads/_team.py", line 182, in doWork',
        '\t    task()',
        '\t--- <exception caught here> ---',
        '\t  File "/usr/lib/python3/dist-packages/psycopg2/__init__.py", line 122, in connect',
        '\t    conn = _connect(dsn, connection_factory=connection_factory, **kwasync)',
        '\tpsycopg2.OperationalError: connection to server at "db" (10.96.0.4), port 5432 failed: fe_sendauth: no password supplied',
        '\t',
        '2026-01-31 12:00:02+0000 [-] Main loop terminated.',
      ],
      /^psycopg2\.OperationalError: .*no password supplied$/,
    ],
    [
      'with the argument that older .NET names below it',
      [
        'Unhandled Exception:',
        'SettingsException: Failed to build host ---> System.ArgumentNullException: Required setting is missing.',
        'Parameter name: ORDERS_URL',
        '  at P.Get (System.String k) [0x0000d] in <1efae83b74c24ff390b026ab85509a19>:0 ',
        '   --- End of inner exception stack trace ---',
      ],
      /Required setting is missing \(Parameter 'ORDERS_URL'\)/,
    ],
    [
      'without the frames of native code',
      [
        'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
        ' 1: 0x7fd183121f38 node::Abort() [/lib/x86_64-linux-gnu/libnode.so.108]',
        '10: 0x7fd183a99222 v8::internal::Runtime_AllocateInOldGeneration(int) [/lib/x86_64-linux-gnu/libnode.so.108]',
      ],
      /JavaScript heap out of memory$/,
    ],
    [
      'without what the interpreter puts away after it',
      [
        'Traceback (most recent call last):',
        '  File "/app/a.py", line 7, in main',
        '    topic=os.environ["TOPIC"]',
        "KeyError: 'TOPIC'",
        'Task was destroyed but it is pending!',
        "task: <Task pending name='Task-2' coro=<bg() running at /app/a.py:3> wait_for=<Future pending>>",
      ],
      /^KeyError: 'TOPIC'$/,
    ],
    [
      'the password, and not the cipher that did not like it',
      TOMCAT,
      /^java\.io\.IOException: keystore password was incorrect \(Failed to initialize component \[Connector\["https-jsse-nio-9443"\]\]\)$/,
    ],
    [
      'the same of a client, with another library below',
      [
        'ERROR com.acme.Mq - cannot open session',
        'com.acme.MqException: session',
        '\tat com.acme.Mq.open(Mq.java:20)',
        'Caused by: java.io.IOException: Keystore was tampered with, or password was incorrect',
        '\tat java.base/sun.security.provider.JavaKeyStore.engineLoad(JavaKeyStore.java:813)',
        'Caused by: javax.crypto.AEADBadTagException: Tag mismatch',
        '\t... 12 more',
      ],
      /Keystore was tampered with, or password was incorrect \(cannot open session\)$/,
    ],
    [
      'what the system said, of a Python error that says less',
      [
        'Traceback (most recent call last):',
        '  File "/usr/lib/python3/dist-packages/urllib3/connection.py", line 174, in _new_conn',
        '    conn = connection.create_connection(',
        'socket.gaierror: [Errno -2] Name or service not known',
        '',
        'The above exception was the direct cause of the following exception:',
        '',
        'Traceback (most recent call last):',
        '  File "/app/a.py", line 9, in check',
        '    raise HealthError("stock check failed") from e',
        'HealthError: stock check failed',
      ],
      /^HealthError: stock check failed \(socket\.gaierror: \[Errno -2\] Name or service not known\)$/,
    ],
    [
      'an error without a message below one that names a peer',
      [
        'ERROR c.a.Sync - cycle failed',
        'org.springframework.web.client.ResourceAccessException: I/O error on GET request for "https://pay.example/v1": null',
        '\tat org.springframework.web.client.RestTemplate.doExecute(RestTemplate.java:785)',
        'Caused by: java.net.ConnectException: null',
        '\tat java.base/x.Y.z(Y.java:1)',
        'Caused by: java.nio.channels.ClosedChannelException: null',
        '\tat java.base/x.Y.z(Y.java:1)',
      ],
      /"https:\/\/pay\.example\/v1": null \(java\.net\.ConnectException\)$/,
    ],
    [
      'a child of a supervisor',
      [
        '** (Mix) Could not start application shop: Shop.Application.start(:normal, []) returned an error: shutdown: failed to start child: Shop.Repo',
        '    ** (EXIT) an exception was raised:',
        '        ** (KeyError) key :hostname not found in: [port: 5432]',
        '            (elixir 1.14.0) lib/keyword.ex:595: Keyword.fetch!/2',
      ],
      /^\*\* \(KeyError\) key :hostname not found in: \[port: 5432\]/,
    ],
    [
      'a group of Python',
      [
        '  + Exception Group Traceback (most recent call last):',
        '  |   File "/app/main.py", line 12, in <module>',
        '  |     asyncio.run(main())',
        '  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)',
        '  +-+---------------- 1 ----------------',
        '    | Traceback (most recent call last):',
        '    |   File "/app/main.py", line 8, in pull',
        '    |     raise ConnectionError("queue rabbit:5672 refused")',
        '    | ConnectionError: queue rabbit:5672 refused',
        '    +------------------------------------',
      ],
      /^ConnectionError: queue rabbit:5672 refused$/,
    ],
    [
      'a tree with arrows',
      [
        '  × failed to load configuration',
        '  ├─▶ could not read the secrets',
        '  ╰─▶ /etc/shop/secrets.toml: Permission denied (os error 13)',
      ],
      /^\/etc\/shop\/secrets\.toml: Permission denied \(os error 13\)$/,
    ],
    [
      'what was before, at the end of a line of Monolog',
      [
        String.raw`[2026-01-31T12:00:00.000000+00:00] app.CRITICAL: Uncaught PHP Exception App\Fault: "no session" at /app/src/Kernel.php line 12 {"exception":"[object] (App\\Fault(code: 0): no session at /app/src/Kernel.php:12)\n[previous exception] [object] (PDOException(code: 2002): SQLSTATE[HY000] [2002] php_network_getaddresses: getaddrinfo for mysql-db failed: Name or service not known at /app/src/Db.php:3)"} []`,
      ],
      /^PHP Exception App\\Fault: "no session" at \/app\/src\/Kernel\.php line 12: PDOException: SQLSTATE\[HY000\] \[2002\] php_network_getaddresses: getaddrinfo for mysql-db failed: Name or service not known$/,
    ],
    [
      "in Laravel's lines",
      [
        String.raw`[2026-01-31 12:00:00] local.ERROR: gateway down {"exception":"[object] (App\\Exceptions\\GatewayDown(code: 0): gateway down at /app/app/Gw.php:12)`,
        '[stacktrace]',
        '#0 /app/a.php(3): x()',
        String.raw`[previous exception] [object] (GuzzleHttp\\Exception\\ConnectException(code: 0): cURL error 6: Could not resolve host: pay-api for http://pay-api/v1 at /app/vendor/guzzle/x.php:3)`,
        '[stacktrace]',
        '#0 /app/vendor/guzzle/x.php(3): x()',
        '"} ',
      ],
      /^GuzzleHttp\\Exception\\ConnectException: cURL error 6: Could not resolve host: pay-api for http:\/\/pay-api\/v1$/,
    ],
    [
      "without Nest's head",
      [
        "[Nest] 1  - 01/31/2026, 12:00:00 PM   ERROR [ExceptionHandler] Nest can't resolve dependencies of the OrdersService (?).",
      ],
      /^Nest can't resolve dependencies of the OrdersService \(\?\)\.$/,
    ],
  ])('%s', (_what, lines, wanted) => {
    expect(lastFailure(lines)?.line).toMatch(wanted);
    expect(readLog(lines, { livedMs: 5000 }).decisive?.line).toMatch(wanted);
  });

  it('keeps what names more than its cause', () => {
    const lines = [
      'ERROR com.acme.Ingest - ingest stopped',
      'java.lang.IllegalStateException: cannot open /data/index',
      '\tat com.acme.Ingest.run(Ingest.java:40)',
      'Caused by: java.lang.RuntimeException: boom',
      '\tat com.acme.X.y(X.java:4)',
    ];
    expect(lastFailure(lines)?.line).toBe('java.lang.IllegalStateException: cannot open /data/index (boom)');
  });
});
