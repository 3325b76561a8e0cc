/** Carries out the plan for one volume, node by node, and tells the pods. */
import { nameOf, type Pod, uidOf, VOLUME_ATTACHMENTS, type VolumeAttachment } from '../../api/index.ts';
import { type EventRecorder, referenceTo } from '../../client/index.ts';
import { type Clock, errorMessage, parseTime } from '../../lib/index.ts';
import type { ReconcileContext, ReconcileResult } from '../controller.ts';
import { attachedMessage, attachmentProblem, failedMessage, multiAttachMessage } from './attach-messages.ts';
import type { AttachMetrics } from './attach-metrics.ts';
import {
  type AttachmentListers,
  attachmentState,
  isInUse,
  nodeFacts,
  type Place,
  type VolumeView,
} from './gather-facts.ts';
import { ATTACH_TIMEOUT_MS, LOOK_AGAIN_MS, MAX_WAIT_FOR_UNMOUNT_MS } from './limits.ts';
import { NodeListing } from './node-listing.ts';
import { PlaceMemory } from './place-memory.ts';
import { type ForceReason, type PlaceFacts, planAttachments, type Step } from './plan-attachments.ts';
import type { AttachDetachOptions, AttachDetachSettings } from './settings.ts';

/** What is to be done at one place, with all that it takes. */
interface Situation {
  readonly view: VolumeView;
  readonly place: Place;
  readonly step: Step;
  readonly memory: PlaceMemory;
  readonly context: ReconcileContext;
}

type Memories = Map<string, PlaceMemory>;

export class PlaceWorker {
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  readonly #listers: AttachmentListers;
  readonly #listing: NodeListing;
  readonly #metrics: AttachMetrics;
  readonly #forceAfterMs: number | undefined;
  /** By key, then by node: of places that there are. */
  readonly #memories = new Map<string, Memories>();

  constructor(
    { clock, events, client }: AttachDetachOptions,
    { forceDetachOnTimeout = true }: AttachDetachSettings,
    listers: AttachmentListers,
    metrics: AttachMetrics,
  ) {
    this.#clock = clock;
    this.#events = events;
    this.#listers = listers;
    this.#listing = new NodeListing(client);
    this.#metrics = metrics;
    this.#forceAfterMs = forceDetachOnTimeout ? MAX_WAIT_FOR_UNMOUNT_MS : undefined;
  }

  /** One look at a volume. The first problem at a node does not keep others waiting. */
  async volume(name: string, context: ReconcileContext): Promise<ReconcileResult | void> {
    const view = this.#listers.view(name);
    const memories: Memories = new Map();
    const places = view?.places ?? [];
    const before = this.#memories.get(name);
    for (const { nodeName } of places) memories.set(nodeName, before?.get(nodeName) ?? new PlaceMemory());
    if (places.length === 0) this.#memories.delete(name);
    else this.#memories.set(name, memories);
    if (view === undefined) return undefined;
    const steps = planAttachments(
      places.map((place) => this.#factsOf(place.facts, memories)),
      this.#forceAfterMs,
    );
    const waits: number[] = [];
    const problems: unknown[] = [];
    for (const place of places) {
      const step = steps.get(place.nodeName) ?? { kind: 'none' };
      const memory = memories.get(place.nodeName) ?? new PlaceMemory();
      try {
        const waitMs = await this.#carryOut({ view, place, step, memory, context });
        if (waitMs !== undefined) waits.push(waitMs);
      } catch (error) {
        problems.push(error);
      }
    }
    if (problems.length > 0) throw problems[0];
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
  }

  /** One look at an attachment whose volume is gone, and which its node does not name: it is removed by the same rules. */
  async attachment(name: string, context: ReconcileContext): Promise<ReconcileResult | void> {
    const attachment = this.#listers.attachments.getByKey(name);
    const isOurs = attachment !== undefined && isOurName(name) && this.#listers.isForsaken(attachment);
    if (!isOurs) {
      this.#memories.delete(name);
      return undefined;
    }
    const { nodeName } = attachment.spec;
    const memories = this.#memories.get(name) ?? new Map([[nodeName, new PlaceMemory()]]);
    this.#memories.set(name, memories);
    const node = this.#listers.nodes.getByKey(nodeName);
    const facts = { nodeName, attachment: attachmentState(attachment), ...nodeFacts(node, undefined) };
    const step = planAttachments([this.#factsOf(facts, memories)], this.#forceAfterMs).get(nodeName);
    if (step?.kind === 'detach') await this.#remove(attachment, facts.isInUse ? step.force : undefined, context);
    return step?.kind === 'await-unmount' ? waitOf(step.forceInMs) : undefined;
  }

  #factsOf(facts: Omit<PlaceFacts, 'unheardMs'>, memories: Memories): PlaceFacts {
    const isUnheard = facts.wanted === undefined && (facts.node === 'unheard' || facts.node === 'out-of-service');
    const unheardMs = memories.get(facts.nodeName)?.unheardMs(isUnheard, this.#clock.now().mono) ?? 0;
    return { ...facts, unheardMs };
  }

  async #carryOut(situation: Situation): Promise<number | undefined> {
    const { view, place, step, memory, context } = situation;
    if (step.kind !== 'blocked') memory.blocked(new Map());
    switch (step.kind) {
      case 'attach':
        return await this.#attach(situation);
      case 'await-attach':
        return this.#tellProblem(situation);
      case 'await-detach':
        return place.pods.length === 0 ? undefined : this.#tellProblem(situation);
      case 'list':
        return await this.#list(situation);
      case 'unlist':
        await this.#listing.set(place.nodeName, view.name, false, context);
        return undefined;
      case 'blocked':
        return this.#tellBlocked(situation, step.by);
      case 'detach':
        return await this.#detach(situation, step.force);
      case 'await-unmount':
        return step.forceInMs;
      case 'none':
      case 'keep':
        memory.well();
        return undefined;
    }
  }

  async #attach({ view, place, memory, context }: Situation): Promise<undefined> {
    const { nodeName, volume } = place;
    const object: VolumeAttachment = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: this.#listers.attachmentName(view.source, nodeName) },
      spec: {
        attacher: view.source.driver,
        nodeName,
        source: { persistentVolumeName: volume === undefined ? '' : nameOf(volume) },
      },
    };
    try {
      await context.write({ verb: 'create', resource: VOLUME_ATTACHMENTS, object });
    } catch (error) {
      const { isNews } = memory.problem(this.#clock.now().mono);
      if (isNews) this.#tellFailed(place, errorMessage(error));
      throw error;
    }
  }

  async #list({ view, place, memory, context }: Situation): Promise<undefined> {
    const { nodeName, volume, pods, attachment } = place;
    const node = await this.#listing.set(nodeName, view.name, true, context);
    memory.well();
    if (node === undefined) return;
    const madeAt = parseTime(attachment?.metadata?.creationTimestamp);
    if (madeAt !== undefined)
      this.#metrics.attached(view.source.driver, Math.max(0, this.#clock.now().wall - madeAt) / 1000);
    if (volume !== undefined) this.#tell(pods, 'Normal', 'SuccessfulAttachVolume', attachedMessage(nameOf(volume)));
  }

