/** Tests what is found of an application that a server could not load, while the server itself runs. */
import { describe, expect, it } from 'vitest';
import { lastFailure } from './last-failure.ts';
import { notLoaded } from './not-loaded.ts';

const TOMCAT = [
  '31-Jan-2026 12:00:33.301 INFO [main] org.apache.coyote.AbstractProtocol.init Initializing ProtocolHandler ["http-nio-8080"]',
  '31-Jan-2026 12:00:33.393 INFO [main] org.apache.catalina.startup.HostConfig.deployDirectory Deploying web application directory [/srv/webapps/ROOT]',
  '31-Jan-2026 12:00:34.366 SEVERE [main] org.apache.catalina.core.StandardContext.startInternal One or more listeners failed to start. Full details will be found in the appropriate container log file',
  '31-Jan-2026 12:00:34.374 SEVERE [main] org.apache.catalina.core.StandardContext.startInternal Context [/shop] startup failed due to previous errors',
  '31-Jan-2026 12:00:34.384 INFO [main] org.apache.catalina.startup.HostConfig.deployDirectory Deployment of web application directory [/srv/webapps/ROOT] has finished in [991] ms',
  '31-Jan-2026 12:00:34.394 INFO [main] org.apache.catalina.startup.Catalina.start Server startup in [1056] milliseconds',
];
const UWSGI_REQUEST = [
  '--- no python application found, check your startup logs for errors ---',
  '[pid: 7|app: -1|req: -1/1] 10.244.0.1 () {26 vars in 298 bytes} [Sat Jan 31 12:01:48 2026] GET / => generated 21 bytes in 0 msecs (HTTP/1.1 500) 2 headers in 83 bytes (0 switches on core 0)',
];
const UWSGI = [
  '*** Operational MODE: single process ***',
  'unable to find "application" callable in file /srv/wsgi.py',
  "unable to load app 0 (mountpoint='') (callable not found or import error)",
  '*** no app loaded. going in full dynamic mode ***',
  '*** uWSGI is running in multiple interpreter mode ***',
  'spawned uWSGI worker 1 (pid: 7, cores: 1)',
];

