/**
 * Converts the objects of one definition by its webhook. Each version of each object is converted once, for all its readers; several are
 * sent in one review, and a bounded number of reviews is under way. Nobody waits longer than half a minute, his turn included.
 *
 *   objects → those that lack the version, and that nobody asks for already → reviews → checked, pruned → remembered with the object
 */
import {
  checkConverted,
  ConversionError,
  conversionReview,
  type CustomResourceDefinition,
  readReview,
  reviewVersionOf,
  StatusError,
} from '../../api/index.ts';
import { errorMessage, orAborted, Semaphore } from '../../lib/index.ts';
import { objectText } from '../cache/object-text.ts';
import {
  CONVERSION_BATCH,
  CONVERSION_BATCH_CHARACTERS,
  CONVERSION_LOG_INTERVAL_MS,
  CONVERSIONS_AT_ONCE,
  MAX_WAITING_CONVERSIONS,
  WEBHOOK_TIMEOUT_MS,
} from '../limits.ts';
import type { ServerPorts } from '../call.ts';
import type { ApiObject } from '../registry/object.ts';
import type { WebhookCaller } from '../webhooks/webhook-caller.ts';
import type { ConversionMetrics } from './conversion-metrics.ts';
import { ConvertedTexts } from './converted-texts.ts';

export interface ConverterParts {
  readonly ports: ServerPorts;
  readonly webhooks: WebhookCaller;
  readonly metrics: ConversionMetrics;
}

/** Makes of a converted object what the kind is in that version: without what its schema does not know. */
export type ReadConverted = (object: ApiObject) => ApiObject;

/** The conversions to one version, in one direction. */
interface Memory {
  readonly done: WeakMap<ApiObject, ApiObject>;
  readonly underWay: WeakMap<ApiObject, Promise<void>>;
}

export class WebhookConverter {
  readonly #parts: ConverterParts;
  readonly #definition: CustomResourceDefinition;
  readonly #memories = new Map<ReadConverted, Memory>();
  readonly #turns = new Semaphore(CONVERSIONS_AT_ONCE);
  /** Objects in the middle of a write, by version and text: they are made anew each time they are looked at. */
  readonly #texts = new ConvertedTexts();
  #waiting = 0;
  #toldAt: number | undefined;

  constructor(definition: CustomResourceDefinition, parts: ConverterParts) {
    this.#definition = definition;
    this.#parts = parts;
  }

  /** The object in another version, if it has been converted. */
  converted(object: ApiObject, read: ReadConverted): ApiObject | undefined {
    return this.#memories.get(read)?.done.get(object);
  }

  /** Converts those that are not converted yet; undefined: all are. Rejects with 500. */
  convert(objects: readonly ApiObject[], apiVersion: string, read: ReadConverted): Promise<void> | undefined {
    const memory = this.#memoryOf(read);
    const left = objects.filter((object) => object.apiVersion !== apiVersion && !memory.done.has(object));
    return left.length === 0 ? undefined : this.#convertAll(new Set(left), apiVersion, read, memory);
  }

  /** The same of an object that is not kept; undefined: `convertText` has not been asked for it. */
  convertedText(object: ApiObject, apiVersion: string): ApiObject | undefined {
    return this.#texts.get(`${apiVersion} ${objectText(object)}`);
  }

  async convertText(object: ApiObject, apiVersion: string, read: ReadConverted): Promise<void> {
    const key = `${apiVersion} ${objectText(object)}`;
    await this.convert([object], apiVersion, read);
    const converted = this.converted(object, read);
    if (converted !== undefined) this.#texts.set(key, converted);
  }

