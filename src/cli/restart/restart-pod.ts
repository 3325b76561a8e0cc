/** Restarts one pod: requests the restart, waits for its end and returns the outcome. */
import { nameOf, type Pod, type PodRestartSpec, PODS, StatusError } from '../../api/index.ts';
import { ConnectionError } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { followRestart } from './follow-restart.ts';
import { type Outcome, outcomeOf, secondsText } from './outcome.ts';
import { containerNames } from './pod-facts.ts';
import { NoRestartsError, requestRestart } from './request-restart.ts';

export interface RestartPodOptions {
  readonly spec: PodRestartSpec;
  readonly wait: boolean;
  readonly timeoutMs: number;
  /** Ends the wait; the restart itself goes on. */
  readonly signal: AbortSignal;
  /** Called with a line about what the restart waits for. */
  readonly note: (line: string) => void;
}

type Session = Pick<ClusterSession, 'client' | 'clock' | 'namespace'>;

/** An error of the server is an outcome, and does not reject. */
export async function restartPod(session: Session, podName: string, options: RestartPodOptions): Promise<Outcome> {
  try {
    const before = await look(session, podName);
    return await askAndWait(session, podName, before, { ...options, spec: withContainer(options.spec, before) });
  } catch (error) {
    const message = problemOf(error);
    if (message === undefined) throw error;
    return { kind: 'failed', text: `pod/${podName} not restarted: ${message}` };
  }
}

function problemOf(error: unknown): string | undefined {
  if (error instanceof ConnectionError) return `the server does not answer (${error.message})`;
  const isTold =
    error instanceof StatusError || error instanceof NoRestartsError || error instanceof WhichContainerError;
  return isTold ? error.message : undefined;
}

/** The pod; undefined when we may request restarts but not read pods. */
async function look({ client, namespace }: Session, podName: string): Promise<Pod | undefined> {
  try {
    return await client.get(PODS, namespace, podName);
  } catch (error) {
    if (error instanceof StatusError && error.code === 403) return undefined;
    throw error;
  }
}

class WhichContainerError extends Error {
  override readonly name = 'WhichContainerError';
}

/** Fills in the container of scope `container` when the pod has only one. */
function withContainer(spec: PodRestartSpec, pod: Pod | undefined): PodRestartSpec {
  if (spec.scope !== 'container' || spec.container !== undefined) return spec;
  const names = pod === undefined ? [] : containerNames(pod);
  const [container] = names;
  if (names.length === 1 && container !== undefined) return { ...spec, container };
  throw new WhichContainerError(
    names.length === 0 ? 'name a container with -c' : `it has ${names.join(', ')}: name one with -c`,
  );
}

async function askAndWait(
  session: Session,
  podName: string,
  before: Pod | undefined,
  options: RestartPodOptions,
): Promise<Outcome> {
  const { spec, wait, timeoutMs, signal, note } = options;
  const { clock } = session;
  const begun = clock.now().mono;
  const made = await requestRestart(session, podName, spec);
  const look = `kubectl get podrestarts ${nameOf(made)} -n ${session.namespace} -o yaml`;
  if (!wait) return { kind: 'left', text: `pod/${podName} restart requested (podrestarts/${nameOf(made)})` };
  const followed = await followRestart(session, {
    made,
    podName,
    ...(before === undefined ? {} : { before }),
    timeoutMs,
    signal,
    note: (text) => note(`pod/${podName}: ${text}`),
  });
  switch (followed.kind) {
    case 'ended': {
      const { restart, pod } = followed;
      const pods = { ...(before === undefined ? {} : { before }), ...(pod === undefined ? {} : { after: pod }) };
      return outcomeOf({ podName, restart, ...pods, tookMs: clock.now().mono - begun });
    }
    case 'timeout': {
      const text = `pod/${podName} not restarted within ${secondsText(timeoutMs)}: ${followed.waitsFor}. It goes on: ${look}`;
      return { kind: 'failed', text };
    }
    case 'interrupted':
      return { kind: 'interrupted', text: `pod/${podName} no longer waited for. Its restart goes on: ${look}` };
    case 'gone':
      return { kind: 'failed', text: `pod/${podName} is gone: it was deleted, or replaced, before its restart ended` };
    case 'unknown':
      return { kind: 'failed', text: `pod/${podName}: ${followed.message}` };
  }
}