describe('an application that was not loaded', () => {
  it.each<[string, readonly string[], RegExp | undefined]>([
    [
      'a context of Tomcat',
      TOMCAT,
      /^One or more listeners failed to start\. Full details will be found in the appropriate container log file$/,
    ],
    [
      'with the class that it lacks',
      [
        ...TOMCAT.slice(0, 2),
        '31-Jan-2026 12:00:34.300 SEVERE [main] org.apache.catalina.core.StandardContext.listenerStart Error configuring application listener of class [com.acme.StartListener]',
        '\tjava.lang.ClassNotFoundException: com.acme.StartListener',
        '\t\tat org.apache.catalina.loader.WebappClassLoaderBase.loadClass(WebappClassLoaderBase.java:1332)',
        ...TOMCAT.slice(2),
      ],
      /^java\.lang\.ClassNotFoundException: com\.acme\.StartListener/,
    ],
    [
      'a callable of uWSGI',
      [...UWSGI, ...UWSGI_REQUEST, ...UWSGI_REQUEST],
      /^unable to find "application" callable in file \/srv\/wsgi\.py/,
    ],
    [
      'a module of uWSGI',
      [
        'Traceback (most recent call last):',
        '  File "/srv/wsgi.py", line 1, in <module>',
        '    from shop import create_app',
        "ModuleNotFoundError: No module named 'shop'",
        ...UWSGI.slice(2),
        ...UWSGI_REQUEST,
      ],
      /^ModuleNotFoundError: No module named 'shop'/,
    ],
    [
      'a context of Jetty, with its trace below',
      [
        '2026-01-31 12:00:00.100:WARN:oejw.WebAppContext:main: Failed startup of context o.e.j.w.WebAppContext@5e57643e{shop,/shop,file:///tmp/jetty/webapp/,UNAVAILABLE}{/var/lib/jetty/webapps/shop.war}',
        'java.lang.ClassNotFoundException: com.acme.shop.StartListener',
        '\tat org.eclipse.jetty.webapp.WebAppClassLoader.loadClass(WebAppClassLoader.java:540)',
        '2026-01-31 12:00:00.200:INFO:oejs.AbstractConnector:main: Started ServerConnector@1{HTTP/1.1,[http/1.1]}{0.0.0.0:8080}',
        '2026-01-31 12:00:00.201:INFO:oejs.Server:main: Started @1500ms',
      ],
      /^java\.lang\.ClassNotFoundException: com\.acme\.shop\.StartListener/,
    ],
    [
      'a deployment of WildFly',
      [
        '12:00:00,000 ERROR [org.jboss.msc.service.fail] (ServerService Thread Pool -- 80) MSC000001: Failed to start service jboss.deployment.unit."shop.war".undertow-deployment: org.jboss.msc.service.StartException in service jboss.deployment.unit."shop.war".undertow-deployment: java.lang.ClassNotFoundException: com.acme.L',
        '12:00:00,100 ERROR [org.jboss.as.controller.management-operation] (Controller Boot Thread) WFLYCTL0013: Operation ("deploy") failed - address: ([("deployment" => "shop.war")])',
        '12:00:00,200 INFO  [org.jboss.as] (Controller Boot Thread) WFLYSRV0026: WildFly 26 started (with errors) in 4000ms',
      ],
      /ClassNotFoundException: com\.acme\.L/,
    ],
    [
      'a script of Apache',
      [
        "[Sat Jan 31 12:00:00.1 2026] [wsgi:error] [pid 7:tid 1] mod_wsgi (pid=7): Failed to exec Python script file '/srv/wsgi.py'.",
        "[Sat Jan 31 12:00:00.2 2026] [wsgi:error] [pid 7:tid 1] mod_wsgi (pid=7): Exception occurred processing WSGI script '/srv/wsgi.py'.",
        '[Sat Jan 31 12:00:00.3 2026] [wsgi:error] [pid 7:tid 1] Traceback (most recent call last):',
        '[Sat Jan 31 12:00:00.3 2026] [wsgi:error] [pid 7:tid 1]   File "/srv/wsgi.py", line 3, in <module>',
        '[Sat Jan 31 12:00:00.3 2026] [wsgi:error] [pid 7:tid 1]     import flask_login',
        "[Sat Jan 31 12:00:00.3 2026] [wsgi:error] [pid 7:tid 1] ModuleNotFoundError: No module named 'flask_login'",
        '10.2.0.1 - - [31/Jan/2026:12:00:00 +0000] "GET / HTTP/1.1" 500 299',
      ],
      /^ModuleNotFoundError: No module named 'flask_login'/,
    ],
    [
      'by any name',
      [
        'INFO gateway starts',
        'ERROR could not load application "shop": /srv/shop/app.toml: missing field `routes` at line 4',
        'INFO gateway serves 3 of 4 applications on :8080',
      ],
      /^could not load application "shop": \/srv\/shop\/app\.toml: missing field/,
    ],
    [
      'none of a server whose applications are loaded',
      [TOMCAT[0] ?? '', TOMCAT[1] ?? '', ...TOMCAT.slice(4)],
      undefined,
    ],
    [
      'none that was loaded later',
      [...UWSGI, "WSGI app 0 (mountpoint='') ready in 1 seconds on interpreter 0x55 pid: 7 (default app)"],
      undefined,
    ],
    ['none of words about a request', ['GET /app failed: 404', 'the application was not found in the cart'], undefined],
    ['nothing', [], undefined],
  ])('%s', (_what, lines, said) => {
    if (said === undefined) expect(notLoaded(lines)).toBeUndefined();
    else expect(notLoaded(lines)?.line).toMatch(said);
  });
});

it('a failed request that points to the start is told with what failed there', () => {
  const requests = Array.from({ length: 30 }, () => UWSGI_REQUEST).flat();
  expect(lastFailure([...UWSGI, ...requests])?.line).toMatch(
    /^unable to find "application" callable in file \/srv\/wsgi\.py/,
  );
  expect(lastFailure(requests)?.line).toMatch(/^--- no python application found/);
});
