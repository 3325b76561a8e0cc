/** Tests what is said of containers of one pod that ended at the same time. */
import { describe, expect, it } from 'vitest';
import type { DeathRecord, Pod } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, evidence, pod } from '../../evidence.fixtures.ts';

interface Other {
  readonly ended?: number;
  readonly death?: Partial<DeathRecord>;
  readonly lines?: readonly string[];
  readonly spec?: object;
}

/** Two containers, "web" and "proxy", and their last ends. */
function two(web: Other, proxy: Other, spec: object = {}): Partial<PodEvidence> {
  const record = ({ ended = 30, death }: Other, containerId: string): DeathRecord => ({
    number: 1,
    containerId,
    restartCount: 0,
    startedAt: ago(ended + 60),
    finishedAt: ago(ended),
    exitCode: 1,
    reason: 'Error',
    ...death,
  });
  const made = pod({ status: crashed({ exitCode: 1 }), spec });
  const both: Pod = {
    ...made,
    spec: {
      ...made.spec,
      containers: [
        { name: 'web', image: 'a', ...web.spec },
        { name: 'proxy', image: 'b', ...proxy.spec },
      ],
    },
    status: {
      ...made.status,
      containerStatuses: (made.status?.containerStatuses ?? []).flatMap((status) => [
        { ...status, lastState: {} },
        { ...status, name: 'proxy', lastState: {} },
      ]),
    },
  };
  return {
    pod: both,
    history: [
      { name: 'web', total: 1, deaths: [record(web, 'w')] },
      { name: 'proxy', total: 1, deaths: [record(proxy, 'p')] },
    ],
    logs: { web: { previous: web.lines ?? [] }, proxy: { previous: proxy.lines ?? [] } },
  };
}
const told = (given: Partial<PodEvidence>) =>
  diagnosePod(evidence(given))
    .findings.filter(({ id }) => id === 'died-together')
    .map(({ says }) => says);
const killed = { exitCode: 137, signal: 'SIGKILL', reason: 'Error' };

describe('containers that ended at the same time', () => {
  it.each<[string, Partial<PodEvidence>, RegExp]>([
    [
      'a peer',
      two(
        { lines: ['dial tcp: connect to db:5432: connection refused'] },
        { ended: 31, lines: ['Error: connect ECONNREFUSED db:5432'] },
      ),
      /containers web and proxy of pod web-1 ended at the same time, 30s ago: all of them need db:5432/,
    ],
    [
      'each other',
      two(
        { ended: 31, lines: ['panic: boom'], spec: { ports: [{ containerPort: 8080 }] } },
        { lines: ['upstream 127.0.0.1:8080: connection refused'] },
      ),
      /container proxy needs container web, which listens on port 8080 of their pod and ended first/,
    ],
    [
      'the memory of their pod',
      two(
        { death: { ...killed, reason: 'OOMKilled' } },
        { death: { ...killed, reason: 'OOMKilled' } },
        {
          resources: { limits: { memory: '64Mi' } },
        },
      ),
      /killed for memory, of which their pod has 64Mi/,
    ],
    [
      'a change',
      two(
        { death: { ...killed, changes: [{ at: ago(32), what: 'containerd was started again' }] } },
        { death: { ...killed, changes: [{ at: ago(32), what: 'containerd was started again' }] } },
      ),
      /just then containerd was started again/,
    ],
    ['a signal', two({ death: killed }, { death: killed }), /all of them got SIGKILL, and not from mendlet/],
    [
      'their words',
      two({ lines: ['Error: no licence'] }, { lines: ['Error: no licence'] }),
      /all of them say: Error: no licence/,
    ],
  ])('have in common %s', (_, given, says) => {
    expect(told(given)).toEqual([expect.stringMatching(says)]);
  });

  it.each<[string, Partial<PodEvidence>]>([
    ['ended at other times', two({ ended: 30, death: killed }, { ended: 90, death: killed })],
    ['have nothing in common', two({ lines: ['Error: a'] }, { lines: ['Error: b'] })],
    ['one was asked to end', two({ death: killed }, { death: { ...killed, requested: { scope: 'container' } } })],
    ['one was done', two({ death: { exitCode: 1 } }, { death: { exitCode: 0, reason: 'Completed' } })],
  ])('are not told when they %s', (_, given) => {
    expect(told(given)).toEqual([]);
  });
});
