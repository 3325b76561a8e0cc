/** All that is known of a workload: its deaths, what `why` finds, its events. Each part is asked for with the viewer's own rights. */
import { EVENTS, type Event, mergeDays, type PodHistory, seriesOf, StatusError } from '../../api/index.ts';
import { Asker, fetchHistory, gatherGroup, historyTarget, parseWhyTarget, whyOf } from '../../cli/index.ts';
import type { ClusterSession } from '../../cli/index.ts';
import { quoteText } from '../../diagnosis/index.ts';
import { type Clock, errorMessage, parseTime, withDeadline } from '../../lib/index.ts';
import type { Life, LifeEvent, LifeFinding, PageRow, Series } from '../../page/index.ts';
import { DETAIL_MS, MAX_EVENTS, MAX_FINDINGS } from '../limits.ts';
import { askDays } from '../feed/ask-days.ts';
import type { Viewer } from '../ports.ts';
import { Refused } from '../refused.ts';
import { lifeDeaths } from './life-deaths.ts';
import type { RowId } from './row-id.ts';
import { shownText } from './shown-text.ts';
import { withUsage } from './usage-around.ts';
import { viewerSession } from './viewer-session.ts';

/** @throws Refused when nothing came in time, StatusError when the workload may not be read */
export async function lifeOf(
  viewer: Viewer,
  row: PageRow,
  id: RowId,
  clock: Clock,
  signal: AbortSignal,
): Promise<Life> {
  const result = await withDeadline({ clock, timeoutMs: DETAIL_MS, signal }, (within) =>
    gather(viewerSession(viewer, { clock, namespace: id.namespace, signal: within }), viewer, row, id),
  );
  if (result.kind !== 'done') throw new Refused(504, 'The cluster did not answer in time.');
  return result.value;
}

async function gather(session: ClusterSession, viewer: Viewer, row: PageRow, id: RowId): Promise<Life> {
  const missing: string[] = [];
  const orMissing = async <T>(what: string, work: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (session.signal.aborted) throw error;
      const why = error instanceof StatusError && error.code === 403 ? 'may not be read' : errorMessage(error);
      missing.push(shownText(`${what}: ${why}`));
      return otherwise;
    }
  };
  const [lives, findings, events, series] = await Promise.all([
    orMissing('deaths', livesOf(session, id, missing), []),
    orMissing('findings', findingsOf(session, id, missing), []),
    orMissing('events', eventsOf(session, row), []),
    seriesFor(session, viewer, row),
  ]);
  return {
    row,
    deaths: withUsage(lifeDeaths(lives, row.lastDeath), series),
    findings,
    events,
    ...(series === undefined ? {} : { series }),
    ...(missing.length === 0 ? {} : { missing: [...new Set(missing)] }),
  };
}

async function livesOf(session: ClusterSession, id: RowId, missing: string[]): Promise<readonly PodHistory[]> {
  if (id.kind === 'pod') {
    const { items, problems } = await fetchHistory(session, { name: id.name });
    missing.push(...problems.map(({ node, problem }) => shownText(`deaths on node ${node}: ${problem}`)));
    return items;
  }
  // A ReplicationController is too old to have a history of its own.
  if (id.kind === 'rc') return [];
  const target = historyTarget([`${id.kind}/${id.name}`]);
  if (target.kind === 'Pod') return [];
  const { items, notes } = await gatherGroup(new Asker(session), target.kind, target.name);
  missing.push(...notes.map(shownText));
  return items;
}

async function findingsOf(
  session: ClusterSession,
  { kind, name, namespace }: RowId,
  missing: string[],
): Promise<readonly LifeFinding[]> {
  const target = parseWhyTarget([`${kind}/${name}`], { namespace });
  const { asker, diagnosis } = await whyOf(session, { target, namespaceGiven: true });
  missing.push(...diagnosis.notLookedAt.map(shownText));
  return diagnosis.findings.slice(0, MAX_FINDINGS).map(({ severity, says, evidence, try: commands }) => ({
    severity,
    headline: shownText(says),
    evidence: evidence.map((quote) => shownText(quoteText(quote, asker.now))),
    commands: commands.map(shownText),
  }));
}

async function eventsOf(session: ClusterSession, row: PageRow): Promise<readonly LifeEvent[]> {
  const { client, namespace, signal } = session;
  const { items } = await client.list(EVENTS, { namespace, limit: 5000 }, signal);
  const names = new Set([row.name, ...row.pods.map((pod) => pod.name)]);
  return items
    .filter(({ involvedObject }) => names.has(involvedObject.name ?? ''))
    .map(lifeEvent)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_EVENTS);
}

/** Figures of the last day; undefined: no node has told. */
async function seriesFor(session: ClusterSession, viewer: Viewer, row: PageRow): Promise<Series | undefined> {
  const { clock, signal, namespace } = session;
  const nodes = [...new Set(row.pods.flatMap(({ node }) => node ?? []))];
  const days = await askDays(viewer, { namespace, seriesOf: row.name, nodes }, { clock, signal });
  const own = days?.items.filter(({ kind }) => KIND_OF[row.kind] === kind) ?? [];
  const [day] = mergeDays(own);
  return day === undefined ? undefined : seriesOf(day, clock.now().wall);
}

const KIND_OF: Readonly<Record<string, string>> = {
  deploy: 'Deployment',
  sts: 'StatefulSet',
  ds: 'DaemonSet',
  rs: 'ReplicaSet',
  rc: 'ReplicationController',
  job: 'Job',
  cronjob: 'CronJob',
  pod: 'Pod',
};

function lifeEvent(event: Event): LifeEvent {
  const { involvedObject, reason, message, type, lastTimestamp, eventTime, count, series, metadata } = event;
  const time = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? undefined;
  return {
    at: parseTime(time) ?? 0,
    type: type === 'Warning' ? 'Warning' : 'Normal',
    reason: shownText(reason ?? ''),
    object: shownText(`${(involvedObject.kind ?? '').toLowerCase()}/${involvedObject.name ?? ''}`),
    words: shownText(message ?? ''),
    count: series?.count ?? count ?? 1,
  };
}
