/**
 * The last words of dead containers, from the nodes that remember them. Each death is asked for once, few at a time; who may not ask,
 * or asks a node of another kind, has the words of the pod's status.
 */
import type { Pod } from '../../api/index.ts';
import { BoundedMap } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { whyText } from '../history/death-text.ts';
import { fetchHistory } from '../history/fetch-history.ts';
import { MAX_SAID, SAID_AT_ONCE } from './limits.ts';

export class SaidWords {
  readonly #session: ClusterSession;
  readonly #onNews: () => void;
  /** By container id; '': asked for, and nothing is known. */
  readonly #words = new BoundedMap<string, string>(MAX_SAID);
  #underWay = 0;

  constructor(session: ClusterSession, onNews: () => void) {
    this.#session = session;
    this.#onNews = onNews;
  }

  of(containerId: string): string | undefined {
    return this.#words.get(bare(containerId)) || undefined;
  }

  /** Asks for the deaths that are new; what has no turn now has it at the next call. */
  look(pods: readonly Pod[]): void {
    for (const pod of pods) {
      if (this.#underWay >= SAID_AT_ONCE) return;
      const ids = endedContainers(pod).filter((id) => this.#words.get(id) === undefined);
      if (ids.length === 0) continue;
      for (const id of ids) this.#words.set(id, '');
      this.#underWay += 1;
      void this.#ask(pod).finally(() => {
        this.#underWay -= 1;
        this.#onNews();
      });
    }
  }

  async #ask({ metadata }: Pod): Promise<void> {
    const { namespace = 'default', name = '', uid } = metadata ?? {};
    try {
      const { items } = await fetchHistory({ ...this.#session, namespace }, { name });
      const deaths = items
        .find((item) => item.metadata.uid === uid)
        ?.containers.flatMap((container) => container.deaths);
      for (const death of deaths ?? []) this.#words.set(bare(death.containerId), whyText(death));
    } catch {
      // The status has the exit code and the reason, and they are shown then.
    }
  }
}

function endedContainers({ status }: Pod): readonly string[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap(
    ({ state, lastState }) => {
      const { containerID = '', exitCode = 0 } = state?.terminated ?? lastState?.terminated ?? {};
      return containerID === '' || exitCode === 0 ? [] : [bare(containerID)];
    },
  );
}

/** "containerd://0123" and "0123" are one. */
function bare(containerId: string): string {
  return containerId.slice(containerId.lastIndexOf('/') + 1);
}
