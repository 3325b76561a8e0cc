/**
 * Tells targets when healing needs a person. Keys are Notifications (NAMESPACE/NAME) and ClusterNotifications (NAME).
 *
 * A reconcile plans what is to be told, writes that to the object's status, and sends it when the lister shows the status: so a
 * message is sent again only if the process ended between the target's answer and the write that notes it, and then with the same
 * id. Messages go out within reconciles of this controller, and nothing else waits for them.
 */
import {
  CLUSTER_NOTIFICATIONS,
  type ClusterNotification,
  equalJson,
  isDeleting,
  MAX_TEST_ID_LENGTH,
  namespaceOf,
  NOTIFICATIONS,
  type NotificationNotice,
  printFieldErrors,
  resolveNotification,
  type ResolvedNotification,
  SECRETS,
  TEST_NOTIFICATION,
  validateNotification,
} from '../../api/index.ts';
import type { EventRecorder, Informers, KubeClient } from '../../client/index.ts';
import { type Clock, type Counter, formatTime, type MetricsRegistry, type Random } from '../../lib/index.ts';
import type { Controller, ReconcileContext, ReconcileResult } from '../controller.ts';
import { statusPatch } from '../status-patch.ts';
import { Deliveries, type Memory, senderOf } from './deliveries.ts';
import { MAX_SENDING, MIN_TEST_INTERVAL_MS, NO_PLACE_RETRY_MS } from './limits.ts';
import { composeMessage, composeTest, firstOf } from './message.ts';
import type { NoticeSender } from './notice-sender.ts';
import { acknowledge, type DueNotice, needsNoWord, type NoticePlan, planNotices, wordId } from './plan-notices.ts';
import { nextStatus, type StatusChange } from './plan-status.ts';
import { selectTroubles } from './select-troubles.ts';
import { SendingPlaces } from './sending-places.ts';
import { TroubleWatch } from './trouble-watch.ts';

export interface NotificationParts {
  readonly informers: Informers;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: MetricsRegistry;
  readonly events: EventRecorder;
  readonly send: NoticeSender;
}

/** The source of its events. */
export const NOTIFICATIONS_COMPONENT = 'mendlet-notification-controller';
/** Reconciles that plan are never held up by those that send. */
const PLANNING = 8;

export function notificationController(parts: NotificationParts): Controller {
  const { informers, client, clock } = parts;
  const watch = new TroubleWatch(informers, clock);
  const readSecret = (namespace: string, name: string, signal: AbortSignal) =>
    client.get(SECRETS, namespace, name, signal);
  const deliveries = new Deliveries({ ...parts, readSecret });
  const reconciler = new NotificationReconciler(parts, watch, deliveries);
  return {
    name: 'notifications',
    sources: watch.sources,
    concurrency: MAX_SENDING + PLANNING,
    reconcile: async (key, context) => {
      const object = watch.notification(key);
      if (object !== undefined && !isDeleting(object)) return reconciler.reconcile(object, context);
      deliveries.forget(key);
      return undefined;
    },
  };
}

class NotificationReconciler {
  readonly #clock: Clock;
  readonly #watch: TroubleWatch;
  readonly #deliveries: Deliveries;
  readonly #places = new SendingPlaces();
  readonly #dropped: Counter;

