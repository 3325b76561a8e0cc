/** PodRestart objects → requests on their pods, and what became of them. Keys are pods, whether they exist or not. */
import {
  equalJson,
  HEALING_STATE,
  isDeleting,
  isNotFound,
  namespaceOf,
  nameOf,
  type Node,
  NODES,
  type Pod,
  POD_RESTARTS,
  type PodRestart,
  PODS,
  quotedReason,
  RESTART_REQUEST,
  uidOf,
} from '../../api/index.ts';
import {
  type Change,
  type EventRecorder,
  keyOf,
  type KubeClient,
  referenceTo,
  splitKey,
  type Informers,
} from '../../client/index.ts';
import type { Clock, Counter } from '../../lib/index.ts';
import { BY_NODE, BY_POD } from '../indexes.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { statusPatch } from '../status-patch.ts';
import { annotatePod } from './annotate-pod.ts';
import { isFinished, planPodRestarts, type RestartsPlan } from './plan-pod-restarts.ts';

export interface PodRestartOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly informers: Informers;
  readonly events: EventRecorder;
  /** By phase and reason. */
  readonly finished: Counter;
  readonly foreignServer: boolean;
}

export function podRestartController(options: PodRestartOptions): Controller {
  const { client, clock, informers, events, finished, foreignServer } = options;
  const restarts = informers.lister(POD_RESTARTS);
  const pods = informers.lister(PODS);
  const nodes = informers.lister(NODES);
  /** Pod → the request that was put on it last. */
  const askedLast = new Map<string, string>();
  const isAwaited = (key: string): boolean => restarts.byIndex(BY_POD, key).some((restart) => !isFinished(restart));

  /** A restart that is as new as its pod may be seen before it: the server itself is asked. */
  const findPod = async (key: string, signal: AbortSignal): Promise<Pod | undefined> => {
    const known = pods.getByKey(key);
    if (known !== undefined || !isAwaited(key)) return known;
    const { namespace, name } = splitKey(key);
    try {
      return await client.get(PODS, namespace, name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  const carryOut = async (
    key: string,
    plan: RestartsPlan,
    pod: Pod | undefined,
    context: ReconcileContext,
  ): Promise<void> => {
    if (plan.request !== undefined && pod !== undefined) {
      if (plan.id === undefined) askedLast.delete(key);
      else askedLast.set(key, plan.id);
      await context.write(annotatePod(pod, { [RESTART_REQUEST]: plan.request }));
      if (plan.asked !== undefined)
        events.event(referenceTo(pod), 'Normal', 'PodRestartRequested', requestText(plan.asked));
    }
    for (const { restart, status } of plan.statuses) {
      const operation = statusPatch(POD_RESTARTS, restart, status);
      if (operation === undefined || (await context.write(operation)) === undefined) continue;
      if (isFinished({ status })) finished.inc({ phase: status.phase ?? '', reason: status.reason ?? '' });
    }
    for (const restart of plan.expired) await context.write(deletionOf(restart));
  };

  return {
    name: 'pod-restart',
    sources: [
      source(POD_RESTARTS, ({ object }) => [podKeyOf(object)]),
      source(PODS, (change) => {
        const key = keyOf(namespaceOf(change.object), nameOf(change.object));
        return isAwaited(key) && (change.type === 'delete' || isNews(change)) ? [key] : [];
      }),
      source(NODES, (change) => (changesAnswer(change) ? awaitedOn(nameOf(change.object), isAwaited, informers) : [])),
    ],
    reconcile: async (key, context): Promise<ReconcileResult | void> => {
      const own = restarts.byIndex(BY_POD, key);
      if (own.length === 0 && !askedLast.has(key)) return undefined;
      const pod = await findPod(key, context.signal);
      if (pod === undefined) askedLast.delete(key);
      const node = nodes.getByKey(pod?.spec?.nodeName ?? '');
      const plan = planPodRestarts({
        restarts: own,
        pod,
        node,
        askedLast: askedLast.get(key),
        foreignServer,
        now: clock.now().wall,
      });
      await carryOut(key, plan, pod, context);
      return plan.wakeAfterMs === undefined ? undefined : { requeueAfterMs: plan.wakeAfterMs };
    },
  };
}

function podKeyOf({ metadata, spec }: PodRestart): string {
  return keyOf(metadata?.namespace, spec?.podName ?? '');
}

function isNews({ object, previous }: Extract<Change<Pod>, { type: 'apply' }>): boolean {
  if (previous === undefined) return true;
  const facts = (pod: Pod): unknown => [
    pod.metadata?.uid,
    pod.metadata?.annotations?.[RESTART_REQUEST],
    pod.metadata?.annotations?.[HEALING_STATE],
    pod.spec?.nodeName,
    isDeleting(pod),
    isPodTerminal(pod),
  ];
  return !equalJson(facts(object), facts(previous));
}

/** The part of a status that concerns a node. */
function changesAnswer(change: Change<Node>): boolean {
  if (change.type === 'delete' || change.previous === undefined) return true;
  const facts = ({ status }: Node): unknown => [
    status?.nodeInfo?.kubeletVersion,
    status?.conditions?.find(({ type }) => type === 'Ready')?.status,
  ];
  return !equalJson(facts(change.object), facts(change.previous));
}

function awaitedOn(node: string, isAwaited: (key: string) => boolean, informers: Informers): readonly string[] {
  const keys = informers
    .lister(PODS)
    .byIndex(BY_NODE, node)
    .map((pod) => keyOf(namespaceOf(pod), nameOf(pod)));
  return keys.filter(isAwaited);
}

const WHAT = { container: 'container', containers: 'all containers', pod: 'the pod' } as const;

function requestText({ spec = {} }: PodRestart): string {
  const { scope = 'pod', container, requestedBy, reason } = spec;
  const what = scope === 'container' ? `${WHAT.container} ${container ?? ''}` : WHAT[scope];
  const who = requestedBy === undefined || requestedBy === '' ? 'Somebody' : requestedBy;
  return `${who} asked for a restart of ${what}${reason === undefined || reason === '' ? '' : `: ${quotedReason(reason)}`}`;
}

function deletionOf(restart: PodRestart) {
  const [namespace, name] = [namespaceOf(restart), nameOf(restart)];
  return { verb: 'delete', resource: POD_RESTARTS, namespace, name, options: { uid: uidOf(restart) } } as const;
}
