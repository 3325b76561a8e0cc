import { describe, expect, it } from 'vitest';
import { someFail, someRequestsFail } from './some-requests-fail.ts';

const times = (count: number, ...lines: readonly string[]): readonly string[] =>
  Array.from({ length: count }, () => lines).flat();
const answered = (status: number, agent = 'curl/7.88.1'): string =>
  `10.244.1.50 - - [28/Nov/2026:15:37:33 +0000] "GET / HTTP/1.1" ${status} 167 "-" "${agent}"`;

describe('some requests fail', () => {
  it.each<[what: string, lines: readonly string[], share: object | undefined]>([
    ['one of three', times(4, answered(500), answered(200), answered(200)), { failed: 4, of: 12 }],
    ['two', [...times(2, answered(500)), ...times(8, answered(200))], undefined],
    ['three of many', [...times(3, answered(500)), ...times(50, answered(200))], undefined],
    ['those of a start that is over', [...times(17, answered(503)), ...times(26, answered(200))], undefined],
    ['seldom ones', times(5, answered(500), ...times(7, answered(200))), { failed: 5, of: 40 }],
    ['those of clients', times(9, answered(404)), undefined],
  ])('%s', (_what, lines, share) => {
    expect(someRequestsFail(lines)).toEqual(share);
  });
});

it('says of what some requests die, and that others do not', () => {
  const lost = ['psycopg2.OperationalError: server closed the connection unexpectedly', answered(500)];
  expect(someFail(times(5, ...lost, answered(200)))).toMatchObject({
    said: { line: expect.stringMatching(/server closed the connection unexpectedly/) as string },
    times: 5,
    some: 10,
    answers: 500,
    isMinor: true,
  });
  expect(someFail(times(5, answered(502), answered(200)))).toMatchObject({ isWordless: true, some: 10 });
  expect(someFail(times(9, answered(200)))).toBeUndefined();
});

it('keeps the flags by which HAProxy tells how a session ended', () => {
  const line = (status: number, flags: string): string =>
    `10.4.0.3:42612 [31/Jan/2026:10:00:00.120] fe be/s1 0/0/0/-1/30 ${status} 198 - - ${flags} 1/1/0/0/0 0/0 "GET /quote HTTP/1.1"`;
  expect(someFail(times(5, line(504, 'sH--'), line(200, '----')))?.said.line).toBe('"GET /quote HTTP/1.1" (sH--)');
});
