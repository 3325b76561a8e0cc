/** Pods for the tests of rules: they end, hang or never start, with messages of real runtimes, kubelets and programs. */
import { expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, NOW, pod, type PodGiven, waiting } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { quoteText } from '../../quote-text.ts';

export type Case = [what: string, given: Partial<PodEvidence>, id: string, says: RegExp, quotes?: readonly RegExp[]];

export const crash = (exitCode: number, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ status: crashed({ exitCode }) }),
  logs: lastWords(...lines),
});
/** A pod with a volume of this source at /etc/app. */
export const configured = (source: object, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
    spec: { volumes: [{ name: 'conf', ...source }] },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(...lines),
});
/** A pod with ConfigMap app at /etc/app. */
export const withFiles: PodGiven = {
  container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
  spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] },
};
/** A pod with these ConfigMaps whose container has ended with these words. */
export const endedWith = (
  given: PodGiven,
  lines: readonly string[],
  configs: readonly ConfigEvidence[] = [],
): Partial<PodEvidence> => ({
  pod: pod({ ...given, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(...lines),
  configs,
});
export const stuck = (reason: string, message: string): Partial<PodEvidence> => ({
  pod: pod({ status: waiting(reason, message), podStatus: { phase: 'Pending' } }),
});
export const limit = { resources: { limits: { memory: '64Mi' }, requests: { memory: '64Mi' } } };
export const unscheduled = (message: string, spec: object = {}): Partial<PodEvidence> => ({
  pod: {
    ...pod({ spec: { ...spec, nodeName: undefined }, metadata: { labels: { app: 'web' } } }),
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    },
  },
});
export const creating = (events: PodEvidence['events'], spec: object = {}): Partial<PodEvidence> => ({
  pod: pod({ status: waiting('ContainerCreating'), podStatus: { phase: 'Pending' }, spec }),
  events,
});
export const startError = (message: string): Partial<PodEvidence> => ({
  pod: pod({ status: crashed({ exitCode: 128, reason: 'StartError', message, lived: 0 }) }),
});
export const runc =
  'failed to create containerd task: OCI runtime create failed: runc create failed: unable to start container process: ';
export const pull = (problem: string): Partial<PodEvidence> =>
  stuck('ImagePullBackOff', `Back-off pulling image "registry.example/web:1": ErrImagePull: ${problem}`);
export const resolve =
  'failed to pull and unpack image "registry.example/web:1": failed to resolve reference "registry.example/web:1": ';

/** Checks for each case the id, the text and the evidence of the first finding. */
export function tellsEach(cases: readonly Case[]): void {
  it.each<Case>([...cases])('%s', (_what, given, id, says, quotes = []) => {
    const { findings } = diagnosePod(evidence(given));
    const [first] = findings;
    expect(findings.map((finding) => finding.id)).toContain(id);
    expect(first?.id).toBe(id);
    expect(first?.says).toMatch(says);
    const text = (first?.evidence ?? []).map((quote) => quoteText(quote, NOW)).join('\n');
    expect(text).not.toBe('');
    for (const quote of quotes) expect(text).toMatch(quote);
  });
}
