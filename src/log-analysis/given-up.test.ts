/** Which programs a supervisor has given up, and why. */
import { describe, expect, it } from 'vitest';
import { givenUpPrograms } from './given-up.ts';

const told = (log: string): readonly string[] =>
  givenUpPrograms(log.split('\n')).map(
    ({ program, supervisor, because }) => `${supervisor} ${program}: ${because?.line ?? '?'}`,
  );

const STARTED = [
  '2026-11-28 09:17:35,630 INFO Set uid to user 0 succeeded',
  '2026-11-28 09:17:35,635 INFO supervisord started with pid 1',
  "2026-11-28 09:17:36,662 INFO spawned: 'site' with pid 6",
].join('\n');
const tries = (program: string, ...said: readonly string[]): string =>
  [7, 9, 10]
    .map((pid) =>
      [
        `2026-11-28 09:17:37,664 INFO spawned: '${program}' with pid ${pid}`,
        ...said,
        `2026-11-28 09:17:37,767 WARN exited: ${program} (exit status 2; not expected)`,
        '10.244.0.1 - - [28/Nov/2026 09:17:36] "GET / HTTP/1.1" 200 -',
      ].join('\n'),
    )
    .join('\n');
const SITE =
  '2026-11-28 09:17:37,893 INFO success: site entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)';
const gaveUp = (program: string): string =>
  `2026-11-28 09:17:40,888 INFO gave up: ${program} entered FATAL state, too many start retries too quickly`;

describe('a program that is given up', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'a file that is not there',
      [
        STARTED,
        tries('mailer', "python3: can't open file '/app/mailer.py': [Errno 2] No such file or directory"),
        SITE,
        gaveUp('mailer'),
      ].join('\n'),
      [
        expect.stringContaining(
          "supervisord mailer: python3: can't open file '/app/mailer.py': [Errno 2] No such file or directory",
        ),
      ],
    ],
    [
      'a module, beside lines of another program',
      [
        STARTED,
        tries(
          'uwsgi',
          'Traceback (most recent call last):',
          '  File "/usr/bin/uwsgi", line 3, in <module>',
          '    import shop.wsgi',
          "ModuleNotFoundError: No module named 'shop'",
        ),
        gaveUp('uwsgi'),
        '2026/11/28 09:54:15 [error] 8#8: *15 connect() failed (111: Connection refused) while connecting to upstream',
      ].join('\n'),
      [expect.stringContaining("supervisord uwsgi: ModuleNotFoundError: No module named 'shop'")],
    ],
    [
      'a command that is not there',
      `${STARTED}\n2026-01-31 08:11:20,041 INFO spawnerr: can't find command '/opt/worker/run.sh'\n${gaveUp('worker')}`,
      [expect.stringContaining("supervisord worker: can't find command '/opt/worker/run.sh'")],
    ],
    ['one that says nothing', `${STARTED}\n${tries('sync')}\n${gaveUp('sync')}`, ['supervisord sync: ?']],
    [
      'a script of pm2',
      [
        '2026-11-24T13:47:05: PM2 log: App [api:0] online',
        "Error: Cannot find module 'pg'",
        '2026-11-24T13:47:06: PM2 log: App [api:0] exited with code [1] via signal [SIGINT]',
        '2026-11-24T13:47:06: PM2 error: Script /app/api.js had too many unstable restarts (16). Stopped. "errored"',
      ].join('\n'),
      [expect.stringContaining("pm2 api.js: Error: Cannot find module 'pg'")],
    ],
    [
      'a service of s6',
      'cache: fatal: cannot open /etc/cache.conf\ns6-rc: warning: unable to start service cache: command exited 1',
      [expect.stringContaining('s6-rc cache: ')],
    ],
  ])('%s', (_, log, said) => {
    expect(told(log)).toEqual(said);
  });

  it.each<[string, string]>([
    [
      'that was started again',
      `${STARTED}\n${tries('mailer')}\n${gaveUp('mailer')}\n${SITE.replace('site', 'mailer')}`,
    ],
    ['that has done its work', `${STARTED}\n2026-11-28 09:17:37,767 INFO exited: setup (exit status 0; expected)`],
    ['that was restarted', `${STARTED}\n${tries('mailer')}\n${SITE.replace('site', 'mailer')}`],
    ['of which an application writes', 'INFO we never gave up: the state is fine'],
  ])('is none %s', (_, log) => {
    expect(told(log)).toEqual([]);
  });
});
