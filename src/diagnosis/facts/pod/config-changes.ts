/** Finds changes of the ConfigMaps and Secrets that a container uses: by the node's records of deaths, else by the objects. */
import { parseTime } from '../../../lib/index.ts';
import type { Quote } from '../../finding.ts';
import { type UsedConfig, usedBy } from '../configs/config-references.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';

export interface ConfigChange extends UsedConfig {
  /** "changed", "was made", "was deleted" */
  readonly how: string;
  /** Wall ms. */
  readonly atMs: number;
  /** The present or last life of the container began before it, so its variables have the old values. */
  readonly isNewer: boolean;
  readonly quote: Quote;
}

/** A change counts for this long. */
const WINDOW_MS = 24 * 60 * 60_000;
const CHANGE = /^(ConfigMap|Secret) (\S+) (changed|was made|was deleted)\b/;

/** The newest change of something that the container uses, within a day. */
export function configChange(facts: PodFacts, container: ContainerFacts): ConfigChange | undefined {
  const used = usedBy(facts.pod, container.spec);
  const startedMs = startOf(container);
  const seen = [...recorded(container), ...written(facts, container)].flatMap((change): readonly ConfigChange[] => {
    const own = used.find(({ kind, name }) => kind === change.kind && name === change.name);
    if (own === undefined || facts.now - change.atMs > WINDOW_MS) return [];
    return [{ ...own, ...change, isNewer: startedMs !== undefined && change.atMs > startedMs }];
  });
  return seen.toSorted((a, b) => b.atMs - a.atMs)[0];
}

function startOf({ status, death }: ContainerFacts): number | undefined {
  return parseTime(status?.state?.running?.startedAt ?? death?.startedAt);
}

type Seen = Pick<ConfigChange, 'kind' | 'name' | 'how' | 'atMs' | 'quote'>;

function recorded({ deaths, name: container }: ContainerFacts): readonly Seen[] {
  return deaths.flatMap(({ changes = [], number }) =>
    changes.flatMap(({ at, what }): readonly Seen[] => {
      const [, kind, name, how] = CHANGE.exec(what) ?? [];
      const atMs = parseTime(at);
      if (kind === undefined || name === undefined || how === undefined || atMs === undefined) return [];
      const quote: Quote = {
        source: 'object',
        object: `before death ${number ?? ''} of ${container}`,
        says: `${at} ${what}`,
      };
      return [{ kind: kind as Seen['kind'], name, how, atMs, quote }];
    }),
  );
}

/** An object that was written after its pod was made; before that, it is only a part of the start. */
function written({ evidence, ageMs, now }: PodFacts, { deaths }: ContainerFacts): readonly Seen[] {
  return evidence.configs.flatMap(({ kind, name, writtenAt }): readonly Seen[] => {
    const atMs = parseTime(writtenAt);
    if (atMs === undefined || atMs <= now - ageMs) return [];
    // The node's record is more exact.
    if (recorded({ deaths, name: '' } as ContainerFacts).some((seen) => seen.name === name && seen.kind === kind))
      return [];
    const object = `${kind.toLowerCase()}/${name}`;
    return [
      { kind, name, how: 'changed', atMs, quote: { source: 'object', object, says: `written last at ${writtenAt}` } },
    ];
  });
}
