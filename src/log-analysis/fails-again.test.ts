import { describe, expect, it } from 'vitest';
import { failsAgain } from './fails-again.ts';

const times = (count: number, ...lines: readonly string[]): readonly string[] =>
  Array.from({ length: count }, (_, at) => lines.map((line) => line.replaceAll('#', String(at + 1)))).flat();

describe('what a program fails at with each try', () => {
  it.each<[what: string, lines: readonly string[], said: RegExp, times: number]>([
    [
      'a consumer without its broker',
      [
        'worker starts',
        ...times(
          5,
          '[2026-11-28 02:22:#0,569: ERROR/MainProcess] consumer: Cannot connect to redis://r:6379/2: Authentication required..',
          'Trying again in #.00 seconds... (#/100)',
        ),
      ],
      /Authentication required/,
      5,
    ],
    [
      'a JSON log',
      times(
        4,
        '{"level":50,"time":179583314#353,"err":{"type":"Error","message":"connect ECONNREFUSED 10.0.0.4:6379"},"msg":"redis error"}',
      ),
      /ECONNREFUSED 10\.0\.0\.4:6379/,
      4,
    ],
    [
      'rounds that are skipped for a peer',
      times(
        4,
        'crm-sync: round skipped: connection to server at "crm-db" (10.96.31.55), port 5432 failed: FATAL: no pg_hba.conf entry for host "10.244.1.73", user "crm", database "crm", no encryption',
      ),
      /no pg_hba\.conf entry/,
      4,
    ],
    [
      'notifications, with the page that was answered',
      times(
        4,
        'ts=2026-11-28T16:12:#.257Z caller=dispatch.go:352 level=error component=dispatcher msg="Notify for alerts failed" num_alerts=1 err="oncall/webhook[0]: unexpected status code 404: http://pager:9000/alert: <!doctype html>\\n<html lang=en>\\n<title>404 Not Found</title>\\n<h1>Not Found</h1>"',
      ),
      /unexpected status code 404: http:\/\/pager:9000\/alert/,
      4,
    ],
    [
      'a loop that announces each try',
      times(3, 'connecting to the queue (attempt #)', 'ERROR vhost shop not found', 'sleeping 5s'),
      /vhost shop not found/,
      3,
    ],
    [
      'an error with a trace',
      times(
        3,
        'ERROR:sync:cannot fetch prices',
        'Traceback (most recent call last):',
        '  File "/app/sync.py", line 9, in run',
        '    fetch()',
        'ConnectionRefusedError: [Errno 111] Connection refused',
      ),
      /Connection refused/,
      3,
    ],
  ])('%s', (_what, lines, said, count) => {
    const found = failsAgain(lines);
    expect(found?.said.line).toMatch(said);
    expect(found?.times).toBeGreaterThanOrEqual(count);
  });

  it.each<[what: string, lines: readonly string[]]>([
    ['nothing', []],
    ['work', ['listening on 8080', 'GET / 200']],
    [
      'what was overcome',
      [...times(5, 'ERROR cannot reach redis:6379: Connection refused - retrying'), 'INFO connected'],
    ],
    ['some requests that fail', times(5, 'INFO payment captured', 'ERROR charge failed: card declined')],
    ['two failures', times(2, 'ERROR cannot reach redis:6379: Connection refused')],
    ['different failures', ['ERROR a failed', 'ERROR cannot open b', 'ERROR c is missing']],
    ['a failure long ago', [...times(5, 'ERROR cannot reach redis'), ...times(30, 'step # of the import done')]],
    ['a consumer without work', times(8, 'ERROR timed out waiting for a message')],
    [
      'requests that a server answers',
      [
        'ready to accept connections',
        ...times(
          5,
          '2026/11/28 02:00:0# [error] 77: *# open() "/usr/share/nginx/html/x" failed (2: No such file or directory), client: 10.0.0.#, server: _, request: "GET /x HTTP/1.1"',
        ),
      ],
    ],
    [
      'a deprecation with its call below',
      times(
        12,
        'Passing the timeout as a positional argument is deprecated, it should be passed as a keyword argument:',
        '  redis.brpop("queue:default", timeout: 2)(called from: /usr/share/gems/sidekiq/lib/sidekiq/fetch.rb:47:in `block in retrieve_work\')',
      ),
    ],
    ['a deprecation', times(5, 'WARN DEPRECATED: the option --foo is deprecated and will be removed')],
  ])('%s is none', (_what, lines) => {
    expect(failsAgain(lines)).toBeUndefined();
  });
});
