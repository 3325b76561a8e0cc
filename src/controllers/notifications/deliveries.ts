/** Sends messages to targets, and remembers of each how its tries went. */
import {
  type ClusterNotification,
  type KubeObject,
  namespaceOf,
  nameOf,
  type ResolvedNotification,
  type Secret,
  uidOf,
} from '../../api/index.ts';
import { type EventRecorder, objectKey, referenceTo } from '../../client/index.ts';
import { BoundedMap, type Clock, type Counter, type MetricsRegistry, type Random } from '../../lib/index.ts';
import { MAX_REMEMBERED } from './limits.ts';
import type { Message, Sender } from './message.ts';
import type { NoticeSender, SendResult } from './notice-sender.ts';
import { retryDelay } from './retry-schedule.ts';
import { targetValues } from './secret-values.ts';
import { shapeMessage } from './shapes.ts';

/** What is remembered of an object while the process lives. */
export interface Memory {
  /** Of which spec and object this tells. */
  readonly version: string;
  /** In a row. */
  failures: number;
  /** Mono ms. */
  nextTryAt: number;
  lastTestAt: number;
  /** Ids of words that the target has, which the status may not say yet. */
  told: ReadonlySet<string>;
  /** Ids of troubles that were counted as dropped. */
  refused: ReadonlySet<string>;
}

export interface DeliveryParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: MetricsRegistry;
  readonly events: EventRecorder;
  readonly send: NoticeSender;
  readonly readSecret: (namespace: string, name: string, signal: AbortSignal) => Promise<Secret>;
}

export class Deliveries {
  readonly #parts: DeliveryParts;
  readonly #memories = new BoundedMap<string, Memory>(MAX_REMEMBERED);
  readonly #messages: Counter;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#messages = parts.metrics.counter({
      name: 'mendlet_notification_messages_total',
      help: 'Messages of notifications that were sent, by type of target and result: delivered, or why not.',
      labels: ['type', 'result'],
    });
  }

  /** A new one when the spec changed: it may be repaired. */
  memory(object: ClusterNotification): Memory {
    const key = objectKey(object);
    const version = `${uidOf(object)} ${object.metadata?.generation ?? 0}`;
    const known = this.#memories.get(key);
    if (known?.version === version) return known;
    const fresh: Memory = {
      version,
      failures: 0,
      nextTryAt: Number.NEGATIVE_INFINITY,
      lastTestAt: Number.NEGATIVE_INFINITY,
      told: known?.told ?? new Set(),
      refused: new Set(),
    };
    this.#memories.set(key, fresh);
    return fresh;
  }

  forget(key: string): void {
    this.#memories.delete(key);
  }

  /** One try. Rejects only when the API server did not answer about a Secret. */
  async send(
    object: ClusterNotification,
    settings: ResolvedNotification,
    message: Message,
    signal: AbortSignal,
  ): Promise<SendResult> {
    const { readSecret, send } = this.#parts;
    const { target, repeatAfterMs } = settings;
    const values = await targetValues(target, (namespace, name) => readSecret(namespace, name, signal));
    const result: SendResult =
      'problem' in values
        ? { delivered: false, reason: 'Secret', problem: values.problem }
        : await send(
            {
              ...withHeaders(
                shapeMessage(target.type, message, {
                  url: values.url,
                  ...(repeatAfterMs === undefined ? {} : { repeatAfterMs }),
                }),
                values.headers,
              ),
              secrets: values.secrets,
              ...(target.authorityPem === undefined ? {} : { authorityPem: target.authorityPem }),
            },
            signal,
          );
    this.#messages.inc({ type: target.type, result: result.delivered ? 'delivered' : result.reason });
    this.#note(object, result, message.isTest);
    return result;
  }

  /** A failed trial is answered to who asked for it, and changes nothing about the tries of real messages. */
  #note(object: ClusterNotification, result: SendResult, isTest: boolean): void {
    const { clock, random, events } = this.#parts;
    const memory = this.memory(object);
    if (result.delivered) {
      if (memory.failures > 0)
        events.event(
          referenceTo(withKind(object)),
          'Normal',
          'NotificationDelivered',
          'the target takes messages again',
        );
      memory.failures = 0;
      memory.nextTryAt = Number.NEGATIVE_INFINITY;
      return;
    }
    if (isTest) return;
    memory.failures += 1;
    memory.nextTryAt = clock.now().mono + retryDelay(memory.failures, result.retryAfterMs, random);
    const text = `a message is not delivered, and is sent again later: ${result.problem}`;
    events.event(referenceTo(withKind(object)), 'Warning', 'NotificationFailed', text);
  }
}

/** The object's own headers win, so that a proxy's peculiarities can be met. */
function withHeaders<T extends { readonly headers: Readonly<Record<string, string>> }>(
  message: T,
  headers: Readonly<Record<string, string>>,
): T {
  return { ...message, headers: { ...message.headers, ...headers } };
}

/** The kind of an object, which lists leave out. */
export function kindOf(object: KubeObject): string {
  return namespaceOf(object) === '' ? 'ClusterNotification' : 'Notification';
}

function withKind(object: ClusterNotification): ClusterNotification {
  return { ...object, apiVersion: 'mendlet.dev/v1', kind: kindOf(object) };
}

export function senderOf(object: ClusterNotification): Sender {
  const namespace = namespaceOf(object);
  const kind = kindOf(object);
  return { kind, ...(namespace === '' ? {} : { namespace }), name: nameOf(object), uid: uidOf(object) };
}
