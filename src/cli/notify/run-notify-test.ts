/** Asks the controller for a test message, and waits for what the target answered. */
import {
  CLUSTER_NOTIFICATIONS,
  type ClusterNotification,
  findCondition,
  isNotFound,
  NOTIFICATION_ACCEPTED,
  NOTIFICATIONS,
  type NotificationTest,
  type Resource,
  TEST_NOTIFICATION,
} from '../../api/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';

export interface NotifyTestOptions {
  readonly name: string;
  readonly clusterWide: boolean;
  readonly timeoutMs: number;
}

const LOOK_AGAIN_MS = 250;

type Session = Pick<ClusterSession, 'client' | 'namespace' | 'clock' | 'signal' | 'out' | 'err'>;

/** Throws StatusErrors and ConnectionErrors of the API server. */
export async function runNotifyTest(session: Session, options: NotifyTestOptions): Promise<ExitCode> {
  const { client, clock, signal, out, err } = session;
  const resource: Resource<ClusterNotification> = options.clusterWide ? CLUSTER_NOTIFICATIONS : NOTIFICATIONS;
  const namespace = options.clusterWide ? undefined : session.namespace;
  const what = `${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}${options.name}`;
  const began = clock.now();
  // Each trial has a name of its own; two people who ask in the same millisecond get one message.
  const id = new Date(began.wall).toISOString();
  const patch = { metadata: { annotations: { [TEST_NOTIFICATION]: id } } };
  try {
    await client.patch(resource, namespace, options.name, 'merge', patch, undefined, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    err(`mendlet: there is no ${what}, or this cluster does not know the kind (deploy/crds.yaml)\n`);
    return exitCodes.failed;
  }
  while (!signal.aborted && clock.now().mono - began.mono < options.timeoutMs) {
    const object = await client.get(resource, namespace, options.name, signal);
    const { test, conditions } = object.status ?? {};
    if (test?.id === id) return tell(test, what, session);
    const accepted = findCondition(conditions, NOTIFICATION_ACCEPTED);
    if (accepted?.status === 'False' && object.status?.observedGeneration === object.metadata?.generation) {
      err(`mendlet: ${what} cannot be used: ${accepted.message ?? accepted.reason ?? ''}\n`);
      return exitCodes.failed;
    }
    await clock.sleep(LOOK_AGAIN_MS, signal).catch(() => {});
  }
  if (signal.aborted) return exitCodes.failed;
  const seconds = Math.round(options.timeoutMs / 1000);
  out(
    `no answer within ${seconds}s: does a control plane of mendlet, or "mendlet healer", run the healing controllers?\n`,
  );
  return exitCodes.failed;
}

function tell({ delivered, answer = '' }: NotificationTest, what: string, { out }: Session): ExitCode {
  out(delivered === true ? `${what}: the target answered ${answer}\n` : `${what}: not delivered: ${answer}\n`);
  return delivered === true ? exitCodes.done : exitCodes.failed;
}
