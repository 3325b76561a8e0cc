/** Tests what is left out of a line that is told: lists of folders, statements, places in libraries. */
import { describe, expect, it } from 'vitest';
import { readLog } from './read-log.ts';

const told = (...lines: readonly string[]): string | undefined => readLog(lines, { livedMs: 5000 }).decisive?.line;

describe('what is left out', () => {
  it.each<[string, readonly string[], string]>([
    [
      'the folders in which Perl looked for a module',
      [
        "Error while loading /app/app.psgi: Can't locate Image/Fast.pm in @INC (you may need to install the Image::Fast module) (@INC contains: /app/lib /srv /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/share/perl/5.36.0 /usr/share/perl5 /usr/local/lib/site_perl) at /srv/My/Image.pm line 3.",
        'BEGIN failed--compilation aborted at /srv/My/Image.pm line 3.',
      ],
      "Error while loading /app/app.psgi: Can't locate Image/Fast.pm in @INC (you may need to install the Image::Fast module) at /srv/My/Image.pm line 3.",
    ],
    [
      'of a newer Perl',
      [
        "Can't locate JSON/XS.pm in @INC (you may need to install the JSON::XS module) (@INC entries checked: /etc/perl /usr/local/lib/perl/5.38.0 /usr/share/perl5) at a.pl line 1.",
      ],
      "Can't locate JSON/XS.pm in @INC (you may need to install the JSON::XS module) at a.pl line 1.",
    ],
    [
      'any other long list of paths',
      ["plugin geo was not found in '/usr/lib/app', '/usr/local/lib/app', '/opt/app/lib', '/var/lib/app', '/srv/app'"],
      "plugin geo was not found in '/usr/lib/app' … (5 paths)",
    ],
    [
      'where Lua looked for a module',
      [
        "lua: /app/main.lua:1: module 'resty.redis' not found:",
        "\tno field package.preload['resty.redis']",
        "\tno file '/usr/local/share/lua/5.4/resty/redis.lua'",
        "\tno file '/usr/local/lib/lua/5.4/resty/redis.so'",
        'stack traceback:',
        "\t[C]: in function 'require'",
        '\t/app/main.lua:1: in main chunk',
      ],
      "lua: /app/main.lua:1: module 'resty.redis' not found",
    ],
    [
      'the statement that was refused',
      [
        'Traceback (most recent call last):',
        '  File "/app/manage.py", line 4, in <module>',
        '    main()',
        'psycopg2.errors.InsufficientPrivilege: permission denied for schema public',
        'LINE 1: CREATE TABLE "jobs_migrations" ("id" serial NOT NULL PRIMA...',
        '                     ^',
      ],
      'psycopg2.errors.InsufficientPrivilege: permission denied for schema public',
    ],
    [
      'of an error that quotes it within brackets',
      [
        'Traceback (most recent call last):',
        '  File "/app/manage.py", line 4, in <module>',
        '    main()',
        'shop.MigrationFailed: Unable to create the jobs table (permission denied for schema public',
        'LINE 1: CREATE TABLE "jobs" ("id" serial NOT NULL PRIMA...',
        '                     ^',
        ')',
      ],
      'shop.MigrationFailed: Unable to create the jobs table (permission denied for schema public)',
    ],
    [
      'no statement with a mistake in it',
      [
        'Traceback (most recent call last):',
        '  File "/app/a.py", line 4, in <module>',
        '    main()',
        'psycopg2.errors.SyntaxError: syntax error at or near "FORM"',
        'LINE 1: SELECT id FORM jobs',
        '                  ^',
      ],
      'psycopg2.errors.SyntaxError: syntax error at or near "FORM" LINE 1: SELECT id FORM jobs (/app/a.py:4)',
    ],
    [
      'the parameters of a statement',
      [
        `ERROR sqlalchemy.exc.IntegrityError: (psycopg2.errors.NotNullViolation) null value in column "region" violates not-null constraint [SQL: INSERT INTO orders (id, region) VALUES (%s, %s)] [parameters: {'id': 7, 'card': '4111'}] (Background on this error at: https://sqlalche.me/e/14/gkpj)`,
      ],
      'sqlalchemy.exc.IntegrityError: (psycopg2.errors.NotNullViolation) null value in column "region" violates not-null constraint [SQL: INSERT INTO orders (id, region) VALUES (%s, %s)]',
    ],
    [
      "a place in a library's code",
      [
        "/usr/share/rubygems-integration/all/gems/redis-4.8.0/lib/redis/client.rb:162:in `call': ERR DB index is out of range (Redis::CommandError)",
        "\tfrom /usr/share/rubygems-integration/all/gems/redis-4.8.0/lib/redis/client.rb:144:in `block in connect'",
        "\tfrom /app/w.rb:4:in `<main>'",
      ],
      'ERR DB index is out of range (Redis::CommandError)',
    ],
    [
      'no place in the own code',
      ["/app/w.rb:4:in `price': no tariff 17 (RuntimeError)", "\tfrom /app/w.rb:9:in `<main>'"],
      "/app/w.rb:4:in `price': no tariff 17 (RuntimeError)",
    ],
    ['no few paths', ['cannot copy /a to /b, /c, /d'], 'cannot copy /a to /b, /c, /d'],
  ])('%s', (_what, lines, wanted) => {
    expect(told(...lines)).toBe(wanted);
  });
});
