/**
 * The deaths of the pods that a feed shows, from the nodes that remember them. Each death has its pod asked for once, few at a time:
 * that it runs again is in the pod's status;
 * who may not ask, or asks a node of another kind, has what the pod's status says.
 */
import { type Pod, StatusError } from '../../api/index.ts';
import { type ClusterSession, fetchHistory, whyText } from '../../cli/index.ts';
import { BoundedMap } from '../../lib/index.ts';
import { HISTORIES_AT_ONCE, HISTORY_AGAIN_MS, MAX_KNOWN_PODS } from '../limits.ts';
import { deathsOf, endingsOf, type PodDeaths, type PodEndings } from './deaths.ts';

type Session = Pick<ClusterSession, 'client' | 'connection' | 'clock' | 'signal'>;

interface Known {
  /** The ends that its status showed when it was asked for, and the starts after them. */
  readonly asked: Ends;
  /** As its node said. */
  readonly endings?: PodEndings;
  /** Its node did not answer: it is asked again then, mono ms. */
  readonly retryAt?: number;
  readonly deaths?: PodDeaths;
  /** Last words, by container id. */
  readonly words?: ReadonlyMap<string, string>;
}

export class KnownDeaths {
  readonly #session: Session;
  readonly #onNews: () => void;
  /** By UID of the pod. */
  readonly #known = new BoundedMap<string, Known>(MAX_KNOWN_PODS);
  readonly #forbidden = new Set<string>();
  #words = new Map<string, string>();
  #underWay = 0;

  constructor(session: Session, onNews: () => void) {
    this.#session = session;
    this.#onNews = onNews;
  }

  of(uid: string): PodDeaths | undefined {
    return this.#known.get(uid)?.deaths;
  }

  /** The decisive words of a dead container. */
  said(containerId: string): string | undefined {
    return this.#words.get(bare(containerId));
  }

  /** Asks for the pods whose deaths are new; what has no turn now has it at the next call. */
  look(pods: readonly Pod[]): void {
    for (const pod of pods) {
      if (this.#underWay >= HISTORIES_AT_ONCE) return;
      const { uid = '', namespace = '' } = pod.metadata ?? {};
      const ends = endsOf(pod);
      const before = this.#known.get(uid);
      const isRetried = (before?.retryAt ?? Infinity) <= this.#session.clock.now().mono;
      const isAsked = before !== undefined && before.asked.ids === ends.ids && !isRetried;
      if (ends.ids === '' || (isAsked && before.asked.starts === ends.starts) || this.#forbidden.has(namespace))
        continue;
      if (isAsked && before.endings !== undefined && isTold(before.endings, ends)) {
        // Its status says since when it runs again.
        this.#known.set(uid, { ...before, asked: ends, deaths: deathsOf(before.endings, pod) });
        continue;
      }
      this.#known.set(uid, { ...withoutRetry(before), asked: ends });
      this.#underWay += 1;
      void this.#ask(pod, ends).then((isNews) => {
        this.#underWay -= 1;
        // Others may wait for a turn.
        if (isNews || this.#underWay === HISTORIES_AT_ONCE - 1) this.#onNews();
      });
    }
  }

  /** @returns whether anything was told */
  async #ask(pod: Pod, asked: Ends): Promise<boolean> {
    const { namespace = 'default', name = '', uid = '' } = pod.metadata ?? {};
    try {
      const { items } = await fetchHistory({ ...this.#session, namespace }, { name });
      const own = items.find((item) => item.metadata.uid === uid);
      if (own === undefined) return false;
      const words = own.containers.flatMap(({ deaths }) =>
        deaths.map((death) => [bare(death.containerId), whyText(death)] as const),
      );
      const endings = endingsOf(own);
      this.#known.set(uid, { asked, endings, deaths: deathsOf(endings, pod), words: new Map(words) });
      this.#collect();
      return true;
    } catch (error) {
      // The status has the exit code and the reason, and they are shown then.
      const code = error instanceof StatusError ? error.code : 0;
      if (code === 403) this.#forbidden.add(namespace);
      else if (code !== 404) {
        const retryAt = this.#session.clock.now().mono + HISTORY_AGAIN_MS;
        this.#known.set(uid, { ...this.#known.get(uid), asked, retryAt });
      }
      return false;
    }
  }

  #collect(): void {
    this.#words = new Map([...this.#known.entries()].flatMap(([, { words }]) => [...(words ?? [])]));
  }
}

interface Ends {
  /** Ids of the containers that ended last, which change with each death. */
  readonly ids: string;
  /** When the next ones began, which changes with each recovery. */
  readonly starts: string;
}

function withoutRetry(known: Known | undefined): Partial<Known> {
  const { retryAt: _, ...rest } = known ?? {};
  return rest;
}

function endsOf({ status }: Pod): Ends {
  const ended = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap(
    ({ state, lastState }) => {
      const id = (state?.terminated ?? lastState?.terminated)?.containerID ?? '';
      return id === '' ? [] : [{ id: bare(id), start: state?.running?.startedAt ?? '' }];
    },
  );
  return { ids: ended.map(({ id }) => id).join(' '), starts: ended.map(({ start }) => start).join(' ') };
}

/**
 * Whether the answer has all of these ends, each with its back-off: nothing more comes to such a record. Of an end that somebody asked
 * for the rung that did may be noted later.
 */
function isTold({ containers }: PodEndings, { ids }: Ends): boolean {
  const final = new Set(
    containers.flatMap(({ deaths }) =>
      deaths.flatMap(({ containerId, backOffSeconds, requested }) =>
        backOffSeconds !== undefined && requested === undefined ? [bare(containerId)] : [],
      ),
    ),
  );
  return ids.split(' ').every((id) => final.has(id));
}

/** "containerd://0123" and "0123" are one. */
function bare(containerId: string): string {
  return containerId.slice(containerId.lastIndexOf('/') + 1);
}
