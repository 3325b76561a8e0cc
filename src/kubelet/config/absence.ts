/**
 * Asks the server about pods that are missing in a list, because a missing pod is not necessarily deleted: its object may be
 * damaged in the server's store, or the list incomplete. Before the containers of such a pod end, the server is asked for it
 * by name. The question is a list, since a node may not read a pod that the server cannot show to be its own.
 */
import { PODS } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { type Clock, errorMessage, type Logger } from '../../lib/index.ts';
import type { PodUID } from '../types.ts';
import { ABSENCE_RETRY_MS } from './limits.ts';

export interface AbsenceOptions {
  readonly client: KubeClient;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** An answer is there. */
  readonly onAnswer: (uid: PodUID) => void;
}

interface Question {
  readonly namespace: string;
  readonly name: string;
  answer?: { readonly isGone: boolean /** Mono ms. */; readonly at: number };
}

export class Absence {
  readonly #options: AbsenceOptions;
  readonly #questions = new Map<PodUID, Question>();

  constructor(options: AbsenceOptions) {
    this.#options = options;
  }

  /** True once the server has said that this pod is no more; until then it is being asked. */
  isGone(uid: PodUID, namespace: string, name: string): boolean {
    const known = this.#questions.get(uid);
    if (known?.answer?.isGone === true) return true;
    const isOld = known?.answer !== undefined && this.#options.clock.now().mono - known.answer.at >= ABSENCE_RETRY_MS;
    if (known === undefined || isOld) void this.#ask(uid, namespace, name);
    return false;
  }

  /** It is there again, or nothing is left of it. */
  forget(uid: PodUID): void {
    this.#questions.delete(uid);
  }

  async #ask(uid: PodUID, namespace: string, name: string): Promise<void> {
    const question: Question = { namespace, name };
    this.#questions.set(uid, question);
    const isGone = await this.#isGone(uid, namespace, name);
    if (this.#questions.get(uid) !== question) return;
    question.answer = { isGone, at: this.#options.clock.now().mono };
    this.#options.onAnswer(uid);
  }

  async #isGone(uid: PodUID, namespace: string, name: string): Promise<boolean> {
    const fieldSelector = `spec.nodeName=${this.#options.nodeName},metadata.name=${name}`;
    try {
      const { items } = await this.#options.client.list(PODS, { namespace, fieldSelector });
      return items.every((pod) => pod.metadata?.uid !== uid);
    } catch (error) {
      const fields = { pod: `${namespace}/${name}`, uid, error: errorMessage(error) };
      this.#options.logger.warn(
        'a pod is missing in the list, and the server does not say that it is gone: it is kept',
        fields,
      );
      return false;
    }
  }
}
