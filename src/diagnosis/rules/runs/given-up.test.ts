/** Tests what is said of a container whose supervisor has given up one of its programs. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, event, evidence, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';

const START = [
  '2026-11-28 09:17:35,635 INFO supervisord started with pid 1',
  "2026-11-28 09:17:36,662 INFO spawned: 'proxy' with pid 6",
  "2026-11-28 09:17:36,664 INFO spawned: 'app' with pid 7",
  'Traceback (most recent call last):',
  '  File "/usr/bin/uvicorn", line 8, in <module>',
  "ModuleNotFoundError: No module named 'billing'",
  '2026-11-28 09:17:36,767 WARN exited: app (exit status 1; not expected)',
  '2026-11-28 09:17:37,893 INFO success: proxy entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)',
];
const GAVE_UP = '2026-11-28 09:17:40,888 INFO gave up: app entered FATAL state, too many start retries too quickly';
const REFUSED = Array.from({ length: 6 }, (_, at) => [
  `2026/11/28 09:54:1${at} [error] 8#8: *${at} connect() failed (111: Connection refused) while connecting to upstream, client: 10.244.0.1, server: , request: "GET / HTTP/1.1", upstream: "http://127.0.0.1:8000/", host: "10.2.3.2:8080"`,
  `10.244.0.1 - - [28/Nov/2026:09:54:1${at} +0000] "GET / HTTP/1.1" 502 157 "-" "kube-probe/1.36"`,
]).flat();
const unready = (lines: readonly string[], beginning?: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({
    container: { readinessProbe: { httpGet: { path: '/', port: 8080 } }, ports: [{ containerPort: 8080 }] },
    status: { ready: false, started: true, state: { running: { startedAt: ago(120) } } },
  }),
  events: [
    event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 502', {
      count: 30,
      first: 110,
      seconds: 2,
      container: 'web',
    }),
  ],
  logs: { web: { current: lines, ...(beginning && { beginning }) } },
});
const ready = (lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ status: { ready: true, started: true, state: { running: { startedAt: ago(300) } } } }),
  logs: { web: { current: lines } },
});
const ACCESS = Array.from({ length: 9 }, (_, at) => `10.244.0.1 - - [28/Nov/2026 09:18:0${at}] "GET / HTTP/1.1" 200 -`);
const found = (given: Partial<PodEvidence>) =>
  diagnosePod(evidence(given)).findings.map(({ id, severity, says }) => `${id} ${severity}: ${says}`);

const HEADLINE =
  /^program-given-up critical: container web is refused by 127\.0\.0\.1:8000 and is not ready, and its program app does not run, as supervisord has given it up: ModuleNotFoundError: No module named 'billing'/;

describe('a program that a supervisor has given up', () => {
  it('is why a proxy of the same container is refused', () => {
    expect(found(unready([...START, GAVE_UP, ...REFUSED]))).toEqual([expect.stringMatching(HEADLINE)]);
  });

  it('is found at the beginning of a long log', () => {
    expect(found(unready(REFUSED, [...START, GAVE_UP]))).toEqual([expect.stringMatching(HEADLINE)]);
  });

  it('is told of a container that is ready', () => {
    expect(found(ready([...START, GAVE_UP, ...ACCESS]))).toEqual([
      expect.stringMatching(
        /^program-given-up warning: container web is ready, and its program app does not run, as supervisord has given it up: ModuleNotFoundError/,
      ),
    ]);
  });

  it('is told without a supervisor, where its own words stand beside those of the proxy', () => {
    const app = [
      'Traceback (most recent call last):',
      '  File "/srv/app.py", line 1, in <module>',
      "ModuleNotFoundError: No module named 'billing'",
    ];
    expect(found(unready([...app, ...REFUSED]))).toEqual([
      expect.stringMatching(
        /^dependency-refused critical: container web is refused by 127\.0\.0\.1:8000 and is not ready: nothing in its own pod listens there; its log also says: ModuleNotFoundError: No module named 'billing'/,
      ),
    ]);
    expect(found(unready(REFUSED))).toEqual([expect.stringMatching(/nothing in its own pod listens there$/)]);
  });

  it.each<[string, readonly string[]]>([
    [
      'was restarted',
      [
        ...START,
        '2026-11-28 09:17:38,893 INFO success: app entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)',
        ...ACCESS,
      ],
    ],
    [
      'was started by hand after that',
      [
        ...START,
        GAVE_UP,
        '2026-11-28 09:27:38,893 INFO success: app entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)',
        ...ACCESS,
      ],
    ],
    [
      'has done its work',
      [...START.slice(0, 3), '2026-11-28 09:17:36,767 INFO exited: app (exit status 0; expected)', ...ACCESS],
    ],
  ])('is not told of one that %s', (_, lines) => {
    expect(found(ready(lines))).toEqual([]);
  });
});