  async #detach({ view, place, context }: Situation, force: ForceReason | undefined): Promise<number | undefined> {
    const { nodeName, attachment } = place;
    const node = await this.#listing.set(nodeName, view.name, false, context);
    // The server itself has the last word: the node may have begun to use it after what the listers show.
    if (force === undefined && node !== undefined && isInUse(node, view.name)) return LOOK_AGAIN_MS;
    if (attachment !== undefined) await this.#remove(attachment, force, context);
    else if (force !== undefined) this.#metrics.forced(force);
    return undefined;
  }

  async #remove(
    attachment: VolumeAttachment,
    force: ForceReason | undefined,
    context: ReconcileContext,
  ): Promise<void> {
    if (force !== undefined) this.#metrics.forced(force);
    const [name, uid] = [nameOf(attachment), uidOf(attachment)];
    await context.write({ verb: 'delete', resource: VOLUME_ATTACHMENTS, name, options: { uid } });
  }

  /** Resolves to the time after which there may be something to tell, ms. */
  #tellProblem({ view, place, memory }: Situation): number {
    const { attachment } = place;
    const { mono, wall } = this.#clock.now();
    const { creationTimestamp, deletionTimestamp } = attachment?.metadata ?? {};
    const isDeleting = deletionTimestamp !== undefined;
    const { attachError, detachError } = attachment?.status ?? {};
    const wallMs = wall - (parseTime(deletionTimestamp ?? creationTimestamp) ?? wall);
    const ageMs = memory.ageMs(
      `${attachment === undefined ? '' : uidOf(attachment)} ${String(isDeleting)}`,
      wallMs,
      mono,
    );
    const error = (isDeleting ? detachError : attachError)?.message;
    const problem = attachmentProblem({ isDeleting, error }, view.source, ageMs);
    if (problem === undefined) return Math.max(ATTACH_TIMEOUT_MS - ageMs, LOOK_AGAIN_MS);
    const { isNews, againMs } = memory.problem(mono);
    if (isNews) this.#tellFailed(place, problem);
    return againMs;
  }

  #tellBlocked({ view, place, memory }: Situation, by: readonly string[]): number | undefined {
    const { volume, pods } = place;
    const holders = view.places.filter(({ nodeName }) => by.includes(nodeName));
    const leaving = holders.map(({ attachment }) => this.#leavesInMs(attachment, memory));
    // What is being detached right now is no news, unless that takes long.
    if (leaving.every((leftMs) => leftMs > 0)) return Math.min(...leaving);
    const others = holders.flatMap((holder) => holder.pods);
    const name = volume === undefined ? '' : nameOf(volume);
    const texts = new Map(pods.map((pod) => [uidOf(pod), multiAttachMessage(name, pod, others)]));
    const news = new Set(memory.blocked(texts));
    for (const pod of pods)
      if (news.has(uidOf(pod))) this.#tell([pod], 'Warning', 'FailedAttachVolume', texts.get(uidOf(pod)) ?? '');
    return undefined;
  }

  /** How long an attachment that is being removed may still take, ms; 0: it is not being removed, or has taken too long. */
  #leavesInMs(attachment: VolumeAttachment | undefined, memory: PlaceMemory): number {
    const since = parseTime(attachment?.metadata?.deletionTimestamp);
    if (attachment === undefined || since === undefined) return 0;
    const { mono, wall } = this.#clock.now();
    return Math.max(0, ATTACH_TIMEOUT_MS - memory.ageMs(`${uidOf(attachment)} leaves`, wall - since, mono));
  }

  #tellFailed({ pods, volume }: Place, why: string): void {
    if (volume !== undefined) this.#tell(pods, 'Warning', 'FailedAttachVolume', failedMessage(nameOf(volume), why));
  }

  #tell(pods: readonly Pod[], type: 'Normal' | 'Warning', reason: string, message: string): void {
    for (const pod of pods) this.#events.event(referenceTo(pod), type, reason, message);
  }
}

/** Upstream's form. Attachments of other names are somebody else's. */
function isOurName(name: string): boolean {
  return /^csi-[0-9a-f]{64}$/.test(name);
}

function waitOf(forceInMs: number | undefined): ReconcileResult | undefined {
  return forceInMs === undefined ? undefined : { requeueAfterMs: forceInMs };
}
