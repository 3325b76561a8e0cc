/** Grades recordings: what a diagnosis says of each, beside what its fault was. Mechanical, and pure. */
import { deathText, type PodEvidence, diagnosePod, quoteText } from './what-is-said.ts';
import type { Recording } from './trial.ts';

/**
 * first: the first finding names the cause; somewhere: a later one does; wrong: others are named, or a text that nothing may
 * have; silent: only that it ended.
 */
export type Grade = 'first' | 'somewhere' | 'wrong' | 'silent';

export interface Graded {
  readonly recording: Recording;
  readonly grade: Grade;
  /** The headlines, for reading. */
  readonly says: readonly string[];
}

export function grade(recording: Recording): Graded {
  return 'healthy' in recording.truth ? gradeHealthy(recording) : gradeFault(recording, recording.truth);
}

function gradeFault(recording: Recording, truth: Exclude<Recording['truth'], { healthy: true }>): Graded {
  const evidence = evidenceOf(recording);
  const { findings } = diagnosePod(evidence);
  const says = findings.map((finding) => `${finding.id}: ${finding.says}`);
  const quoted = [
    ...findings.flatMap((finding) => [
      finding.says,
      ...finding.evidence.map((quote) => quoteText(quote, evidence.now)),
    ]),
    deathText(recording),
  ];
  if ((truth.mustNot ?? []).some((text) => quoted.some((quote) => quote.includes(text))))
    return { recording, grade: 'wrong', says };
  const place = findings.findIndex(
    ({ id, says: text }) => truth.ids.includes(id) && truth.must.every((token) => text.includes(token)),
  );
  if (place === 0) return { recording, grade: 'first', says };
  if (place > 0) return { recording, grade: 'somewhere', says };
  const [first] = findings;
  const isSilent =
    first === undefined ||
    (/^(?:exit-code|signal)$/.test(first.id) && /ends with exit code \d+(?:, SIG.*)?$/.test(first.says));
  return { recording, grade: isSilent ? 'silent' : 'wrong', says };
}

/**
 * Of a log whose errors were overcome nothing may be a headline: neither while the program runs, nor if it ended with exit code 1
 * after an hour. That its last error is told, without being called the cause, is no headline, nor is a note on what it fails at with each
 * try while it runs.
 */
function gradeHealthy(recording: Recording): Graded {
  const running = diagnosePod(evidenceOf(recording)).findings;
  const ended = diagnosePod(evidenceOf({ ...recording, exitCode: 1, seconds: 3600 })).findings;
  const text = deathText({ ...recording, exitCode: 1 }, isStrict ? undefined : 3600);
  const says = [
    ...running.flatMap(({ id, severity, says: said }) => (severity === 'info' ? [] : [`${id}: ${said}`])),
    ...ended.flatMap(({ id, says: said }) => (SAYS_NO_CAUSE.test(said) ? [] : [`if it ended: ${id}: ${said}`])),
    ...(text === '' ? [] : [text]),
  ];
  return { recording, grade: says.length === 0 ? 'first' : 'wrong', says };
}

const SAYS_NO_CAUSE = /ends with exit code 1(?:, and its log does not say why; .*|; its last line is: .*)?$/;

const NOW = Date.parse('2026-01-31T12:00:00Z');
const at = (secondsBefore: number): string => new Date(NOW - secondsBefore * 1000).toISOString();

/** Whether the decisive line of a healthy log is asked for as if nobody knew how long its program lived. The node knows it. */
const isStrict = process.argv.includes('--strict');

/** The pod as an API server would show it after the program ended, or while it runs. */
function evidenceOf({ lines, exitCode, seconds, user, pod }: Recording): PodEvidence {
  const ready = exitCode === undefined;
  const ended = {
    restartCount: 3,
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container=web' } },
    lastState: {
      terminated: {
        exitCode: exitCode ?? 0,
        reason: 'Error',
        startedAt: at(30 + seconds),
        finishedAt: at(30),
        containerID: 'containerd://dead',
      },
    },
  };
  return {
    now: NOW,
    pod: {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'web-1', namespace: 'shop', uid: 'u', creationTimestamp: at(3600) },
      spec: {
        nodeName: 'n1',
        restartPolicy: 'Always',
        ...pod?.spec,
        containers: [
          { name: 'web', image: 'registry.example/web:1', securityContext: { runAsUser: user }, ...pod?.container },
        ],
      },
      status: {
        phase: 'Running',
        conditions: [
          { type: 'PodScheduled', status: 'True', lastTransitionTime: at(3600) },
          { type: 'ContainersReady', status: ready ? 'True' : 'False', lastTransitionTime: at(3500) },
          { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: at(3500) },
        ],
        containerStatuses: [
          {
            name: 'web',
            image: 'registry.example/web:1',
            imageID: 'sha256:1',
            ready,
            started: ready,
            ...(ready ? { restartCount: 0, state: { running: { startedAt: at(3590) } } } : ended),
          },
        ],
      },
    },
    events: [],
    owners: [],
    logs: { web: ready ? { current: lines } : { previous: lines } },
    claims: [],
    configs: [],
    services: [],
    throttling: {},
    siblings: [],
    siblingEvents: [],
    notLookedAt: [],
    namespaceFlag: '',
  };
}