  constructor({ clock, metrics }: NotificationParts, watch: TroubleWatch, deliveries: Deliveries) {
    this.#clock = clock;
    this.#watch = watch;
    this.#deliveries = deliveries;
    this.#dropped = metrics.counter({
      name: 'mendlet_notification_troubles_dropped_total',
      help: 'Troubles that were not told because too many others were open.',
    });
  }

  async reconcile(object: ClusterNotification, context: ReconcileContext): Promise<ReconcileResult | void> {
    const clusterWide = namespaceOf(object) === '';
    const errors = validateNotification(object, clusterWide);
    if (errors.length > 0) {
      await this.#write(object, { problem: printFieldErrors(errors) }, context);
      return undefined;
    }
    const settings = resolveNotification(object.spec ?? {}, clusterWide ? undefined : namespaceOf(object));
    const testId = wantedTest(object);
    if (testId !== undefined) return this.#test(object, settings, testId, context);
    const memory = this.#deliveries.memory(object);
    const { plan, due, notices } = this.#plan(object, settings, memory);
    const dropped = plan.refused.filter((id) => !memory.refused.has(id));
    const isNoted = equalJson(notices, object.status?.notices ?? []) && dropped.length === 0;
    if (!isNoted || !isObserved(object)) {
      memory.refused = new Set(plan.refused);
      if (dropped.length > 0) this.#dropped.inc({}, dropped.length);
      await this.#write(object, { notices, dropped: dropped.length }, context);
      return this.#later(plan);
    }
    memory.told = new Set();
    if (due.length === 0) return this.#later(plan);
    const waitMs = memory.nextTryAt - this.#clock.now().mono;
    if (waitMs > 0) return { requeueAfterMs: Math.min(waitMs, this.#later(plan)?.requeueAfterMs ?? waitMs) };
    return this.#send(object, settings, due, context);
  }

  #plan(
    object: ClusterNotification,
    settings: ResolvedNotification,
    memory: Memory,
  ): {
    readonly plan: NoticePlan;
    readonly due: readonly DueNotice[];
    readonly notices: readonly NotificationNotice[];
  } {
    const now = this.#clock.now().wall;
    const namespace = namespaceOf(object) === '' ? undefined : namespaceOf(object);
    const selected = selectTroubles(this.#watch.troubles(namespace), settings, namespace, this.#watch.facts);
    const plan = planNotices({ notices: object.status?.notices ?? [], ...selected, settings, now });
    const isDone = (each: DueNotice): boolean => needsNoWord(each, settings.triggers) || memory.told.has(wordId(each));
    const notices = acknowledge(plan.notices, plan.due.filter(isDone), now);
    return { plan, notices, due: plan.due.filter((each) => !isDone(each)) };
  }

  async #send(
    object: ClusterNotification,
    settings: ResolvedNotification,
    due: readonly DueNotice[],
    context: ReconcileContext,
  ): Promise<ReconcileResult | void> {
    const hasFailed = this.#deliveries.memory(object).failures > 0;
    const giveBack = this.#places.take(namespaceOf(object), hasFailed);
    if (giveBack === undefined) return { requeueAfterMs: NO_PLACE_RETRY_MS };
    const first = firstOf(due);
    const { wall } = this.#clock.now();
    const message = composeMessage(first, {
      sender: senderOf(object),
      ...(settings.cluster === undefined ? {} : { cluster: settings.cluster }),
      at: wall,
      endOf: (notice) => this.#watch.endOf(notice),
    });
    try {
      const result = await this.#deliveries.send(object, settings, message, context.signal);
      if (context.signal.aborted && !result.delivered) return undefined;
      const memory = this.#deliveries.memory(object);
      if (result.delivered) memory.told = new Set(first.map(wordId));
      const now = this.#clock.now().wall;
      const before = object.status?.notices ?? [];
      const notices = result.delivered ? acknowledge(before, first, now) : before;
      await this.#write(object, { notices, result }, context);
    } finally {
      giveBack();
    }
    return undefined;
  }

  /** Somebody waits for the answer: it comes at once, whatever waits or has failed before. */
  async #test(
    object: ClusterNotification,
    settings: ResolvedNotification,
    id: string,
    context: ReconcileContext,
  ): Promise<ReconcileResult | void> {
    const memory = this.#deliveries.memory(object);
    const waitMs = memory.lastTestAt + MIN_TEST_INTERVAL_MS - this.#clock.now().mono;
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    const giveBack = this.#places.take(namespaceOf(object));
    if (giveBack === undefined) return { requeueAfterMs: NO_PLACE_RETRY_MS };
    try {
      const { mono, wall } = this.#clock.now();
      memory.lastTestAt = mono;
      const cluster = settings.cluster === undefined ? {} : { cluster: settings.cluster };
      const message = composeTest(id, { sender: senderOf(object), ...cluster, at: wall });
      const result = await this.#deliveries.send(object, settings, message, context.signal);
      if (context.signal.aborted && !result.delivered) return undefined;
      const answer = result.delivered ? result.answer : result.problem;
      const test = { id, time: formatTime(this.#clock.now().wall), delivered: result.delivered, answer };
      await this.#write(object, { result, test }, context);
    } finally {
      giveBack();
    }
    return undefined;
  }

  #later({ wakeAt }: NoticePlan): ReconcileResult | undefined {
    // A little more, so that the second that a time is cut to is over.
    return wakeAt === undefined ? undefined : { requeueAfterMs: Math.max(0, wakeAt - this.#clock.now().wall) + 1 };
  }

  async #write(object: ClusterNotification, change: StatusChange, context: ReconcileContext): Promise<void> {
    const resource = namespaceOf(object) === '' ? CLUSTER_NOTIFICATIONS : NOTIFICATIONS;
    const operation = statusPatch(resource, object, nextStatus(object, change, this.#clock.now().wall));
    if (operation !== undefined) await context.write(operation);
  }
}

/** The trial that is asked for, unless it has been answered. */
function wantedTest({ metadata, status }: ClusterNotification): string | undefined {
  const id = metadata?.annotations?.[TEST_NOTIFICATION]?.slice(0, MAX_TEST_ID_LENGTH);
  return id === undefined || id === '' || id === status?.test?.id ? undefined : id;
}

function isObserved({ metadata, status }: ClusterNotification): boolean {
  return status?.observedGeneration === metadata?.generation;
}
