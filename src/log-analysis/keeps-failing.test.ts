import { describe, expect, it } from 'vitest';
import { keepsFailing } from './keeps-failing.ts';

/** The lines so often; # is a number that grows, and ## the seconds of a time that passes. */
const times = (count: number, ...lines: readonly string[]): readonly string[] =>
  Array.from({ length: count }, (_, at) =>
    lines.map((line) => line.replaceAll('##', String(10 + at * 4)).replaceAll('#', String(at + 11))),
  ).flat();

const SAVING = [
  '1:M 28 Nov 2026 15:04:##.017 * 1 changes in 5 seconds. Saving...',
  '1:M 28 Nov 2026 15:04:##.018 * Background saving started by pid #',
  '#:C 28 Nov 2026 15:04:##.018 # Failed opening the temp RDB file temp-#.rdb (in server root dir /data) for saving: Permission denied',
  '1:M 28 Nov 2026 15:04:##.118 # Background saving error',
];

describe('what a program keeps failing at, amid what else it prints', () => {
  it.each<[what: string, lines: readonly string[], said: RegExp, count: number]>([
    [
      'reports of Erlang, between figures',
      times(
        5,
        '=ERROR REPORT==== 3-Mar-2026::10:20:##.100 ===',
        '** sink stats-relay:4222 connect failed: nxdomain, # samples are kept',
        '=INFO REPORT==== 3-Mar-2026::10:20:##.101 ===',
        'vm run_queue=0 processes=61',
      ),
      /connect failed: nxdomain/,
      5,
    ],
    [
      'a file of C#, with its trace and a heartbeat',
      times(
        4,
        '[10:20:## INF] Heartbeat: done=3 waiting=5',
        '[10:20:## ERR] Failed to read "/spool/in/parcel-0042.json", attempt #, next in 4 s',
        "System.Text.Json.JsonException: Expected end of string. Path '$.sender', line 3, position 12.",
        '   at Parcels.Reader.Read(String path) in /src/Reader.cs:line 20',
        '   at Parcels.Worker.Run() in /src/Worker.cs:line 41',
      ),
      /JsonException: Expected end of string.* \(Failed to read "\/spool\/in\/parcel-0042\.json"/,
      4,
    ],
    [
      'a publisher that is not allowed to, between its measurements',
      times(6, 'sensor oven=18#', 'publish failed: Warning: Publish 1 failed: Not authorized.', 'retry in 5s'),
      /Not authorized/,
      6,
    ],
    [
      'a job of cron that came twice, and ends with it',
      [
        'mailer image 7, starts cron',
        ...times(
          2,
          '2026-03-03T10:##:01Z INFO digest: collects 40 mails',
          '/opt/digest/run.sh: line 9: SMTP_RELAY: unbound variable',
        ),
      ],
      /SMTP_RELAY: unbound variable/,
      2,
    ],
    [
      'errors of Rails that are tagged with their requests',
      times(
        4,
        'I, [2026-03-03T10:20:##.100000 #1]  INFO -- : [0a1b2c3d-0000-4000-8000-0000000000##]   Rendering page',
        'F, [2026-03-03T10:20:##.200000 #1] FATAL -- : [0a1b2c3d-0000-4000-8000-0000000000##]   ',
        'F, [2026-03-03T10:20:##.200000 #1] FATAL -- : [0a1b2c3d-0000-4000-8000-0000000000##] ArgumentError (key must be 16 bytes):',
        'F, [2026-03-03T10:20:##.200000 #1] FATAL -- : [0a1b2c3d-0000-4000-8000-0000000000##]   ',
        "F, [2026-03-03T10:20:##.200000 #1] FATAL -- : [0a1b2c3d-0000-4000-8000-0000000000##] config/initializers/vault.rb:4:in `open'",
        "[0a1b2c3d-0000-4000-8000-0000000000##] app/models/price.rb:12:in `quote'",
      ),
      /^ArgumentError \(key must be 16 bytes\)/,
      4,
    ],
    [
      'requests for health, more of them than failures',
      times(
        4,
        'INFO GET /livez 200',
        'INFO GET /livez 200',
        'INFO GET /livez 200',
        'INFO GET /metrics 200',
        'INFO took 40 readings, holds #00',
        'ERROR cannot write batch #: quota of bucket is used up',
      ),
      /quota of bucket is used up/,
      4,
    ],
    [
      'tasks that a worker of Celery does not know, with all that it prints of them',
      times(
        4,
        "[2026-03-03 10:20:##,315: ERROR/MainProcess] Received unregistered task of type 'shop.mails.send'.",
        'The message has been ignored and discarded.',
        'Did you remember to import the module containing this task?',
        "{'exchange': '', 'routing_key': 'celery'}",
        'Traceback (most recent call last):',
        '  File "/usr/lib/python3/dist-packages/celery/worker/consumer/consumer.py", line 591, in on_task_received',
        '    strategy = strategies[type_]',
        "KeyError: 'shop.mails.send'",
        '[2026-03-03 10:20:##,990: INFO/MainProcess] sync with celery@web',
      ),
      /Received unregistered task of type 'shop\.mails\.send'/,
      4,
    ],
    [
      'a peer that turns it away, with the answer in fields',
      times(
        5,
        '{"level":50,"time":17958978#,"reqId":"req-#","err":{"type":"AxiosError","message":"Request failed with status code 401"},"url":"http://prices:8080/v1/quotes","response":{"status":401,"data":{"error_description":"The access token expired"}},"msg":"quotes not refreshed"}',
        '{"level":30,"time":17958978#,"req":{"method":"GET","url":"/healthz"},"res":{"statusCode":200},"msg":"request completed"}',
      ),
      /Request failed with status code 401/,
      5,
    ],
    [
      'the pool behind what a servlet container says of a request',
      times(
        4,
        '2026-03-03T10:20:##.990Z ERROR 1 --- [http-nio-8080-3] o.h.engine.jdbc.spi.SqlExceptionHelper   : HikariPool-1 - Connection is not available, request timed out after 3000ms (total=2, active=2, idle=0, waiting=#)',
        '2026-03-03T10:20:##.991Z ERROR 1 --- [http-nio-8080-3] o.a.c.c.C.[.[.[/].[dispatcherServlet]    : Servlet.service() for servlet [dispatcherServlet] threw exception [org.springframework.transaction.CannotCreateTransactionException: Could not open JPA EntityManager for transaction]',
        '2026-03-03T10:20:##.999Z  INFO 1 --- [http-nio-8080-4] c.acme.orders.web.AccessLog              : GET /actuator/health 200 3ms',
      ),
      /HikariPool-1 - Connection is not available/,
      4,
    ],
    [
      'the own login of a pooler, and not that of its clients',
      times(
        5,
        '2026-03-03 10:20:##.336 UTC [1] LOG S-0x555a505ede20: shop/app@10.96.4.1:5432 new connection to server (from 10.4.0.5:55498)',
        '2026-03-03 10:20:##.341 UTC [1] WARNING server login failed: FATAL password authentication failed for user "app"',
        '2026-03-03 10:20:##.341 UTC [1] WARNING C-0x555a505e69a0: shop/app@10.4.0.6:55490 pooler error: password authentication failed for user "app"',
      ),
      /^server login failed: FATAL password authentication failed for user "app"/,
      5,
    ],
    [
      'what Stunnel says of a certificate, above the error of its library',
      times(
        5,
        '2026.03.03 10:20:## LOG5[#]: Service [cache] accepted connection from 127.0.0.1:48880',
        '2026.03.03 10:20:## LOG4[#]: CERT: Pre-verification error: certificate has expired',
        '2026.03.03 10:20:## LOG4[#]: Rejected by CERT at depth=0: CN=cache.internal',
        '2026.03.03 10:20:## LOG3[#]: SSL_connect: ../ssl/statem/statem_clnt.c:1889: error:0A000086:SSL routines::certificate verify failed',
        '2026.03.03 10:20:## LOG5[#]: Connection closed/reset: 0 byte(s) sent to TLS, 0 byte(s) sent to socket',
      ),
      /^CERT: Pre-verification error: certificate has expired/,
      5,
    ],
    [
      'messages of a kind that nobody handles, beside more of another kind',
      times(4, ...times(5, 'INFO resized img/#.png'), "ERROR Received unregistered task of type 'shop.mails.send'."),
      /unregistered task of type 'shop\.mails\.send'/,
      4,
    ],
    [
      'a connection that is lost as soon as it is made',
      times(
        5,
        '2026-03-03 10:20:##,023 INFO ingest: connected to broker:1883 (rc=0), asks for calibration',
        '2026-03-03 10:20:##,925 INFO ingest: The connection was lost. reconnecting in 1s',
      ),
      /The connection was lost/,
      5,
    ],
    [
      'statements that wait for a lock',
      times(
        5,
        '2026-03-03 10:20:##.528 UTC [122] api LOG:  process 122 still waiting for AccessShareLock on relation 16387 of database 16385 after 1000.254 ms',
        '2026-03-03 10:20:##.528 UTC [122] api DETAIL:  Process holding the lock: 60. Wait queue: 106, 122.',
        '2026-03-03 10:20:##.528 UTC [122] api STATEMENT:  select id from orders',
        '2026-03-03 10:20:##.600 UTC [123] [unknown] LOG:  connection received: host=10.4.0.9 port=34196',
      ),
      /process 122 still waiting for AccessShareLock on relation 16387/,
      5,
    ],
    [
      'an error status of a peer, written at level info',
      times(4, 'order # placed', 'checkout: payments answered 400 in 43 ms', 'page / shown'),
      /payments answered 400 in 43 ms/,
      4,
    ],
    ['a snapshot of Redis', times(4, ...SAVING), /Failed opening the temp RDB file .*Permission denied/, 4],
    [
      'a disk that is full, of which only each sixth line tells',
      times(4, ...times(5, 'INFO handled order #'), 'ERROR export failed: [Errno 28] No space left on device'),
      /No space left on device/,
      4,
    ],
    [
      'backups that nobody takes',
      times(
        4,
        'INFO uploading /data/backup-#.tar.gz',
        'An error occurred (AccessDenied) when calling the PutObject operation: Access Denied',
        'WARN backup # not uploaded, keeping it for the next run',
      ),
      /AccessDenied/,
      4,
    ],
  ])('%s', (_what, lines, said, count) => {
    const found = keepsFailing(lines);
    expect(found?.said.line).toMatch(said);
    expect(found).toMatchObject({ times: count, isBesideWork: true });
  });

  it.each<[what: string, lines: readonly string[]]>([
    ['nothing', []],
    [
      'single pieces of a work that succeeds',
      times(
        5,
        ...times(6, 'INFO order # accepted'),
        'ERROR order rejected: quantity must be greater than 0',
        'INFO moved to the dead letters',
      ),
    ],
    [
      'what was overcome',
      [
        ...times(5, 'INFO heartbeat', 'ERROR cannot reach cache:6379, next try in 1 s'),
        'INFO connected to cache:6379',
        'INFO heartbeat',
      ],
    ],
    [
      'what has not come again for long',
      [...times(4, 'ERROR cannot reach cache:6379'), ...times(30, 'INFO handled event #')],
    ],
    [
      'what is said of several parts at once',
      times(5, '10:20:11 ERROR cannot adopt part #', '10:20:11 INFO next part'),
    ],
    [
      'snapshots that succeed again',
      [...times(4, ...SAVING), ...times(9, 'DB saved on disk', 'Background saving done')],
    ],
    [
      'what a client asks for',
      times(
        5,
        '2026/11/28 02:00:## [error] 77: *# open() "/srv/x" failed (2: No such file or directory), client: 10.244.0.1, server: _, request: "GET /x HTTP/1.1"',
        '10.244.0.1 - - [28/Nov/2026:02:00:## +0000] "GET / HTTP/1.1" 200 5',
      ),
    ],
    ['what came once', ['INFO works', 'ERROR lookup of eu failed', 'INFO works', 'INFO works']],
    [
      'faults of those who ask',
      times(
        5,
        'INFO order # received',
        'ERROR order declined: card has expired',
        '{"level":"info","msg":"answered","status":402}',
      ),
    ],
    [
      'connections of a probe',
      times(
        6,
        'Mar  3 10:20:## relay postfix/smtpd[99]: connect from unknown[10.1.2.3]',
        'Mar  3 10:20:## relay postfix/smtpd[99]: disconnect from unknown[10.1.2.3] commands=0/0',
      ),
    ],
    ['one that stands by', times(6, 'INFO tick', 'WARN lease not acquired: standing by')],
  ])('is not %s', (_what, lines) => {
    expect(keepsFailing(lines)).toBeUndefined();
  });
});

it('is not what would have come again by now, whatever zone its times have', () => {
  const lines = times(5, '10:20:## INFO took 40 readings', '10:20:## ERROR cannot reach relay #');
  const at = (time: string): number => Date.parse(`2026-03-03T${time}Z`);
  expect(keepsFailing(lines, at('10:20:30'))?.times).toBe(5);
  expect(keepsFailing(lines, at('08:20:30'))?.times).toBe(5);
  expect(keepsFailing(lines, at('10:25:00'))).toBeUndefined();
  expect(keepsFailing(lines, at('12:28:00'))).toBeUndefined();
});
