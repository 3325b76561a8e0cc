import { describe, expect, it } from 'vitest';
import { diagnosePod } from './diagnose-pod.ts';
import { ago, evidence, pod } from './evidence.fixtures.ts';

const running = (current: readonly string[]): ReturnType<typeof evidence> =>
  evidence({
    pod: pod({ status: { state: { running: { startedAt: ago(300) } } } }),
    logs: { web: { current: [...current] } },
  });
const WORK = ['INFO order 1 handled', 'INFO order 2 handled', 'INFO order 3 handled'];

describe('the last error of one that seems well', () => {
  it('is told with its container, masked, and is no finding', () => {
    const told = diagnosePod(
      running([...WORK, "ERROR cannot use password='hunter2' for order 4: no such table", ...WORK, ...WORK]),
    );
    expect(told.findings).toEqual([]);
    expect(told.lastErrors).toEqual([
      {
        pod: 'web-1',
        container: 'web',
        line: expect.stringMatching(/^cannot use password='?\*\*\*'? for order 4: no such table/) as string,
      },
    ]);
  });
  it.each<[what: string, lines: readonly string[]]>([
    ['a log without errors', WORK],
    [
      'requests that nobody serves',
      [...WORK, '10.4.0.1 - - [31/Jan/2026:12:00:00 +0000] "GET /wp-login.php HTTP/1.1" 404 12', ...WORK],
    ],
  ])('is none: %s', (_what, lines) => {
    expect(diagnosePod(running(lines)).lastErrors).toBeUndefined();
  });
});
