/** The columns of events (upstream: printEvent), for both of their API groups. */
import type { EventSource, ObjectReference } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { column, since, type TableKind } from './table.ts';

/** The fields of core/v1 events, and those that events.k8s.io/v1 names differently. */
interface AnyEvent {
  readonly involvedObject?: ObjectReference;
  readonly regarding?: ObjectReference;
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly note?: string;
  readonly source?: EventSource;
  readonly deprecatedSource?: EventSource;
  readonly firstTimestamp?: string;
  readonly deprecatedFirstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly deprecatedLastTimestamp?: string;
  readonly eventTime?: string;
  readonly count?: number;
  readonly deprecatedCount?: number;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly reportingComponent?: string;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
}

export const eventTable: TableKind = {
  columns: [
    column('Last Seen', { description: 'When it was last seen.' }),
    column('Type', { description: 'Normal or Warning.' }),
    column('Reason', { description: 'Why, in one word.' }),
    column('Object', { description: 'What it is about.' }),
    column('Subobject', { wide: true, description: 'Which part of it.' }),
    column('Source', { wide: true, description: 'Who reports it.' }),
    column('Message', { description: 'What happened.' }),
    column('First Seen', { wide: true, description: 'When it was first seen.' }),
    column('Count', { wide: true, description: 'How often it was seen.' }),
    column('Name', { format: 'name', wide: true, description: 'Name within its namespace.' }),
  ],
  cells: (object, now) => {
    const event = object as AnyEvent & ApiObject;
    const about = event.involvedObject ?? event.regarding;
    const first = since((event.firstTimestamp ?? event.deprecatedFirstTimestamp) || event.eventTime || undefined, now);
    const lastTime = event.lastTimestamp ?? event.deprecatedLastTimestamp;
    const last =
      event.series !== undefined ? since(event.series.lastObservedTime, now) : lastTime ? since(lastTime, now) : first;
    const kind = (about?.kind ?? '').toLowerCase();
    return [
      last,
      event.type ?? '',
      event.reason ?? '',
      about?.name ? `${kind}/${about.name}` : kind,
      about?.fieldPath ?? '',
      sourceText(event),
      (event.message ?? event.note ?? '').trim(),
      first,
      event.series !== undefined ? (event.series.count ?? 0) : (event.count ?? event.deprecatedCount) || 1,
      event.metadata.name ?? '',
    ];
  },
};

function sourceText(event: AnyEvent): string {
  const source = event.source ?? event.deprecatedSource;
  const component = source?.component || event.reportingComponent || event.reportingController || '';
  const host = source?.host || event.reportingInstance || '';
  return host === '' ? component : `${component}, ${host}`;
}
