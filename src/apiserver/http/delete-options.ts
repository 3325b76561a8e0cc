/** What a DELETE asks for: from its body and its query (upstream: DeleteOptions). */
import { badRequest, invalid, invalidValue, notSupported } from '../../api/index.ts';
import type { HttpRequest } from '../../lib/index.ts';
import { isRecord } from '../registry/object.ts';
import { isDryRun } from '../verbs/call.ts';
import type { Removal } from '../verbs/write.ts';
import { parseOptionalObject } from './body.ts';

const PROPAGATION_POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** Throws 400 for what can not be read, 422 for values that mean nothing. */
export function readDeleteOptions(request: HttpRequest, query: URLSearchParams): Removal {
  const body = parseOptionalObject(request) ?? {};
  const preconditions = isRecord(body['preconditions']) ? body['preconditions'] : {};
  refusePropagation(body['propagationPolicy'] ?? query.get('propagationPolicy') ?? undefined);
  return {
    gracePeriodSeconds: readGrace(body['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds') ?? undefined),
    uid: readText(preconditions['uid'], 'preconditions.uid'),
    resourceVersion: readText(preconditions['resourceVersion'], 'preconditions.resourceVersion'),
    dryRun: isDryRun(query, body['dryRun']),
  };
}

function readGrace(value: unknown): number | undefined {
  if (value === undefined || value === '') return undefined;
  const seconds = typeof value === 'string' ? Number(value) : value;
  if (typeof seconds === 'number' && Number.isSafeInteger(seconds)) return seconds;
  throw badRequest(`invalid gracePeriodSeconds: ${JSON.stringify(value)}`);
}

function readText(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [invalidValue(field, value, 'must be a string')]);
}

/** Accepted and, until there is a garbage collector, without effect. */
function refusePropagation(value: unknown): void {
  if (value === undefined || value === '' || (typeof value === 'string' && PROPAGATION_POLICIES.includes(value)))
    return;
  const error = notSupported('propagationPolicy', value, [...PROPAGATION_POLICIES, 'nil']);
  throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [error]);
}
