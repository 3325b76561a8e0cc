import { describe, expect, it } from 'vitest';
import { requestsFail } from './requests-fail.ts';

const times = (count: number, ...lines: readonly string[]): readonly string[] =>
  Array.from({ length: count }, () => lines).flat();
const TIMED_OUT =
  '2026/11/28 15:37:33 [error] 6#6: *17 upstream timed out (110: Connection timed out) while reading response header from upstream, client: 10.244.1.50, server: , request: "GET / HTTP/1.1", upstream: "fastcgi://127.0.0.1:9000", host: "shop:8080"';
const answered = (status: number, agent = 'curl/7.88.1'): string =>
  `10.244.1.50 - - [28/Nov/2026:15:37:33 +0000] "GET / HTTP/1.1" ${status} 167 "-" "${agent}"`;

describe('a server that fails each request', () => {
  it('is told with what it says of them', () => {
    const found = requestsFail([
      answered(200),
      ...times(6, TIMED_OUT, answered(504)),
      answered(200, 'kube-probe/1.36'),
    ]);
    expect(found?.said.line).toMatch(/upstream timed out/);
    expect(found).toMatchObject({ times: 6, answers: 504 });
  });

  it('is told with the errors of its own log', () => {
    const line =
      'E, [2026-11-28T16:10:28.851301 #1] ERROR -- order-api: GET /orders 500 Sequel::PoolTimeout: timeout: 3.0, elapsed: 3.0011';
    expect(requestsFail(times(6, line))).toMatchObject({ times: 6, answers: 500 });
    expect(requestsFail(times(6, line))?.said.line).toContain('Sequel::PoolTimeout');
  });

  it.each<[what: string, lines: readonly string[]]>([
    ['nothing', []],
    ['requests that are answered well between', times(6, TIMED_OUT, answered(504), answered(200))],
    ['requests for what is not there', times(9, answered(404))],
    ['a few', times(3, TIMED_OUT, answered(504))],
    ['a page that is meant to say so', times(9, answered(503))],
  ])('is not told of %s', (_what, lines) => {
    expect(requestsFail(lines)).toBeUndefined();
  });
});
