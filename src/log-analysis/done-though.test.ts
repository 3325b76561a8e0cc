import { describe, expect, it } from 'vitest';
import { doneThough } from './done-though.ts';

describe('what failed in a program that ended well', () => {
  it.each<[what: string, lines: readonly string[], said: RegExp]>([
    [
      'a dump before a pipe',
      [
        'backup: dumping shop from db to /backup/shop.sql.gz',
        'pg_dump: error: connection to server at "db" (10.96.4.4), port 5432 failed: FATAL:  database "shop" does not exist',
        'backup: wrote 20 bytes',
        'backup: finished',
      ],
      /database "shop" does not exist/,
    ],
    [
      'a dump whose user may lock no tables',
      [
        'nightly dump of orders on orders-db',
        `mysqldump: Got error: 1044: "Access denied for user 'backup'@'%' to database 'orders'" when using LOCK TABLES`,
        '-rw-r--r-- 1 root root 390 Nov 29 02:15 /dumps/orders.sql.gz',
        'dump written, old dumps removed',
      ],
      /Access denied for user 'backup'/,
    ],
    [
      'a step of a script that goes on',
      ['step 1: fetch', 'rsync: [sender] change_dir "/data/in" failed: No such file or directory (2)', 'step 2: done'],
      /change_dir "\/data\/in" failed/,
    ],
    [
      'an error that a program logs and swallows',
      [
        '2026-01-31 03:00:01,120 INFO report: 40 rows',
        '2026-01-31 03:00:02,120 ERROR report: upload failed: [Errno 13] Permission denied: /out/report.csv',
        '2026-01-31 03:00:02,300 INFO report: bye',
      ],
      /Permission denied: \/out\/report\.csv/,
    ],
  ])('is %s', (_what, lines, said) => {
    const found = doneThough(lines);
    expect(found?.said.line).toMatch(said);
    expect(found).toMatchObject({ isDone: true });
  });

  it.each<[what: string, lines: readonly string[]]>([
    ['nothing', ['migrating', '4 migrations applied']],
    [
      'a wait that came to its end',
      [
        'psql: error: connection to server at "db", port 5432 failed: Connection refused',
        'psql: error: connection to server at "db", port 5432 failed: Connection refused',
        'psql: error: connection to server at "db", port 5432 failed: Connection refused',
        'CREATE TABLE',
        'done',
      ],
    ],
    [
      'one that was tried again',
      ['fetching rates', 'ERROR could not fetch rates: timeout', 'retrying in 2 s', 'fetched 32 rates'],
    ],
    ['a warning', ['WARNING: this script runs as root', 'imported 12 files']],
    ['a count of no errors', ['key a: converted', 'ERROR-count: 0, warnings: 3, schema is at v7']],
    [
      'what PHP goes on after',
      ['PHP Warning:  Undefined variable $total in /srv/report.php on line 9', 'report written: 214 rows'],
    ],
  ])('is not %s', (_what, lines) => {
    expect(doneThough(lines)).toBeUndefined();
  });
});