  #memoryOf(read: ReadConverted): Memory {
    let memory = this.#memories.get(read);
    if (memory === undefined) {
      memory = { done: new WeakMap(), underWay: new WeakMap() };
      this.#memories.set(read, memory);
    }
    return memory;
  }

  async #convertAll(
    objects: ReadonlySet<ApiObject>,
    apiVersion: string,
    read: ReadConverted,
    memory: Memory,
  ): Promise<void> {
    const asked = new Set<Promise<void>>();
    const own: ApiObject[] = [];
    for (const object of objects) {
      const pending = memory.underWay.get(object);
      if (pending === undefined) own.push(object);
      else asked.add(pending);
    }
    if (own.length > 0) {
      const work = this.#inBatches(own, apiVersion, read, memory).finally(() => {
        for (const object of own) memory.underWay.delete(object);
      });
      for (const object of own) memory.underWay.set(object, work);
      asked.add(work);
    }
    await Promise.all(asked);
  }

  async #inBatches(
    objects: readonly ApiObject[],
    apiVersion: string,
    read: ReadConverted,
    memory: Memory,
  ): Promise<void> {
    const { breather } = this.#parts.ports;
    let batch: { readonly object: ApiObject; readonly text: string }[] = [];
    let characters = 0;
    const send = async (): Promise<void> => {
      const converted = await this.#review(batch, apiVersion);
      for (const [position, { object }] of batch.entries()) {
        const pause = breather.pause();
        if (pause !== undefined) await pause;
        const alone = batch.length === 1 ? undefined : position;
        const checked = this.#checked(object, () => checkConverted(object, converted[position], apiVersion, alone));
        memory.done.set(object, read(checked as unknown as ApiObject));
      }
      batch = [];
      characters = 0;
    };
    for (const object of objects) {
      const pause = breather.pause();
      if (pause !== undefined) await pause;
      const text = objectText(object);
      if (
        batch.length >= CONVERSION_BATCH ||
        (batch.length > 0 && characters + text.length > CONVERSION_BATCH_CHARACTERS)
      )
        await send();
      batch.push({ object, text });
      characters += text.length;
    }
    await send();
  }

  /** The converted objects as they were answered. */
  async #review(
    batch: readonly { readonly object: ApiObject; readonly text: string }[],
    apiVersion: string,
  ): Promise<readonly unknown[]> {
    const { clock, random } = this.#parts.ports;
    const began = clock.now().mono;
    const deadline = new AbortController();
    const timer = clock.setTimer(WEBHOOK_TIMEOUT_MS, () => deadline.abort(new Error(LATE)));
    const first = batch[0]?.object ?? { metadata: {} };
    let fault = '';
    try {
      return await this.#inTurn(deadline.signal, async () => {
        const uid = random.uuid();
        const objects = batch.map(({ text }) => text);
        return this.#ask({ uid, desired: apiVersion, objects }, deadline.signal);
      });
    } catch (error) {
      fault = error instanceof ConversionError ? error.fault : 'conversion_webhook_call_failure';
      const text = error instanceof ConversionError ? error.message : `failed: ${errorMessage(error)}`;
      throw this.#failure(first, text, error);
    } finally {
      timer.cancel();
      const seconds = (clock.now().mono - began) / 1000;
      this.#parts.metrics.observeRequest(fault, seconds);
      const versions = { from: versionOf(first.apiVersion), to: versionOf(apiVersion) };
      this.#parts.metrics.observeConversion({ definition: this.#name, ...versions }, fault === '', seconds);
    }
  }

  async #ask(
    request: { readonly uid: string; readonly desired: string; readonly objects: readonly string[] },
    signal: AbortSignal,
  ): Promise<readonly unknown[]> {
    const { conversion } = this.#definition.spec;
    const client = conversion?.webhook?.clientConfig;
    const version = conversion === undefined ? undefined : reviewVersionOf(conversion);
    if (client === undefined || version === undefined) throw new Error('no supported conversion review versions');
    const body = conversionReview(version, request);
    const answer = await this.#parts.webhooks.ask({ client, body, timeoutMs: WEBHOOK_TIMEOUT_MS, signal });
    const converted = readReview(version, request.uid, answer);
    const [given, wanted] = [converted.length, request.objects.length];
    if (given !== wanted)
      throw new ConversionError(
        'conversion_webhook_partial_response_failure',
        `returned ${given} objects, expected ${wanted}`,
      );
    return converted;
  }

  async #inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING_CONVERSIONS) throw new Error('too many conversions wait for the webhook');
    this.#waiting += 1;
    const turn = this.#turns.acquire();
    let release: () => void;
    try {
      release = await orAborted(turn, signal);
    } catch (error) {
      void turn.then((free) => free());
      throw error;
    } finally {
      this.#waiting -= 1;
    }
    try {
      return await work();
    } finally {
      release();
    }
  }

  #checked<T>(object: ApiObject, check: () => T): T {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      this.#parts.metrics.observeRequest(error.fault, 0);
      throw this.#failure(object, error.message, error);
    }
  }

  get #name(): string {
    return this.#definition.metadata?.name ?? '';
  }

  /** Upstream's answer has no reason, either. */
  #failure({ apiVersion = '', kind = '' }: ApiObject, text: string, cause: unknown): StatusError {
    const message = `conversion webhook for ${apiVersion}, Kind=${kind} ${text}`;
    this.#tell(message);
    return new StatusError(
      { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 500, message },
      { cause },
    );
  }

  #tell(error: string): void {
    const { clock, logger } = this.#parts.ports;
    const now = clock.now().mono;
    if (this.#toldAt !== undefined && now - this.#toldAt < CONVERSION_LOG_INTERVAL_MS) return;
    this.#toldAt = now;
    logger.warn('objects could not be converted', { definition: this.#name, error });
  }
}

const LATE = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

function versionOf(apiVersion = ''): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}
